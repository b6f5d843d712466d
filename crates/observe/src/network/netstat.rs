//! `netstat -s` as counters: what OSWatcher leaves of a host that it watched. The words are net-tools' own, of all its
//! releases; since 2.10 many counters are there under the kernel's name.

use crate::Root;
use crate::root::{WATCHED_FIRST_PATH, WATCHED_LAST_PATH};
use fullwire_model::counters::Counters;
use fullwire_model::{Window, WindowKind};

/// A phrase of `netstat -s` after its number, and the counter under nstat's name. `retransmited` and `send out` were
/// spelt so until net-tools 2.10.
const PHRASES: &[(&str, &str, &str)] = &[
    ("Ip", "total packets received", "IpInReceives"),
    ("Ip", "requests sent out", "IpOutRequests"),
    ("Ip", "incoming packets discarded", "IpInDiscards"),
    ("Ip", "fragments dropped after timeout", "IpReasmTimeout"),
    ("Ip", "reassemblies required", "IpReasmReqds"),
    ("Ip", "packets reassembled ok", "IpReasmOKs"),
    ("Ip", "packet reassembles failed", "IpReasmFails"),
    ("Ip", "packet reassemblies failed", "IpReasmFails"),
    ("Tcp", "segments received", "TcpInSegs"),
    ("Tcp", "segments send out", "TcpOutSegs"),
    ("Tcp", "segments sent out", "TcpOutSegs"),
    ("Tcp", "segments retransmited", "TcpRetransSegs"),
    ("Tcp", "segments retransmitted", "TcpRetransSegs"),
    ("Tcp", "bad segments received", "TcpInErrs"),
    ("Udp", "packets received", "UdpInDatagrams"),
    ("Udp", "packets sent", "UdpOutDatagrams"),
    ("Udp", "packet receive errors", "UdpInErrors"),
    ("Udp", "receive buffer errors", "UdpRcvbufErrors"),
    ("TcpExt", "packets pruned from receive queue because of socket buffer overrun", "TcpExtPruneCalled"),
    ("TcpExt", "packets pruned from receive queue", "TcpExtRcvPruned"),
    ("TcpExt", "times the listen queue of a socket overflowed", "TcpExtListenOverflows"),
    ("TcpExt", "SYNs to LISTEN sockets dropped", "TcpExtListenDrops"),
    ("TcpExt", "SYNs to LISTEN sockets ignored", "TcpExtListenDrops"),
    ("TcpExt", "other TCP timeouts", "TcpExtTCPTimeouts"),
];

/// Left out when they are zero: where their section stands, what is missing is zero.
const SILENT: &[(&str, &str)] = &[
    ("Ip", "IpReasmFails"),
    ("Ip", "IpReasmReqds"),
    ("TcpExt", "TcpExtPruneCalled"),
    ("TcpExt", "TcpExtRcvPruned"),
    ("TcpExt", "TcpExtListenOverflows"),
    ("TcpExt", "TcpExtListenDrops"),
    ("TcpExt", "TcpExtTCPTimeouts"),
];

/// The span between the first and the last whole sample of an OSWatcher archive's newest hour.
pub(crate) fn watched_window(root: &Root) -> Option<Window> {
    let read = |path| Some(root.try_read(path, crate::MAX_READ_BYTES).ok()?.0);
    let (first, last) = (read(WATCHED_FIRST_PATH)?, read(WATCHED_LAST_PATH)?);
    let (begin_s, end_s) = (time_of_day_s(&first)?, time_of_day_s(&last)?);
    let seconds = (end_s + DAY_S - begin_s) % DAY_S;
    let (from, mut to) = (parse_netstat(&first), parse_netstat(&last));
    if seconds == 0 || from.snmp.is_empty() {
        return None;
    }
    to.monotonic_ns = seconds * 1_000_000_000;
    Some(Window { kind: WindowKind::Idle, from, to, ..Window::default() })
}

const DAY_S: u64 = 86_400;

