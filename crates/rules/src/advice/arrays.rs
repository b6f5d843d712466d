//! What disk arrays want of dm-multipath, by the vendor and product that their units report.
//!
//! Source: multipath-tools, `libmultipath/hwtable.c` (the values that vendors maintain there, 0.10 and later); Pure Storage,
//! "Linux Recommended Settings" (`no_path_retry 0`); Infinidat's entry (`fail`);
//! NetApp ontap-apps-dbs, oracle-host-config-linux.adoc (`no_path_retry 24` for Oracle).

use fullwire_model::host::{Host, MultipathMap};

/// An array's own values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Array {
    /// As it is called.
    pub(crate) name: &'static str,
    /// Vendor and product as multipath.conf has them: regular expressions.
    pub(crate) vendor: &'static str,
    pub(crate) product: &'static str,
    /// What its units report begins with: vendor, product.
    begins: [&'static str; 2],
    /// What happens when all paths are lost: `queue`, `fail`, or a number of checks.
    no_path_retry: &'static str,
    /// The same where a database of Oracle is on it.
    with_oracle: Option<&'static str>,
    /// How paths are grouped.
    pub(crate) grouping: &'static str,
    /// Seconds until I/O on a lost port fails, where the vendor names them.
    pub(crate) fast_io_fail_tmo: Option<&'static str>,
}

const BY_PRIORITY: &str = "path_grouping_policy group_by_prio, prio alua, failback immediate";
const ALL_IN_ONE: &str = "path_grouping_policy multibus";
/// One controller owns a unit, and a path to the other moves the unit: never in one group.
const BY_CONTROLLER: &str =
    "path_grouping_policy group_by_prio, prio rdac, hardware_handler \"1 rdac\", failback immediate";

