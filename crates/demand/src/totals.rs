//! Totals since boot that tools list as name and number: `ethtool -S`, `netstat -s`, `nstat`, `nfsstat`, `ip -s link`,
//! `ifconfig`.

use crate::page::{self, each};
use fullwire_model::Total;

/// More than any adapter has.
const MOST: usize = 20_000;

/// Every counter of a listing.
pub fn totals(text: &str, source: &str) -> Vec<Total> {
    let mut found: Vec<Total> = of_protocols(text, source);
    let mut section = "";
    // Names in one line, their numbers in the next; and what stands before each name.
    let mut names: Option<(String, Vec<&str>)> = None;
    let mut interface = "";
    // The columns of `netstat -i`, a row for each interface below.
    let mut columns: Vec<&str> = Vec::new();
    let mut softnet = [0.0_f64; 3];
    let mut of_proc = false;
    for line in text.lines() {
        let bare = line.trim();
        if let Some(columns) = softnet_row(bare) {
            softnet.iter_mut().zip(columns).for_each(|(sum, value)| *sum += value);
            continue;
        }
        if let Some((name, counts)) = bare.split_once(':').filter(|_| of_proc) {
            found.extend(proc_row(name, counts).map(|(name, value)| total(source, &name, value)));
            continue;
        }
        if bare.starts_with("Inter-|") {
            of_proc = true;
            continue;
        }
        if bare.starts_with("Iface") && bare.contains("RX-OK") || bare.contains(" Ipkts ") {
            columns = bare.split_whitespace().collect();
            continue;
        }
        if !columns.is_empty() {
            found.extend(interface_row(&columns, bare).map(|(name, value)| total(source, &name, value)));
            continue;
        }
        if let Some((before, names)) = names.take() {
            let numbers: Vec<Option<f64>> = bare.split_whitespace().map(|word| word.parse().ok()).collect();
            for (name, value) in names.iter().zip(numbers) {
                found.extend(value.map(|value| total(source, &format!("{before} {name}"), value)));
            }
            continue;
        }
        if let Some(name) = interface_of(line) {
            interface = name;
        }
        let direction = bare.split([':', ' ']).next().unwrap_or("");
        if ["RX", "TX"].contains(&direction) && bare.contains("packets") | bare.contains("errors") {
            let of = if interface.is_empty() { String::new() } else { format!("{interface}: ") };
            let before = of + &direction.to_lowercase();
            let rest = bare.strip_prefix(direction).unwrap_or(bare);
            match rest.strip_prefix(':').or_else(|| rest.strip_prefix(" errors:")) {
                // `RX: bytes packets errors dropped missed mcast` and `RX errors: length crc frame` of ip, above their numbers.
                Some(rest) if rest.contains("bytes") || rest.contains("fifo") => {
                    names = Some((before, rest.split_whitespace().collect()));
                }
                _ => found.extend(
                    pairs(&bare[direction.len()..])
                        .map(|(name, value)| total(source, &format!("{before} {name}"), value)),
                ),
            }
            continue;
        }
        let is_section = !line.starts_with([' ', '\t']) && bare.ends_with(':') && bare.len() < 20;
        if let (Some(counts), true) = (bare.strip_prefix("rpc "), section.is_empty()) {
            // Linux net/sunrpc/stats.c: `rpc` of a client has calls, repeats, and renewals of its credentials.
            let counts: Vec<f64> = counts.split(' ').map_while(|count| count.parse().ok()).collect();
            if let [calls, again, _] = counts[..] {
                found.push(total(source, "nfs client calls", calls));
                found.push(total(source, "nfs client retrans", again));
            }
        } else if bare.starts_with("calls") && bare.contains("retrans") {
            names = Some(("nfs client".to_owned(), bare.split_whitespace().collect()));
        } else if is_section {
            section = bare;
        } else if let Some((name, value)) = pair(bare) {
            let known = !section.is_empty()
                && bare.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase());
            let name = if known { format!("{section} {name}") } else { name.to_owned() };
            found.push(total(source, &name, value));
        }
        if found.len() >= MOST {
            break;
        }
    }
    if softnet[0] > 0.0 {
        let names = ["softnet processed", "softnet dropped", "softnet squeezed"];
        found.extend(names.into_iter().zip(softnet).map(|(name, value)| total(source, name, value)));
    }
    found
}

