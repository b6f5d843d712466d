//! Settings of multipathd, for the array at hand alone: a host often has units of two.

use super::arrays::{Array, array_of, vendor_and_product};
use super::condition::PATHS_READY;
use super::{AdviceExt, because, sh};
use fullwire_model::assessment::{Advice, ShellCommand};
use fullwire_model::host::{Host, MultipathMap};
use std::collections::BTreeMap;

/// The command that shows the paths of this host's maps.
pub fn show_paths(host: &Host) -> &'static str {
    let powerpath = host.multipath.iter().filter(|map| map.is_powerpath()).count();
    if powerpath > 0 && powerpath == host.multipath.len() {
        "powermt display dev=all"
    } else {
        "multipath -ll"
    }
}

/// Two paths of a map work (multipathd(8), `%m` and `%T`).
pub(crate) fn two_paths_ready(map: &str) -> ShellCommand {
    sh!(
        "multipathd show paths raw format '%m %T' | map={} awk '$1 == ENVIRON[\"map\"] \"\" && $2 == \"ready\" {{ n++ }} END {{ exit n < 2 }}'",
        map
    )
}

/// Set options in the section of each array in `/etc/multipath.conf`: what `overrides` says holds for every array of the
/// host, and `defaults` lose to multipath-tools' own section (multipath.conf(5)). `settings` are those for a known array,
/// or for one that is not known.
pub(crate) fn set_multipath(
    why: &str,
    maps: &[&MultipathMap],
    settings: impl Fn(Option<&Array>) -> String,
) -> Advice {
    let mut advice = because(why);
    let mut told: BTreeMap<(String, String), (Option<&Array>, String)> = BTreeMap::new();
    for map in maps {
        let array = array_of(map);
        let key = match (array, vendor_and_product(map)) {
            (Some(array), _) => (array.vendor.to_owned(), array.product.to_owned()),
            (None, Some((vendor, product))) => (vendor.to_owned(), product.to_owned()),
            (None, None) => continue,
        };
        told.entry(key).or_insert_with(|| (array, settings(array)));
    }
    if told.is_empty() {
        advice = advice.now(format!(
            "In /etc/multipath.conf, section devices, a device section with vendor and product as `multipath -ll` shows \
             them: {}",
            settings(None)
        ));
    }
    for ((vendor, product), (array, settings)) in told {
        let of =
            array.map_or("ask its vendor first".to_owned(), |array| format!("{} wants it so", array.name));
        advice = advice.now(format!(
            "In /etc/multipath.conf, section devices: device {{ vendor \"{vendor}\" product \"{product}\" {settings} }}, \
             each on a line of its own ({of}); it is merged into multipath-tools' own section of the array. Where the file has \
             a section for this array already, change the lines there: of two that match the later one wins"
        ));
    }
    advice
        .look("multipath -t > /dev/null", "Checks that the file can be read")
        .run("multipathd reconfigure", "Applies it; maps stay in use")
        .reloads()
        .given(PATHS_READY)
        .persist("The file is permanent; rebuild the initramfs if it contains a copy of multipath.conf")
        .undo("Remove the lines from the device section, or set them as they were, then `multipathd reconfigure`")
        .reloads()
}

/// Group the paths as the array wants it.
pub(crate) fn group_paths(maps: &[&MultipathMap]) -> Advice {
    const UNKNOWN: &str =
        "path_grouping_policy group_by_prio, prio alua, failback immediate, if the array has ALUA";
    set_multipath("", maps, |array| array.map_or(UNKNOWN, |array| array.grouping).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(product: &str) -> MultipathMap {
        MultipathMap { product: product.into(), ..MultipathMap::default() }
    }

    /// A host in a migration has the old array and the new one.
    #[test]
    fn each_array_gets_its_own_values_and_no_other_is_touched() {
        let maps = [map("NETAPP,LUN"), map("HITACHI,OPEN-V"), map("NETAPP,LUN C-Mode")];
        let maps: Vec<&MultipathMap> = maps.iter().collect();
        let advice = set_multipath("", &maps, |array| {
            format!("no_path_retry {}", array.map_or("24", |array| array.no_path_retry(&Host::default())))
        });
        let told: Vec<&str> = advice
            .steps
            .iter()
            .map(|step| step.text.as_str())
            .filter(|text| text.contains("device {"))
            .collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("OPEN-") && told[0].contains("no_path_retry 10"), "{told:?}");
        assert!(told[1].contains("NETAPP") && told[1].contains("no_path_retry queue"), "{told:?}");
        assert!(advice.steps.iter().all(|step| !step.text.contains("overrides")));
    }

    #[test]
    fn an_unknown_array_is_asked_for() {
        let advice = group_paths(&[&map("ACME,DISK")]);
        assert!(advice.steps[0].text.contains("ask its vendor first"), "{}", advice.steps[0].text);
        assert!(group_paths(&[]).steps[0].text.contains("as `multipath -ll` shows"));
    }
}