/// An array whose units report words that are their own patterns.
const fn array(
    name: &'static str,
    reports: [&'static str; 2],
    no_path_retry: &'static str,
    grouping: &'static str,
) -> Array {
    matching(name, reports, reports, no_path_retry, grouping)
}

const fn matching(
    name: &'static str,
    [vendor, product]: [&'static str; 2],
    begins: [&'static str; 2],
    no_path_retry: &'static str,
    grouping: &'static str,
) -> Array {
    Array {
        name,
        vendor,
        product,
        begins,
        no_path_retry,
        with_oracle: None,
        grouping,
        fast_io_fail_tmo: None,
    }
}

const fn oracle_wants(no_path_retry: &'static str, mut of: Array) -> Array {
    of.with_oracle = Some(no_path_retry);
    of
}

impl Array {
    /// What its vendor wants to happen on this host when all paths are lost.
    pub(crate) fn no_path_retry(&self, host: &Host) -> &'static str {
        let oracle = host.databases.iter().any(|database| database.kind.starts_with("oracle"));
        self.with_oracle.filter(|_| oracle).unwrap_or(self.no_path_retry)
    }

    /// All paths of a unit may carry I/O at once.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.grouping == ALL_IN_ONE
    }

    /// multipath-tools' own section of the array has it queue without end.
    pub(crate) fn queues_by_itself(&self) -> bool {
        self.no_path_retry == "queue"
    }
}

const fn failing_after(mut of: Array, seconds: &'static str) -> Array {
    of.fast_io_fail_tmo = Some(seconds);
    of
}

const ARRAYS: &[Array] = &[
    oracle_wants(
        "24",
        array(
            "NetApp ONTAP",
            ["NETAPP", "LUN"],
            "queue",
            "path_grouping_policy group_by_prio, prio ontap, failback immediate",
        ),
    ),
    failing_after(array("Pure FlashArray", ["PURE", "FlashArray"], "0", BY_PRIORITY), "10"),
    array("Dell PowerMax", ["EMC", "SYMMETRIX"], "6", ALL_IN_ONE),
    matching(
        "Dell Unity",
        ["^DGC", "^(RAID|DISK|VRAID)"],
        ["DGC", ""],
        "60",
        "path_grouping_policy group_by_prio, prio emc, failback immediate (prio alua and hardware_handler \"1 alua\" in ALUA mode)",
    ),
    failing_after(array("Dell PowerStore", ["DellEMC", "PowerStore"], "3", BY_PRIORITY), "15"),
    matching("Dell SC", ["COMPELNT", "Compellent Vol"], ["COMPELNT", ""], "queue", BY_PRIORITY),
    array("Dell VPLEX", ["EMC", "Invista"], "5", ALL_IN_ONE),
    failing_after(array("HPE 3PAR, Primera or Alletra", ["3PARdata", "VV"], "18", BY_PRIORITY), "10"),
    array("HPE Nimble", ["Nimble", "Server"], "queue", BY_PRIORITY),
    matching(
        "HPE MSA",
        ["(HP|HPE)", "MSA [12]0[4567]0 (SAN|SAS|FC|iSCSI)"],
        ["HP", "MSA "],
        "18",
        BY_PRIORITY,
    ),
    matching(
        "Hitachi VSP",
        ["(HITACHI|HP|HPE)", "^OPEN-"],
        ["HITACHI", "OPEN-"],
        "10",
        "path_grouping_policy group_by_prio, failback immediate",
    ),
    matching("IBM Storwize or FlashSystem", ["IBM", "^2145"], ["IBM", "2145"], "queue", BY_PRIORITY),
    matching(
        "IBM DS8000",
        ["IBM", "^2107900"],
        ["IBM", "2107900"],
        "queue",
        "path_grouping_policy group_by_prio, failback immediate",
    ),
    matching(
        "Huawei OceanStor",
        ["^(HUAWEI|AnyStor|Marstor|NETPOSA|SanM|SUGON|UDsafe)", "XSG1"],
        ["HUAWEI", "XSG1"],
        "15",
        "path_grouping_policy group_by_prio, failback immediate",
    ),
    failing_after(array("Infinidat InfiniBox", ["NFINIDAT", "InfiniBox"], "fail", BY_PRIORITY), "15"),
    array("Dell MD3000", ["DELL", "MD3"], "30", BY_CONTROLLER),
    matching("IBM DS3000", ["IBM", "^1726"], ["IBM", "1726"], "30", BY_CONTROLLER),
    matching("IBM DS3500", ["IBM", "^1746"], ["IBM", "1746"], "30", BY_CONTROLLER),
    matching("IBM DS4000 or DS5000", ["IBM", "^181[3458]"], ["IBM", "181"], "30", BY_CONTROLLER),
    matching(
        "NetApp E-Series",
        ["(NETAPP|LSI|ENGENIO)", "INF-01-00"],
        ["NETAPP", "INF-01-00"],
        "30",
        BY_CONTROLLER,
    ),
    matching("Linux LIO", ["(LIO-ORG|SUSE)", ".*"], ["LIO-ORG", ""], "12", BY_PRIORITY),
];

/// Vendor and product of a unit (`NETAPP,LUN C-Mode`).
pub(crate) fn vendor_and_product(map: &MultipathMap) -> Option<(&str, &str)> {
    let (vendor, product) = map.product.split_once(',')?;
    let (vendor, product) = (vendor.trim(), product.trim());
    (!vendor.is_empty() && !product.is_empty()).then_some((vendor, product))
}

/// The array that a map's unit is of.
pub(crate) fn array_of(map: &MultipathMap) -> Option<&'static Array> {
    let (vendor, product) = vendor_and_product(map)?;
    ARRAYS.iter().find(|array| vendor.starts_with(array.begins[0]) && product.starts_with(array.begins[1]))
}

/// A unit of each array that is known.
#[cfg(test)]
pub(crate) fn units() -> Vec<MultipathMap> {
    let unit = |array: &Array| MultipathMap {
        name: array.name.into(),
        product: array.begins.map(|word| format!("{word}X")).join(","),
        ..MultipathMap::default()
    };
    ARRAYS.iter().map(unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_known_by_what_they_report() {
        let of = |product: &str| {
            array_of(&MultipathMap { product: product.into(), ..MultipathMap::default() })
                .map(|array| (array.name, array.no_path_retry(&Host::default())))
        };
        assert_eq!(of("NETAPP,LUN C-Mode"), Some(("NetApp ONTAP", "queue")));
        assert_eq!(of("PURE,FlashArray"), Some(("Pure FlashArray", "0")));
        assert_eq!(of("EMC     ,SYMMETRIX"), Some(("Dell PowerMax", "6")));
        assert_eq!(of("DGC,VRAID"), Some(("Dell Unity", "60")));
        assert_eq!(of("3PARdata,VV"), Some(("HPE 3PAR, Primera or Alletra", "18")));
        assert_eq!(of("DELL,MD36xxi"), Some(("Dell MD3000", "30")));
        assert_eq!(of("IBM,1814      FAStT"), Some(("IBM DS4000 or DS5000", "30")));
        assert_eq!(of("HPE,LOGICAL VOLUME"), None, "a local RAID controller");
        assert_eq!(of(""), None);
    }
}