/// `/proc/net/snmp` and `/proc/net/netstat`: a line of names, a line of numbers below it, both behind the protocol (Linux
/// net/ipv4/proc.c). Named as nstat(8) names them: `TcpRetransSegs`.
fn of_protocols(text: &str, source: &str) -> Vec<Total> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let tables = lines.windows(2).filter_map(|pair| {
        let (protocol, names) = pair[0].split_once(": ")?;
        let numbers = pair[1].strip_prefix(protocol)?.strip_prefix(": ")?;
        let is_name = |word: &str| word.starts_with(|c: char| c.is_ascii_uppercase());
        let fits = !protocol.contains(' ') && names.split(' ').all(is_name);
        fits.then(|| {
            names.split(' ').zip(numbers.split(' ')).map(move |(name, value)| (protocol, name, value))
        })
    });
    let counted = tables.flatten().filter_map(|(protocol, name, value)| {
        Some(total(source, &format!("{protocol}{name}"), value.parse::<u64>().ok()? as f64))
    });
    counted.take(MOST).collect()
}

/// Frames that were processed and dropped, and rounds that were cut short: a row of `/proc/net/softnet_stat`, a CPU each.
pub(crate) fn softnet_row(line: &str) -> Option<[f64; 3]> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let hex = |word: &&str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    if words.len() < 9 || !words.iter().all(hex) {
        return None;
    }
    let value = |at: usize| u32::from_str_radix(words[at], 16).map(f64::from).ok();
    Some([value(0)?, value(1)?, value(2)?])
}

/// `eth1 1500 88122312 0 912231 ...` under `Iface MTU RX-OK RX-ERR RX-DRP ...`, as ip names them.
fn interface_row<'a>(columns: &'a [&str], row: &'a str) -> impl Iterator<Item = (String, f64)> {
    // BSD, macOS, Solaris and AIX name them shorter; netstat(1) of each.
    const NAMES: [(&str, &str); 14] = [
        ("Ipkts", "rx packets"),
        ("Ierrs", "rx errors"),
        ("Idrop", "rx dropped"),
        ("Opkts", "tx packets"),
        ("Oerrs", "tx errors"),
        ("Coll", "tx collisions"),
        ("RX-OK", "rx packets"),
        ("RX-ERR", "rx errors"),
        ("RX-DRP", "rx dropped"),
        ("RX-OVR", "rx overruns"),
        ("TX-OK", "tx packets"),
        ("TX-ERR", "tx errors"),
        ("TX-DRP", "tx dropped"),
        ("TX-OVR", "tx overruns"),
    ];
    let cells: Vec<&str> = row.split_whitespace().collect();
    let of_bsd = columns.contains(&"Ipkts");
    // A row for each address repeats the counters of the link; a link may have no address, so that its row is counted from the end.
    let whole = cells.len() + 1 >= columns.len()
        && (!of_bsd || row.to_lowercase().contains("link#") || !columns.contains(&"Network"));
    NAMES.into_iter().filter(move |_| whole).filter_map(move |(column, name)| {
        let place = columns.iter().position(|one| *one == column)?;
        let place = if of_bsd { (place + cells.len()).checked_sub(columns.len())? } else { place };
        Some((format!("{}: {name}", cells.first()?), cells.get(place)?.parse().ok()?))
    })
}

