//! Protocol counters under nstat's names, sockets' memory, connection tracking, the softnet backlog.

use super::{netlink, ss};
use crate::Root;
use crate::root::malformed;
use fullwire_model::Gap;
use fullwire_model::counters::{Counters, Softnet};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// sosreport's copy; nstat prints the very names.
const CAPTURED: &str = "/sos_commands/networking/nstat_-zas";

pub(super) fn read(root: &Root, counters: &mut Counters) {
    let gaps = &mut counters.gaps;
    let captured = root.try_read(CAPTURED, 1 << 20).ok().map(|(text, _)| text);
    if let Some(text) = captured.filter(|_| !root.exists("/proc/net/snmp")) {
        nstat(&text, &mut counters.snmp, gaps);
    } else {
        for path in ["/proc/net/snmp", "/proc/net/netstat"] {
            if let Some(text) = root.read(path, gaps) {
                pairs(path, &text, &mut counters.snmp, gaps);
            }
        }
        if let Some(text) = root.read_optional("/proc/net/snmp6", gaps) {
            nstat(&text, &mut counters.snmp, gaps);
        }
    }
    if let Some(text) = root.read("/proc/net/sockstat", gaps) {
        counters.tcp_mem_pages = tcp_mem_pages(&text);
    }
    if let Some(text) = root.read("/proc/net/softnet_stat", gaps) {
        counters.softnet = softnet(&text, gaps);
    }
    counters.neighbour_overflows = neighbour_overflows(root);
    counters.neighbours =
        root.attribute(NEIGHBOURS).and_then(|text| column(&text, "entries")?.first().copied());
    counters.conntrack_count = root.number("/proc/sys/net/netfilter/nf_conntrack_count");
}

/// The TCP sockets: the kernel walks all that it has.
pub(super) fn read_sockets(root: &Root, counters: &mut Counters) {
    match root.answer("netlink sockets", netlink::sockets) {
        Ok(sockets) => counters.sockets = sockets,
        Err(gap) => match ss::captured(root) {
            Some(sockets) => counters.sockets = sockets,
            None => counters.gaps.push(gap),
        },
    }
}

/// Which hardware address each of these neighbours has at the moment (IPv4).
pub(crate) fn neighbours(root: &Root, asked: &[IpAddr], gaps: &mut Vec<Gap>) -> BTreeMap<IpAddr, String> {
    let text = (!asked.is_empty()).then(|| root.read_optional("/proc/net/arp", gaps)).flatten();
    text.map(|text| neighbour_macs(&text, asked)).unwrap_or_default()
}

/// Address, hardware type, flags, hardware address, mask, device; all zeros where nobody answered.
fn neighbour_macs(table: &str, asked: &[IpAddr]) -> BTreeMap<IpAddr, String> {
    const NOBODY: &str = "00:00:00:00:00:00";
    let rows = table.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?.parse().ok()?, words.nth(2)?.to_owned()))
    });
    rows.filter(|(address, mac)| asked.contains(address) && mac != NOBODY).collect()
}

/// The IPv4 neighbour table: a header, then a row of hexadecimal numbers for each CPU.
const NEIGHBOURS: &str = "/proc/net/stat/arp_cache";

/// Times that the table had no room, over all CPUs; older kernels do not count them.
fn neighbour_overflows(root: &Root) -> Option<u64> {
    let text = root.attribute(NEIGHBOURS)?;
    column(&text, "table_fulls").map(|counts| counts.iter().sum())
}

fn column(text: &str, name: &str) -> Option<Vec<u64>> {
    let mut lines = text.lines();
    let at = lines.next()?.split_whitespace().position(|column| column == name)?;
    lines.map(|line| u64::from_str_radix(line.split_whitespace().nth(at)?, 16).ok()).collect()
}

/// Two lines for each protocol: the names, then the numbers, both behind `Tcp:`.
fn pairs(path: &str, text: &str, counters: &mut BTreeMap<String, u64>, gaps: &mut Vec<Gap>) {
    let mut lines = text.lines().enumerate();
    while let (Some((index, names)), Some((_, values))) = (lines.next(), lines.next()) {
        let split = |line: &'_ str| {
            line.split_once(':').map(|(protocol, rest)| (protocol.to_owned(), rest.to_owned()))
        };
        let (Some((protocol, names)), Some((same, values))) = (split(names), split(values)) else {
            gaps.push(malformed(path, index + 1, "no `Protocol:`"));
            continue;
        };
        if protocol != same {
            gaps.push(malformed(path, index + 2, "the numbers belong to another protocol"));
            return;
        }
        for (name, value) in names.split_whitespace().zip(values.split_whitespace()) {
            match value.parse::<i64>() {
                // TcpMaxConn is -1: no limit.
                Ok(value) => {
                    if let Ok(value) = u64::try_from(value) {
                        counters.insert(format!("{protocol}{name}"), value);
                    }
                }
                Err(_) => match value.parse::<u64>() {
                    Ok(value) => {
                        counters.insert(format!("{protocol}{name}"), value);
                    }
                    Err(_) => {
                        gaps.push(malformed(path, index + 2, &format!("{protocol}{name} is not a number")));
                    }
                },
            }
        }
    }
}