/// The time in `zzz ***Wed Feb 29 11:00:02 EST 2012`, whatever the language around it; `PM` may follow it.
fn time_of_day_s(sample: &str) -> Option<u64> {
    let words: Vec<&str> = sample.lines().next()?.split_whitespace().collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let mut parts = word.split(':').map(str::parse::<u64>);
        let (Some(Ok(hour)), Some(Ok(minute)), Some(Ok(second)), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return None;
        };
        let hour = match words.get(at + 1).copied() {
            Some("PM") => hour % 12 + 12,
            Some("AM") => hour % 12,
            _ => hour,
        };
        (hour < 24 && minute < 60 && second < 61).then_some(hour * 3600 + minute * 60 + second)
    })
}

/// Reads the protocol counters of one sample.
fn parse_netstat(text: &str) -> Counters {
    let mut counters = Counters::default();
    let mut section = "";
    for line in text.lines() {
        if let Some(name) = line.strip_suffix(':').filter(|name| is_section(name)) {
            section = name;
            zero(&mut counters, name);
        } else if line.starts_with(' ') {
            protocol(&mut counters, section, line.trim());
        } else {
            section = "";
        }
    }
    counters
}

fn is_section(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn zero(counters: &mut Counters, section: &str) {
    for (_, name) in SILENT.iter().filter(|(owner, _)| *owner == section) {
        counters.snmp.insert((*name).to_owned(), 0);
    }
}

/// `45 segments retransmitted`, or `TCPTimeouts: 21`.
fn protocol(counters: &mut Counters, section: &str, line: &str) {
    if let Some((name, number)) = line.split_once(": ") {
        if let (true, Ok(number)) = (is_section(name), number.trim().parse()) {
            counters.snmp.insert(format!("{section}{name}"), number);
        }
        return;
    }
    let Some((number, phrase)) = line.split_once(' ') else { return };
    let known =
        PHRASES.iter().find(|(owner, words, _)| *owner == section && *words == phrase.trim_end_matches('.'));
    if let (Some((_, _, name)), Ok(number)) = (known, number.parse()) {
        counters.snmp.insert((*name).to_owned(), number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cut from `netstat -s` of net-tools 2.10 on Debian 12; the fragments are made up.
    const NEW: &str = "Ip:
    Forwarding: 2
    198604783 total packets received
    12 reassemblies required
    3 packet reassemblies failed
Tcp:
    195269722 segments received
    195146952 segments sent out
    143280 segments retransmitted
Udp:
    3328315 packets received
    3481 receive buffer errors
UdpLite:
TcpExt:
    17 times the listen queue of a socket overflowed
    TCPTimeouts: 21
Active Internet connections (servers and established)
    45 segments retransmitted
";

    #[test]
    fn counters_are_read_by_section() {
        let counters = parse_netstat(NEW);
        let of = |name: &str| counters.snmp.get(name).copied();
        assert_eq!(of("IpReasmReqds"), Some(12));
        assert_eq!(of("IpReasmFails"), Some(3));
        assert_eq!(of("TcpRetransSegs"), Some(143_280));
        assert_eq!(of("TcpOutSegs"), Some(195_146_952));
        assert_eq!(of("UdpRcvbufErrors"), Some(3481));
        assert_eq!(of("TcpExtTCPTimeouts"), Some(21));
        assert_eq!(of("TcpExtListenDrops"), Some(0), "not printed: zero");
        assert_eq!(of("UdpInErrors"), None, "not printed, and not known to be silent");
    }

    #[test]
    fn the_spelling_of_older_releases_is_known() {
        let old = "Ip:\n    40 packet reassembles failed\nTcp:\n    900 segments send out\n    7 segments retransmited\n";
        let counters = parse_netstat(old);
        assert_eq!(counters.snmp["IpReasmFails"], 40);
        assert_eq!((counters.snmp["TcpOutSegs"], counters.snmp["TcpRetransSegs"]), (900, 7));
    }

    #[test]
    fn the_time_of_a_sample_is_read_in_every_style() {
        let times = [
            "zzz ***Wed Feb 29 11:00:02 EST 2012",
            "zzz ***Mo 21. Dez 23:59:59 CET 2020",
            "zzz ***Mon 21 Dec 2020 10:00:01 PM CET Sample interval: 30 seconds",
            "zzz ***",
            "zzz ***x 99:00:00",
        ];
        assert_eq!(times.map(time_of_day_s), [Some(39_602), Some(86_399), Some(79_201), None, None]);
    }
}