/// `eth1: 900 80 7 6 ...` of `/proc/net/dev` (Linux net/core/net-procfs.c), as ip names the counters.
fn proc_row(interface: &str, counts: &str) -> impl Iterator<Item = (String, f64)> {
    const NAMES: &[&str] = &[
        "rx bytes¦rx packets¦rx errors¦rx dropped¦rx overruns¦rx frame¦rx compressed¦rx multicast",
        "tx bytes¦tx packets¦tx errors¦tx dropped¦tx overruns¦tx collisions¦tx carrier¦tx compressed",
    ];
    let counts: Vec<f64> = counts.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let counts = if counts.len() == each(NAMES).count() { counts } else { Vec::new() };
    let interface = interface.trim().to_owned();
    each(NAMES).zip(counts).map(move |(name, value)| (format!("{interface}: {name}"), value))
}

/// `2: eth0: <BROADCAST,...` of ip, `eth0: flags=...` and `eth0      Link encap:` of ifconfig.
fn interface_of(line: &str) -> Option<&str> {
    if let Some((_, rest)) = line.split_once(": ").filter(|(number, _)| number.parse::<u32>().is_ok()) {
        return rest.split([':', '@']).next().filter(|_| rest.contains('<'));
    }
    let is_head = line.contains(": flags=") || line.contains("Link encap:");
    is_head.then(|| line.split([':', ' ']).next()).flatten()
}

/// `errors 0  dropped 12  overruns 0`, `packets:12 errors:0` of ifconfig.
fn pairs(rest: &str) -> impl Iterator<Item = (&str, f64)> {
    let words: Vec<&str> = rest.split([' ', ':']).filter(|word| !word.is_empty()).collect();
    words.windows(2).filter_map(|pair| Some((pair[0], pair[1].parse().ok()?))).collect::<Vec<_>>().into_iter()
}

fn total(source: &str, name: &str, value: f64) -> Total {
    Total { source: source.to_owned(), name: page::name(name).to_owned(), value }
}

