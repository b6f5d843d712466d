//! Results that a tool tells in one line: words, and figures between them. Each becomes a row `sockperf: us=23.512`, as those of
//! listings.

/// A tool, and its line: a word as it is, `{name}` a figure, `<name>` a word, what is behind the brackets as it is, `~` at the end
/// anything behind it, `*` any words. Sources: sockperf(3), qperf(1), pt-query-digest(1), nuttcp(8), `HammerDB`'s documentation,
/// Vdbench Users Guide, swingbench's results, Veeam Backup & Replication User Guide (Detecting performance bottlenecks),
/// lldpcli(8), systemd-analyze(1).
const RESULTS: &[(&str, &str)] = &[
    ("sockperf", "* Summary: Latency is {us} usec"),
    ("sockperf", "* Summary: BandWidth is {mbyte} MBps *"),
    ("qperf", "latency = {us} us"),
    ("qperf", "latency = {ms} ms"),
    ("qperf", "bw = {gbyte} GB/sec"),
    ("qperf", "bw = {mbyte} MB/sec"),
    ("qperf", "bw = {gbit} Gb/sec"),
    ("pt-query-digest", "* 0x~ {s} {share} {calls} {each} *"),
    ("nuttcp", "{mb} MB / {s} sec = {mbit} Mbps {tx} %TX {rx} %RX {retrans} retrans *"),
    ("nuttcp", "{mb} MB / {s} sec = {mbit} Mbps {tx} %TX {rx} %RX {lost} / {sent} drop/pkt {loss} %loss *"),
    ("HammerDB", "* achieved {nopm} NOPM from {tpm} *"),
    ("vdbench", "* avg~ {iops} {mb} {bytes} {read} {ms} {read_ms} {write_ms} *"),
    ("swingbench", "Average Response Time : {ms} *"),
    ("swingbench", "Average TPS : {tps} *"),
    ("swingbench", "Average Transactions Per Second : {tps} *"),
    ("veeam", "* Source {source} > Proxy {proxy} > Network {network} > Target {target} *"),
    ("lldp", "MFS: {mfs}"),
    ("systemd-analyze blame", "{min}min {s}s <unit>"),
    ("systemd-analyze blame", "{s}s <unit>.service"),
    ("systemd-analyze blame", "{s}s <unit>.device"),
];

/// Names of the tools.
pub(super) fn tools() -> impl Iterator<Item = &'static str> {
    RESULTS.iter().map(|(tool, _)| *tool)
}

/// The row of a line that is a result.
pub(super) fn row(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    RESULTS.iter().find_map(|(tool, form)| {
        let form: Vec<&str> = form.split(' ').collect();
        let mut figures = Vec::new();
        fits(&form, &words, &mut figures).then(|| format!("{tool}: {}", figures.join("; ")))
    })
}

fn fits(form: &[&str], words: &[&str], figures: &mut Vec<String>) -> bool {
    let Some((first, form)) = form.split_first() else { return words.is_empty() };
    if *first == "*" {
        return (0..=words.len()).any(|at| {
            let before = figures.len();
            fits(form, &words[at..], figures) || {
                figures.truncate(before);
                false
            }
        });
    }
    let Some((word, words)) = words.split_first() else { return false };
    if let Some((name, unit)) = first.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        let word = word.strip_suffix(unit).unwrap_or_default();
        let Ok(value) = word.trim_end_matches([',', ';', '%']).replace(',', "").parse::<f64>() else {
            return false;
        };
        figures.push(format!("{name}={value}"));
    } else if let Some((name, unit)) = first.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        if !word.ends_with(unit) {
            return false;
        }
        figures.push(format!("{name}={}", word.replace(';', ",")));
    } else if !first.strip_suffix('~').map_or(word == first, |start| word.starts_with(start)) {
        return false;
    }
    fits(form, words, figures)
}

#[cfg(test)]
mod tests {
    use super::row;

    #[test]
    fn a_line_is_a_row_of_figures() {
        for (line, told) in [
            ("sockperf: Summary: Latency is 23.512 usec", "sockperf: us=23.512"),
            (" latency  =  23.1 us", "qperf: us=23.1"),
            (
                " 1112.5000 MB /  10.00 sec =  933.2 Mbps 4 %TX 12 %RX 4124 retrans 0.31 msRTT",
                "nuttcp: mb=1112.5; s=10; mbit=933.2; tx=4; rx=12; retrans=4124",
            ),
            (
                "Vuser 1:TEST RESULT : System achieved 41231 NOPM from 95112 Oracle TPM",
                "HammerDB: nopm=41231; tpm=95112",
            ),
            (
                "10:00:02.060     avg_2-2   80124.00   312.98    4096  70.00    0.399    0.418    0.358  12.91",
                "vdbench: iops=80124; mb=312.98; bytes=4096; read=70; ms=0.399; read_ms=0.418; write_ms=0.358",
            ),
            (
                "3/12/2023 10:12:21 PM :: Busy: Source 12% > Proxy 8% > Network 31% > Target 92%",
                "veeam: source=12; proxy=8; network=31; target=92",
            ),
            ("1min 30.114s dev-sdq1.device", "systemd-analyze blame: min=1; s=30.114; unit=dev-sdq1.device"),
        ] {
            assert_eq!(row(line).as_deref(), Some(told));
        }
        for other in
            ["took 12.5s in all", "latency is 23 us", "the average of TPS : 7 x 8 *", "latency = high us", ""]
        {
            assert_eq!(row(other), None, "{other}");
        }
    }
}
