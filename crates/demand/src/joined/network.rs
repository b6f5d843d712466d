//! Outputs about the network: pings, tracepath, mtr, ss, ip link, ethtool -k.

use crate::page;
use std::cmp::Ordering;

/// What a ping carries at an MTU of 1500.
const ORDINARY_BYTES: u64 = 1_472;

/// Pings of two sizes, of which the larger are not answered: `ping: of 8972 bytes not answered, of 1472 answered`.
pub(super) fn sized_pings(lines: &mut Vec<String>) {
    for line in lines.iter_mut().filter(|line| line.contains(" packets transmitted")) {
        // `+19 duplicates, `, `+3 errors, `
        while let Some((before, (_, after))) =
            line.split_once(" +").and_then(|(before, rest)| Some((before, rest.split_once(',')?)))
        {
            *line = format!("{before}{after}");
        }
    }
    let (mut size, mut lost, mut passed): (Option<u64>, Option<u64>, Option<u64>) = (None, None, None);
    for line in lines.iter() {
        if let Some((_, rest)) = line.split_once("PING ").and_then(|(_, rest)| rest.split_once(") ")) {
            size = rest.split(['(', ' ']).next().and_then(|bytes| bytes.parse().ok());
        } else if line.contains(" packets transmitted") {
            match line.split_whitespace().find_map(|word| word.strip_suffix('%')) {
                Some("100") => lost = size.or(lost),
                Some("0") => passed = size.or(passed),
                _ => {}
            }
        }
    }
    // What this host itself would not send was not lost on the way.
    if lines.iter().any(|line| line.contains("local error: ")) {
        lines.retain(|line| !line.contains(" packets transmitted"));
    }
    if let Some((lost, passed)) = lost.zip(passed).filter(|(lost, passed)| lost > passed) {
        lines.retain(|line| !line.contains(" packets transmitted"));
        lines.push(format!("ping: of {lost} bytes not answered, of {passed} answered"));
    } else if let (Some(lost), None) = (lost.filter(|bytes| *bytes > ORDINARY_BYTES), passed) {
        lines.retain(|line| !line.contains(" packets transmitted"));
        lines.push(format!("ping: of {lost} bytes not answered, smaller ones were not tried"));
    }
}

/// Answers of ping whose summary is cut off: `ping: 3 of 12 not answered, the longest took 812 ms`.
pub(super) fn answers(lines: &mut Vec<String>) {
    let summed = lines.iter().any(|line| line.contains(" packets transmitted"));
    let answer = |line: &String| {
        let field = |name: &str| line.split_whitespace().find_map(|word| word.strip_prefix(name));
        let unit = if line.ends_with(" ms") { 1.0 } else { 1e-3 };
        Some((field("icmp_seq=")?.parse::<u64>().ok()?, field("time=")?.parse::<f64>().ok()? * unit))
    };
    let all: Vec<(u64, f64)> = lines.iter().filter_map(answer).collect();
    let (Some((first, _)), Some((last, _)), false) = (all.first(), all.last(), summed) else { return };
    let sent = last.saturating_sub(*first) + 1;
    let longest = all.iter().map(|(_, ms)| *ms).fold(0.0, f64::max);
    lines.retain(|line| answer(line).is_none());
    if sent >= all.len() as u64 {
        let lost = sent - all.len() as u64;
        lines.push(format!(
            "ping: {lost} of {sent} not answered ({:.1}%), the longest took {longest} ms",
            lost as f64 / sent as f64 * 100.0
        ));
    }
}

/// The end of traceroute: `traceroute: hop 4 (10.7.0.9) is the last that answers, of 4, after 1.5 ms`.
pub(super) fn routes(lines: &mut Vec<String>) {
    let hop = |line: &String| {
        line.split_whitespace().next()?.parse::<u32>().ok().map(|number| (number, line.clone()))
    };
    let hops: Vec<(u32, String)> = lines.iter().filter_map(hop).collect();
    let ms = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words
            .windows(2)
            .filter(|pair| pair[1] == "ms")
            .filter_map(|pair| pair[0].parse::<f64>().ok())
            .reduce(f64::min)
    };
    lines.retain(|line| hop(line).is_none());
    let answered = hops.iter().rev().find_map(|(number, line)| Some((*number, line, ms(line)?)));
    if let (Some((all, _)), Some((number, line, ms))) = (hops.last(), answered) {
        let host = line.split_whitespace().nth(1).unwrap_or("");
        let end = if *all == number { "the last" } else { "the last that answers" };
        lines.push(format!("traceroute: hop {number} ({host}) of {all} is {end}, after {ms} ms"));
    }
}

/// What tracepath found, where it is less than this host sends: `tracepath: pmtu falls from 9000 to 1500`.
pub(super) fn traced_mtu(lines: &mut Vec<String>) {
    let of = |line: &String| line.split_once("pmtu ")?.1.split_whitespace().next()?.parse::<u64>().ok();
    let own = lines.iter().find(|line| line.contains("[LOCALHOST]")).and_then(of);
    let path = lines.iter().find(|line| line.starts_with("Resume: pmtu")).and_then(of);
    for line in lines.iter_mut().filter(|line| line.starts_with("Too many hops")) {
        line.insert_str(0, "tracepath: the end was not reached: ");
    }
    if let Some((own, path)) = own.zip(path).filter(|(own, path)| path < own) {
        lines.push(format!("tracepath: pmtu falls from {own} to {path}"));
    }
}

