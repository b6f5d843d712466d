//! The same as `ethtool.rs` from a sosreport, which keeps the tool's printed answers: `ethtool_eth0`,
//! `ethtool_-g_eth0`, …

use super::ethtool::{Facts, MAX_COUNTERS, is_telling, summarise};
use crate::Root;
use crate::root::malformed;
use fullwire_model::Gap;
use fullwire_model::host::{Channels, Coalesce, Pause, Rings};
use std::collections::BTreeMap;

const DIRECTORY: &str = "/sos_commands/networking";

/// All that the tree reports about one interface; `None` when it holds no answer about it.
pub(super) fn captured(root: &Root, interface: &str, gaps: &mut Vec<Gap>) -> Option<Facts> {
    let read =
        |option: &str| root.try_read(&format!("{DIRECTORY}/ethtool_{option}{interface}"), 1 << 18).ok();
    let text = |option: &str| read(option).map(|(text, _)| text).unwrap_or_default();
    let (settings, driver) = (read("")?.0, text("-i_"));
    let mut facts = Facts::default();
    link(&settings, &mut facts);
    let of_driver = |name: &str| crate::text::field(&driver, name).unwrap_or_default().to_owned();
    facts.driver = of_driver("driver");
    facts.driver_version = of_driver("version");
    facts.firmware = of_driver("firmware-version");
    facts.bus = of_driver("bus-info");
    facts.rings = rings(&text("-g_"));
    facts.channels = channels(&text("-l_"));
    facts.coalesce = coalesce(&text("-c_"));
    facts.pause = pause(&text("-a_"));
    facts.features = features(&format!("{DIRECTORY}/ethtool_-k_{interface}"), &text("-k_"), gaps);
    Some(facts)
}

/// The driver's counters; `None` without them.
pub(super) fn captured_statistics(root: &Root, interface: &str) -> Option<BTreeMap<String, u64>> {
    let (text, _) = root.try_read(&format!("{DIRECTORY}/ethtool_-S_{interface}"), 1 << 20).ok()?;
    Some(statistics(&text))
}

/// `ethtool X`. Lists go on over indented lines without their own colon.
fn link(text: &str, facts: &mut Facts) {
    let mut list = "";
    for line in text.lines().skip(1) {
        let (name, value) = line.split_once(':').unwrap_or((list, line));
        list = name.trim();
        let value = value.trim();
        match list {
            "Supported link modes" => facts.supported_modes.extend(modes(value)),
            "Link partner advertised link modes" => facts.partner_modes.extend(modes(value)),
            "Speed" => {
                facts.speed_mbit_per_s = value.strip_suffix("Mb/s").and_then(|speed| speed.parse().ok());
            }
            "Duplex" => {
                facts.duplex = matches!(value, "Full" | "Half").then(|| value.to_ascii_lowercase());
            }
            "Auto-negotiation" => facts.autonegotiation = switch(value),
            _ => {}
        }
    }
}

fn modes(value: &str) -> impl Iterator<Item = String> {
    value.split_whitespace().filter(|word| word.contains("base")).map(str::to_owned)
}