/// `Name value [rate]` lines: nstat's, and `/proc/net/snmp6`.
fn nstat(text: &str, counters: &mut BTreeMap<String, u64>, gaps: &mut Vec<Gap>) {
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        match (words.next(), words.next().map(str::parse)) {
            (Some(name), Some(Ok(value))) => {
                counters.insert(name.to_owned(), value);
            }
            (None, _) => {}
            _ => gaps.push(malformed("/proc/net/snmp6 or nstat", index + 1, "not `name number`")),
        }
    }
}

/// `TCP: inuse 5 orphan 0 tw 0 alloc 7 mem 3`.
fn tcp_mem_pages(text: &str) -> Option<u64> {
    let words = text.lines().find_map(|line| line.strip_prefix("TCP:"))?;
    let mut words = words.split_whitespace().skip_while(|word| *word != "mem").skip(1);
    words.next()?.parse().ok()
}

/// One line of hexadecimal numbers for each online CPU: processed, dropped, squeezed, …; since 5.10 the CPU's
/// number is the thirteenth, before that lines are in the order of online CPUs.
fn softnet(text: &str, gaps: &mut Vec<Gap>) -> BTreeMap<u32, Softnet> {
    let mut all = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let words: Option<Vec<u32>> =
            line.split_whitespace().map(|word| u32::from_str_radix(word, 16).ok()).collect();
        match words.as_deref() {
            Some([processed, dropped, squeezed, rest @ ..]) => {
                let cpu = rest.get(9).copied().or_else(|| u32::try_from(index).ok()).unwrap_or(0);
                let line = Softnet {
                    processed: (*processed).into(),
                    dropped: (*dropped).into(),
                    time_squeeze: (*squeezed).into(),
                };
                all.insert(cpu, line);
            }
            _ => gaps.push(malformed("/proc/net/softnet_stat", index + 1, "not hexadecimal numbers")),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SNMP: &str = "Ip: Forwarding DefaultTTL ReasmFails\nIp: 1 64 7\nTcp: MaxConn RetransSegs OutSegs\nTcp: -1 5 1000\n";

    #[test]
    fn names_are_nstats() {
        let (mut counters, mut gaps) = (BTreeMap::new(), Vec::new());
        pairs("/proc/net/snmp", SNMP, &mut counters, &mut gaps);
        pairs("/proc/net/netstat", "TcpExt: TCPTimeouts\nTcpExt: 3\n", &mut counters, &mut gaps);
        nstat("#kernel\nIp6InReceives                   12   0.0\n", &mut counters, &mut gaps);
        assert_eq!(gaps, []);
        assert_eq!(
            (counters["IpReasmFails"], counters["TcpRetransSegs"], counters["TcpExtTCPTimeouts"]),
            (7, 5, 3)
        );
        assert_eq!((counters.get("TcpMaxConn"), counters["Ip6InReceives"]), (None, 12));
    }

    #[test]
    fn only_neighbours_that_were_asked_about_and_answered_have_an_address() {
        let table = "IP address       HW type     Flags       HW address            Mask     Device\n\
                     10.0.0.2         0x1         0x2         02:00:00:00:00:0a     *        eth0\n\
                     10.0.0.3         0x1         0x0         00:00:00:00:00:00     *        eth0\n\
                     10.0.0.4         0x1         0x2         02:00:00:00:00:0c     *        eth0\n";
        let asked = ["10.0.0.2", "10.0.0.3"].map(|address| address.parse().unwrap());
        let macs = neighbour_macs(table, &asked);
        assert_eq!(macs, BTreeMap::from([(asked[0], "02:00:00:00:00:0a".to_owned())]));
    }

    #[test]
    fn softnet_lines_know_their_cpu() {
        let new = "0000000a 00000001 00000002 0 0 0 0 0 0 0 0 0 00000003 0 0\n";
        let softnet = softnet(new, &mut Vec::new());
        assert_eq!(softnet[&3], Softnet { processed: 10, dropped: 1, time_squeeze: 2 });
    }

    #[test]
    fn bad_lines_are_gaps_with_their_numbers() {
        let mut gaps = Vec::new();
        pairs("/proc/net/snmp", "Ip: A B\nIp: 1 x\n", &mut BTreeMap::new(), &mut gaps);
        softnet("zz\n", &mut gaps);
        let details: Vec<&str> = gaps.iter().map(|gap| gap.detail.as_str()).collect();
        assert_eq!(
            details,
            ["/proc/net/snmp:2: IpB is not a number", "/proc/net/softnet_stat:1: not hexadecimal numbers"]
        );
        assert_eq!(tcp_mem_pages("sockets: used 9\nTCP: inuse 5 orphan 0 tw 0 alloc 7 mem 3\n"), Some(3));
    }

    proptest! {
        #[test]
        fn mangled_tables_never_panic(cut in 0..SNMP.len(), noise in "(?s).{0,80}") {
            let mangled: String = SNMP.chars().take(cut).chain(noise.chars()).collect();
            let mut gaps = Vec::new();
            pairs("/p", &mangled, &mut BTreeMap::new(), &mut gaps);
            nstat(&mangled, &mut BTreeMap::new(), &mut gaps);
            softnet(&mangled, &mut gaps);
            tcp_mem_pages(&mangled);
            prop_assert!(gaps.iter().all(|gap| gap.detail.contains(':')));
        }
    }
}