/// Hops of mtr: one that loses alone limits its own answers, what is lost from one on to the last is the path's:
/// `mtr: loss from hop 3 (10.9.7.2) to the last (12.5%)`.
pub(super) fn lost_from_hop(lines: &mut Vec<String>) {
    let hop = |line: &String| {
        let (number, rest) = line.split_once(".|--")?;
        let mut words = rest.split_whitespace();
        let (host, lost) = (words.next()?.to_owned(), words.next()?.strip_suffix('%')?.parse::<f64>().ok()?);
        Some((number.trim().parse::<u32>().ok()?, host, lost))
    };
    let hops: Vec<(u32, String, f64)> = lines.iter().filter_map(hop).collect();
    lines.retain(|line| !line.contains(".|--"));
    for path in hops.chunk_by(|one, next| one.0 < next.0) {
        let Some((.., lost)) = path.last() else { continue };
        let losing = path.iter().rev().take_while(|(_, host, lost)| *lost > 0.0 || host == "???");
        if let Some((number, host, _)) = losing.filter(|(_, host, _)| host != "???").last() {
            lines.push(format!("mtr: loss from hop {number} ({host}) to the last ({lost}%)"));
        }
    }
}

/// Offloads that are off and need not be: `off [fixed]` is what the adapter cannot do.
pub(super) fn offloads(lines: &mut Vec<String>) {
    const NAMES: [&str; 5] = [
        "tcp-segmentation-offload",
        "generic-segmentation-offload",
        "generic-receive-offload",
        "rx-checksumming",
        "tx-checksumming",
    ];
    let off = |line: &&String| {
        let (name, state) = line.split_once(": ").unwrap_or_default();
        NAMES.contains(&name) && state.starts_with("off") && !state.contains("[fixed]")
    };
    let names: Vec<String> =
        lines.iter().filter(off).filter_map(|line| Some(line.split_once(':')?.0.to_owned())).collect();
    let of = lines.iter().find_map(|line| {
        line.strip_prefix("Features for ").map(|name| name.trim_end_matches(':').to_owned())
    });
    if let (Some(of), false) = (of, names.is_empty()) {
        lines.push(format!("{of} works without {}", names.join(", ")));
    }
}

/// Interfaces and what they stand on, where the two have another MTU: `mtu: interface=bond7.210; mtu=1500; below=bond7;
/// below_mtu=9000; upper=smaller` (ip-link(8): `7: bond7.210@bond7: <...> mtu 1500`).
pub(super) fn stacked(lines: &mut Vec<String>) {
    let row = |line: &String| {
        let name = line.split(": ").nth(1)?;
        let (name, below) = name.split_once('@').unwrap_or((name, ""));
        Some((name.to_owned(), below.to_owned(), page::number_behind(line, "> mtu ")?))
    };
    let all: Vec<(String, String, f64)> = lines.iter().filter_map(row).collect();
    let own = |below: &str| all.iter().find(|(name, ..)| name == below).map(|(.., mtu)| *mtu);
    let differs = all.iter().filter_map(|(name, below, mtu)| {
        let below_mtu = own(below)?;
        let upper = match mtu.partial_cmp(&below_mtu)? {
            Ordering::Greater => "larger",
            Ordering::Less => "smaller",
            Ordering::Equal => return None,
        };
        Some(format!("mtu: interface={name}; mtu={mtu}; below={below}; below_mtu={below_mtu}; upper={upper}"))
    });
    let told: Vec<String> = differs.collect();
    lines.extend(told);
}

/// Modes of a bond in which there is no first member.
const WITHOUT_FIRST: [&str; 10] = [
    "mode=0", "mode=2", "mode=3", "mode=4", "mode=balance-rr", "mode=balance-xor", "mode=broadcast",
    "mode=802.3ad", "mode=\"802.3ad", "mode=\"balance-xor",
];

/// Options of a bond that watches no link (Linux Documentation/networking/bonding.rst: LACP and the balancing modes 5 and 6 set
/// miimon by themselves).
pub(super) fn unmonitored(lines: &mut Vec<String>) {
    let watched = [
        "miimon=", "arp_interval=", "mode=4", "mode=5", "mode=6", "mode=802.3ad", "mode=balance-tlb",
        "mode=balance-alb",
    ];
    for line in lines {
        if line.starts_with("BONDING_OPTS=") && !watched.iter().any(|option| line.contains(option)) {
            line.push_str(" (no link monitoring)");
        }
        let has_first = line.starts_with("BONDING_OPTS=") && line.contains("primary=");
        if has_first && WITHOUT_FIRST.iter().any(|mode| line.contains(mode)) {
            line.push_str(" (primary has no effect)");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::joined;

    #[test]
    fn an_interface_and_what_it_stands_on_may_have_another_mtu() {
        let links = |mtu| {
            format!(
                "6: bond7: <UP,LOWER_UP> mtu 9000 qdisc noqueue\n7: bond7.210@bond7: <UP,LOWER_UP> mtu {mtu} qdisc noqueue\n9: eth0@if12: <UP> mtu 1450\n"
            )
        };
        let told = joined(&links(1500));
        assert_eq!(
            told.last().map(String::as_str),
            Some("mtu: interface=bond7.210; mtu=1500; below=bond7; below_mtu=9000; upper=smaller")
        );
        assert_eq!(joined(&links(9000)).len(), 3);
    }

    #[test]
    fn what_this_host_would_not_send_was_not_lost() {
        let ping = "ping: local error: Message too long, mtu=1500\n3 packets transmitted, 0 received, +3 errors, 100% packet loss, time 9ms\n";
        assert_eq!(joined(ping).len(), 1);
    }
}