/// `rx_dropped: 12`, `rxq0: rx_bytes: 12`, `4087 packets pruned from receive queue`, `TcpRetransSegs  2204  0.0`.
fn pair(bare: &str) -> Option<(&str, f64)> {
    // `rx_no_buffer: 12     # a note`
    let bare = bare.split("  #").next()?.trim_end();
    if let Some((name, value)) = bare.rsplit_once(':')
        && let Ok(value) = value.trim().parse()
    {
        return Some((name.trim(), value));
    }
    // Windows.
    if let Some((name, value)) =
        bare.split_once(" = ").and_then(|(name, value)| Some((name, value.parse().ok()?)))
    {
        return Some((name.trim(), value));
    }
    let (first, rest) = bare.split_once(char::is_whitespace)?;
    if let Ok(value) = first.parse::<u64>() {
        return Some((rest.trim().trim_end_matches('.'), value as f64));
    }
    let value = rest.split_whitespace().next()?.parse::<u64>().ok()?;
    // `pgmajfault 1713` of /proc/vmstat.
    let is_name = first.starts_with(|c: char| c.is_ascii_uppercase()) || !rest.contains(' ');
    is_name.then_some((first, value as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_one_line_and_numbers_in_the_next_are_named_as_nstat_names_them() {
        let text = "Tcp: RtoMin MaxConn RetransSegs\nTcp: 200 -1 812\nTcpExt: ListenOverflows\nTcpExt: 7\nUdp: InErrors\nIcmp: 4\n";
        let of = |name: &str| totals(text, "x").into_iter().find(|one| one.name == name).map(|one| one.value);
        assert_eq!((of("TcpRetransSegs"), of("TcpExtListenOverflows")), (Some(812.0), Some(7.0)));
        assert_eq!((of("TcpMaxConn"), of("UdpInErrors")), (None, None));
    }

    #[test]
    fn every_form_is_a_name_and_a_number() {
        let text = "NIC statistics:\n     rx_packets: 845\n     rxq0: rx_drops_no_frags: 3885606854\nUdp:\n    1704421 packets received\n    \
                    RcvbufErrors: 88213\nClient rpc stats:\ncalls      retrans    authrefrsh\n11482315   48211      11482399\n";
        let totals = totals(text, "x");
        let of = |name: &str| totals.iter().find(|total| total.name == name).map(|total| total.value);
        assert_eq!(of("rx_packets"), Some(845.0));
        assert_eq!(of("rxq0: rx_drops_no_frags"), Some(3_885_606_854.0));
        assert_eq!(of("Udp: packets received"), Some(1_704_421.0));
        assert_eq!(of("Udp: RcvbufErrors"), Some(88_213.0));
        assert_eq!(of("nfs client retrans"), Some(48_211.0));
        let text = "2: eth0: <UP> mtu 1500\n    RX:  bytes packets errors dropped  missed   mcast\n    900 80 7 6 5 4\neth1: flags=4163<UP>  mtu 1500\n        \
                    RX packets 12  bytes 900 (900.0 B)\n        RX errors 3  dropped 2  overruns 1  frame 0\n";
        let found = super::totals(text, "x");
        let of = |name: &str| found.iter().find(|total| total.name == name).map(|total| total.value);
        assert_eq!(
            (of("eth0: rx errors"), of("eth0: rx missed"), of("eth0: rx packets")),
            (Some(7.0), Some(5.0), Some(80.0))
        );
        assert_eq!((of("eth1: rx packets"), of("eth1: rx overruns")), (Some(12.0), Some(1.0)));
        let text = "4: eth7: <UP> mtu 1500\n    RX errors: length    crc   frame    fifo overrun\n                 0  812       0       0       9\n";
        let found = super::totals(text, "x");
        let of = |name: &str| found.iter().find(|total| total.name == name).map(|total| total.value);
        assert_eq!((of("eth7: rx crc"), of("eth7: rx overrun")), (Some(812.0), Some(9.0)));
        let text = "TCP Statistics for IPv4\n\n  Active Opens                        = 812\n  Segments Retransmitted              = 41\n";
        let found = super::totals(text, "x");
        assert_eq!((found[1].name.as_str(), found[1].value), ("Segments Retransmitted", 41.0));
        let cpus = "00000064 0000000a 00000003 00000000 00000000 00000000 00000000 00000000 00000000\n00000001 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n";
        let found: Vec<f64> = super::totals(cpus, "x").iter().map(|total| total.value).collect();
        assert_eq!(found, [101.0, 11.0, 3.0]);
        let text = "Kernel Interface table\nIface      MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg\n\
                    eth1      1500 88122312      0  912231      0 77123122      0      0      0 BMRU\n";
        let found = super::totals(text, "x");
        let of = |name: &str| found.iter().find(|total| total.name == name).map(|total| total.value);
        assert_eq!((of("eth1: rx packets"), of("eth1: rx dropped")), (Some(88_122_312.0), Some(912_231.0)));
        let text = "Name    Mtu Network       Address              Ipkts Ierrs Idrop    Opkts Oerrs  Coll\n\
                    em7    1500 <Link#1>      00:00:5e:00:53:07   812000  8120     7   912000     3     0\n\
                    em7       - 192.0.2.0/24  192.0.2.7           811000     -     -   911000     -     -\n\
                    lo0   16384 <Link#2>                            9120     0     0     9120     0     0\n";
        let found = super::totals(text, "x");
        let of = |name: &str| found.iter().find(|total| total.name == name).map(|total| total.value);
        assert_eq!(
            (of("em7: rx packets"), of("em7: rx errors"), of("em7: tx errors"), of("lo0: rx packets")),
            (Some(812_000.0), Some(8_120.0), Some(3.0), Some(9_120.0))
        );
        assert_eq!(found.iter().filter(|total| total.name == "em7: rx packets").count(), 1);
        let text = "Inter-|   Receive                                                |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n\
                    \x20 eth7: 900 80 7 6 5 4 3 2 1 10 11 12 13 14 15 16\n";
        let found = super::totals(text, "x");
        let of = |name: &str| found.iter().find(|total| total.name == name).map(|total| total.value);
        assert_eq!(
            (of("eth7: rx packets"), of("eth7: rx dropped"), of("eth7: tx errors")),
            (Some(80.0), Some(6.0), Some(11.0))
        );
    }
}
