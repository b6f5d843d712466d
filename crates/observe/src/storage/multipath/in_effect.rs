//! What the configuration sets for one map, by multipath.conf(5): the section of the map itself, then `overrides`, then
//! the sections of its product, then `defaults`.

use super::config::Sections;
use super::pattern;
use fullwire_model::host::{MultipathDevice, MultipathMap};

/// Adds `no_path_retry` to the maps of which the daemon did not tell it.
pub(crate) fn add_no_path_retry(sections: &Sections, maps: &mut [MultipathMap]) {
    for map in maps.iter_mut().filter(|map| map.no_path_retry.is_none() && !map.is_powerpath()) {
        let Some(retry) = no_path_retry(sections, map) else { continue };
        map.no_path_retry = Some(retry);
        map.source = format!("{}, {}", map.source, sections.config.source);
    }
}

/// `no_path_retry`; `queue` where only the older feature asks for it (multipath.conf(5), features).
fn no_path_retry(sections: &Sections, map: &MultipathMap) -> Option<String> {
    let retry = setting(sections, map, "no_path_retry").filter(|retry| *retry != "undef");
    let by_feature =
        || setting(sections, map, "features").filter(|features| features.contains("queue_if_no_path"));
    retry.map(str::to_owned).or_else(|| by_feature().map(|_| "queue".to_owned()))
}

/// The file's `defaults` say nothing certain: multipath-tools' own section of the array, which the file does not show,
/// wins over them.
fn setting<'a>(sections: &'a Sections, map: &MultipathMap, name: &str) -> Option<&'a str> {
    let own = sections.multipaths.iter().filter(|own| {
        let is = |key: &str, value: &str| !value.is_empty() && own.get(key).is_some_and(|own| own == value);
        is("wwid", &map.wwid) || is("wwid", &scsi_id(&map.wwid)) || is("alias", &map.name)
    });
    let products = sections.config.devices.iter().rev().filter(|device| matches(device, &map.product));
    // Sections of a product are merged, the last of them first; the user's follow the built-in ones.
    let chosen = own
        .rev()
        .chain([&sections.overrides])
        .chain(products.map(|device| &device.settings))
        .chain(Some(&sections.defaults).filter(|_| sections.has_built_in()));
    chosen.filter_map(|settings| settings.get(name)).map(String::as_str).next()
}

/// The kernel writes `naa.6005…`, `scsi_id` and with it multipath.conf `36005…` (udev, `scsi_id.c`: 3 is the type NAA).
fn scsi_id(wwid: &str) -> String {
    wwid.strip_prefix("naa.").map_or_else(String::new, |rest| format!("3{rest}"))
}

/// Vendor and product are regular expressions that are found anywhere in the names (libmultipath, `hwe_regmatch`).
fn matches(device: &MultipathDevice, product: &str) -> bool {
    let (vendor, product) = product.split_once(',').unwrap_or((product, ""));
    let named = !device.vendor.is_empty() || !device.product.is_empty();
    named
        && pattern::is_found(&device.vendor, vendor.trim())
        && pattern::is_found(&device.product, product.trim())
}

#[cfg(test)]
mod tests {
    use super::super::config::parse_sections;
    use super::*;

    fn retry(config: &str, source: &str) -> Option<String> {
        let map = MultipathMap {
            name: "data1".into(),
            wwid: "naa.6005".into(),
            product: "IBM,2145".into(),
            ..MultipathMap::default()
        };
        let mut maps = [map];
        add_no_path_retry(&parse_sections(config, source.into()), &mut maps);
        let [map] = maps;
        map.no_path_retry
    }

    const DEFAULTS: &str = "defaults {\n no_path_retry fail\n}\n";
    const DEVICES: &str = "devices {\n device {\n vendor \"^IBM\"\n product \"^2145\"\n no_path_retry queue\n }\n \
                           device {\n vendor \"IBM\"\n product \"2145\"\n no_path_retry 24\n }\n \
                           device {\n vendor \"NETAPP\"\n product \"LUN\"\n no_path_retry 5\n }\n}\n";
    const OVERRIDES: &str = "overrides {\n no_path_retry 12\n}\n";
    const OWN: &str = "multipaths {\n multipath {\n wwid 36005\n no_path_retry 6\n }\n multipath {\n wwid 36006\n \
                       no_path_retry 7\n }\n}\n";

    #[test]
    fn the_map_before_overrides_before_its_product_before_defaults() {
        let shown = |parts: &[&str]| retry(&parts.concat(), "multipathd show config");
        assert_eq!(shown(&[DEFAULTS]).as_deref(), Some("fail"));
        assert_eq!(shown(&[DEFAULTS, DEVICES]).as_deref(), Some("24"), "the last section of the product");
        assert_eq!(shown(&[DEFAULTS, DEVICES, OVERRIDES]).as_deref(), Some("12"));
        assert_eq!(shown(&[OWN, OVERRIDES, DEVICES, DEFAULTS]).as_deref(), Some("6"));
        assert_eq!(shown(&["defaults {\n polling_interval 5\n}\n"]), None);
    }

    #[test]
    fn the_defaults_of_the_file_are_not_certain_to_be_in_effect() {
        assert_eq!(retry(DEFAULTS, "/etc/multipath.conf"), None);
        assert_eq!(retry(DEVICES, "/etc/multipath.conf").as_deref(), Some("24"));
    }

    #[test]
    fn the_older_feature_queues_where_no_retry_is_set() {
        let feature = "overrides {\n features \"1 queue_if_no_path\"\n}\n";
        assert_eq!(retry(feature, "multipathd show config").as_deref(), Some("queue"));
        assert_eq!(retry(&[feature, DEVICES].concat(), "multipathd show config").as_deref(), Some("24"));
    }

    #[test]
    fn what_the_daemon_said_stays() {
        let mut maps = [MultipathMap {
            no_path_retry: Some("queue".into()),
            product: "IBM,2145".into(),
            ..MultipathMap::default()
        }];
        add_no_path_retry(&parse_sections(OVERRIDES, "multipathd show config".into()), &mut maps);
        assert_eq!(maps[0].no_path_retry.as_deref(), Some("queue"));
    }
}