fn switch(value: &str) -> Option<bool> {
    match value.split_whitespace().next()? {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

/// A table with its maximums first: the number behind a name in each half.
fn halves(text: &str) -> Option<[BTreeMap<&str, u32>; 2]> {
    let at = text.find("Current hardware settings")?;
    let (maximums, current) = text.split_at(at);
    Some([table(maximums), table(current)])
}

fn table(text: &str) -> BTreeMap<&str, u32> {
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.filter_map(|(name, value)| Some((name.trim(), value.trim().parse().ok()?))).collect()
}

/// `ethtool -g`.
fn rings(text: &str) -> Option<Rings> {
    let [most, now] = halves(text)?;
    Some(Rings {
        rx: *now.get("RX")?,
        rx_max: *most.get("RX")?,
        tx: *now.get("TX")?,
        tx_max: *most.get("TX")?,
    })
}

/// `ethtool -l`.
fn channels(text: &str) -> Option<Channels> {
    let [most, now] = halves(text)?;
    let of = |half: &BTreeMap<&str, u32>, name: &str| half.get(name).copied().unwrap_or(0);
    Some(Channels {
        combined: of(&now, "Combined"),
        combined_max: *most.get("Combined")?,
        rx: of(&now, "RX"),
        rx_max: of(&most, "RX"),
    })
}

/// `ethtool -c`.
fn coalesce(text: &str) -> Option<Coalesce> {
    let numbers = table(text);
    let adaptive = text.lines().find_map(|line| line.trim().strip_prefix("Adaptive RX:"));
    Some(Coalesce {
        adaptive_rx: adaptive.and_then(switch).unwrap_or(false),
        rx_usecs: *numbers.get("rx-usecs")?,
        tx_usecs: numbers.get("tx-usecs").copied().unwrap_or(0),
    })
}

/// `ethtool -a`.
fn pause(text: &str) -> Option<Pause> {
    let of = |name: &str| crate::text::field(text, name).and_then(switch);
    Some(Pause { autoneg: of("Autonegotiate")?, rx: of("RX")?, tx: of("TX")? })
}

/// `ethtool -k`; `off [fixed]` is what the device lacks.
fn features(path: &str, text: &str, gaps: &mut Vec<Gap>) -> BTreeMap<String, bool> {
    let mut features = BTreeMap::new();
    for (index, line) in text.lines().enumerate().skip(1) {
        match line.split_once(':').map(|(name, value)| (name.trim(), value.trim(), switch(value))) {
            Some((_, "off [fixed]", _)) => {}
            Some((name, _, Some(on))) => {
                features.insert(name.to_owned(), on);
            }
            _ if line.trim().is_empty() || line.starts_with("Cannot") => {}
            _ => gaps.push(malformed(path, index + 1, "not `feature: on` or `off`")),
        }
    }
    // The printed names of single-feature groups stand for themselves.
    summarise(&mut features);
    features
}

/// `ethtool -S`. Multi-queue drivers print names that repeat; the first stays.
fn statistics(text: &str) -> BTreeMap<String, u64> {
    let mut counters = BTreeMap::new();
    for (name, value) in text.lines().filter_map(|line| line.trim().rsplit_once(':')) {
        if counters.len() < MAX_COUNTERS
            && is_telling(name.trim())
            && let Ok(value) = value.trim().parse()
        {
            counters.entry(name.trim().to_owned()).or_insert(value);
        }
    }
    counters
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A sample of the collection, or nothing (it is not part of this repository).
    fn sample(name: &str) -> Option<String> {
        let path = crate::skips::shared(&format!("samples/ethtool/{name}"))?;
        Some(std::fs::read_to_string(path).expect("a readable sample"))
    }

    #[test]
    fn reads_link_settings() {
        let Some(text) = sample("ethtool-default1.txt") else { return };
        let mut facts = Facts::default();
        link(&text, &mut facts);
        assert_eq!((facts.speed_mbit_per_s, facts.duplex.as_deref()), (Some(1000), Some("full")));
        let modes = ["10baseT/Half", "10baseT/Full", "100baseT/Half", "100baseT/Full", "1000baseT/Full"];
        assert_eq!(facts.supported_modes, modes);
        assert_eq!((facts.autonegotiation, facts.partner_modes), (Some(true), Vec::new()));
    }

    #[test]
    fn reads_rings_of_a_new_ethtool() {
        let Some(text) = sample("ethtool-g-new.txt") else { return };
        assert_eq!(rings(&text), Some(Rings { rx: 1024, rx_max: 4096, tx: 512, tx_max: 4096 }));
    }

    #[test]
    fn reads_counters_of_two_drivers() {
        let Some(text) = sample("ethtool-S-virtio.txt") else { return };
        let counters = statistics(&text);
        assert_eq!(counters.get("rx_queue_0_drops"), Some(&0));
        assert!(!counters.contains_key("rx_queue_0_bytes"));
        let Some(text) = sample("ethtool-S-eth0.txt") else { return };
        assert_eq!(statistics(&text).get("rxq0: rx_drops_no_frags"), Some(&5000));
    }

    #[test]
    fn reads_features_of_a_bond() {
        let Some(text) = sample("ethtool-k.txt") else { return };
        let mut gaps = Vec::new();
        let features = features("/k", &text, &mut gaps);
        assert_eq!(gaps, []);
        for on in
            ["scatter-gather", "tcp-segmentation-offload", "generic-receive-offload", "large-receive-offload"]
        {
            assert_eq!(features.get(on), Some(&true), "{on}");
        }
        assert_eq!(features.get("rx-checksumming"), None, "off [fixed]");
    }

    #[test]
    fn features_that_a_device_lacks_are_left_out() {
        let text = "Features for eth0:\nrx-checksumming: on [fixed]\ntcp-segmentation-offload: off\n\ttx-tcp-segmentation: off\n\
                    large-receive-offload: off [fixed]\nnonsense\n";
        let mut gaps = Vec::new();
        let features = features("/k", text, &mut gaps);
        assert_eq!(features.get("rx-checksumming"), Some(&true));
        assert_eq!(features.get("tcp-segmentation-offload"), Some(&false));
        assert_eq!(features.get("large-receive-offload"), None);
        assert_eq!(gaps[0].detail, "/k:6: not `feature: on` or `off`");
    }

    proptest! {
        #[test]
        fn mangled_answers_never_panic(text in "(?s).{0,200}", half in "(RX|TX|Combined|Adaptive RX):[ \t]*[a-z0-9-]{0,12}\n") {
            let text = format!("x\n{half}Current hardware settings:\n{half}{text}");
            link(&text, &mut Facts::default());
            let mut gaps = Vec::new();
            features("/k", &text, &mut gaps);
            prop_assert!(gaps.iter().all(|gap| gap.detail.starts_with("/k:")));
            let _ = (rings(&text), channels(&text), coalesce(&text), pause(&text), statistics(&text));
        }
    }
}
