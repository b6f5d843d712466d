//! What the jar prints. Its Mbyte is 1024 x 1024 bytes; nowhere else in fullwire is it.

use super::Client;
use fullwire_model::format::counted;
use fullwire_model::net::{NetMode, Payload, UNTIL_STOPPED_NS};
use jiff::Zoned;
use std::fmt::Write;

const MBYTE: f64 = 1_048_576.0;

/// The block before a test.
pub(crate) fn request(client: &Client) -> String {
    let plan = &client.plan;
    let mode = if plan.mode == NetMode::Async { "ASYNC" } else { "SYNC" };
    let content = match &plan.payload {
        Payload::Random => "RANDOM".to_owned(),
        Payload::Zero => "ZERO".to_owned(),
        Payload::File(path) => path.clone(),
    };
    let length = if plan.random_length {
        format!("512 bytes to {}", bytes(plan.length_bytes))
    } else {
        bytes(plan.length_bytes)
    };
    let delay = match plan.delay_ns {
        0 => "NO".to_owned(),
        ns if plan.random_delay => format!("0 to {}", time(ns)),
        ns => time(ns),
    };
    let rows = [
        ("Message payload", length),
        ("Payload content type", content),
        ("Delay between messages", delay),
        ("Number of connections", plan.streams.to_string()),
        (
            "Socket send buffer",
            if plan.sockbuf_bytes == 0 { "(system default)".into() } else { bytes(plan.sockbuf_bytes) },
        ),
        ("Transport mode", mode.to_owned()),
        ("Disk write", if plan.write { "YES" } else { "NO" }.to_owned()),
        ("Statistics interval", time(plan.interval_ns)),
        (
            "Test duration",
            match plan.duration_ns {
                UNTIL_STOPPED_NS => "NO".to_owned(),
                0 => bytes(plan.duration_bytes),
                ns => time(ns),
            },
        ),
        (
            "Test frequency",
            client.frequency.map_or("NO".into(), |frequency| {
                format!("{} / {}", time(ns(frequency.every)), time(ns(frequency.whole)))
            }),
        ),
        ("Network Timeout", client.timeout_ns().map_or("NO".into(), time)),
    ];
    let mut text = String::from("[Requesting a test]\n");
    for (name, value) in rows {
        // Writing to a String does not fail.
        let _ = writeln!(text, "\t{name:<22} = {value}");
    }
    text.push_str("\t(1 Mbyte = 1024x1024 bytes)\n\n");
    text
}

/// The server has answered.
pub(crate) fn ready(now: &Zoned) -> String {
    format!("({}) The server is ready.\n", clock(now))
}

/// The columns' heading.
pub(crate) fn heading(mode: NetMode) -> String {
    match mode {
        NetMode::Async => format!("{:>34}\n", "Throughput"),
        _ => format!("{:>34}{:>24}\n", "Throughput", "Latency"),
    }
}

/// An interval: bytes per second, and the mean latency in ns where there is one.
pub(crate) fn row(now: &Zoned, bytes_per_s: f64, latency_ns: Option<f64>) -> String {
    let throughput = format!("({}){:>15.3} Mbytes/s", clock(now), bytes_per_s / MBYTE);
    match latency_ns {
        Some(ns) => format!("{throughput}{:>21.3} ms\n", ns / 1e6),
        None => format!("{throughput}\n"),
    }
}

/// The test is over.
pub(crate) fn finished(now: &Zoned) -> String {
    format!("({}) Test finished.\n", clock(now))
}

/// What is below.
pub(crate) struct Summary {
    /// As the kernel has it.
    pub(crate) send_buffer_bytes: Option<u64>,
    pub(crate) bytes_per_s: f64,
    pub(crate) latency_ns: Option<f64>,
}

/// The block after a test.
pub(crate) fn summary(summary: &Summary) -> String {
    let mut text = String::new();
    if let Some(size) = summary.send_buffer_bytes {
        let _ = writeln!(text, "\t{:>25} = {}", "Socket send buffer", bytes(size));
    }
    let _ = writeln!(text, "\t{:>25} = {:.3} Mbytes/s", "Avg. throughput", summary.bytes_per_s / MBYTE);
    if let Some(ns) = summary.latency_ns {
        let _ = writeln!(text, "\t{:>25} = {:.3} ms", "Avg. latency", ns / 1e6);
    }
    text.push('\n');
    text
}

fn clock(now: &Zoned) -> String {
    now.strftime("%H:%M:%S").to_string()
}

/// `1 Mbyte`, `8 kbytes`, `8020 bytes`.
pub(crate) fn bytes(count: u64) -> String {
    let (value, unit) = match count {
        count if count > 0 && count.is_multiple_of(1 << 30) => (count >> 30, "Gbyte"),
        count if count > 0 && count.is_multiple_of(1 << 20) => (count >> 20, "Mbyte"),
        count if count > 0 && count.is_multiple_of(1 << 10) => (count >> 10, "kbyte"),
        count => (count, "byte"),
    };
    counted(value, unit)
}

fn ns(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// `2 seconds`, `1 hour`.
fn time(ns: u64) -> String {
    const SECOND: u64 = 1_000_000_000;
    let (value, unit) = match ns {
        ns if ns > 0 && ns.is_multiple_of(3600 * SECOND) => (ns / (3600 * SECOND), "hour"),
        ns if ns > 0 && ns.is_multiple_of(60 * SECOND) => (ns / (60 * SECOND), "minute"),
        ns if ns.is_multiple_of(SECOND) => (ns / SECOND, "second"),
        ns => (ns / 1_000_000, "millisecond"),
    };
    counted(value, unit)
}

#[cfg(test)]
mod tests {
    use super::super::{Options, parse};
    use super::*;

    /// Read by eye from a published transcript of the jar.
    const TRANSCRIPT: &str = "[Requesting a test]
\tMessage payload        = 1 Mbyte
\tPayload content type   = RANDOM
\tDelay between messages = NO
\tNumber of connections  = 1
\tSocket send buffer     = (system default)
\tTransport mode         = ASYNC
\tDisk write             = NO
\tStatistics interval    = 2 seconds
\tTest duration          = 10 seconds
\tTest frequency         = NO
\tNetwork Timeout        = NO
\t(1 Mbyte = 1024x1024 bytes)

(18:08:20) The server is ready.
                        Throughput
(18:08:22)        151.234 Mbytes/s
(18:08:30) Test finished.
\t       Socket send buffer = 898560 bytes
\t          Avg. throughput = 149.284 Mbytes/s
";

    #[test]
    fn prints_what_the_jar_prints() {
        let words: Vec<String> = "10.0.2.2 -mode=async -duration=10s -interval=2s -port=1521"
            .split(' ')
            .map(str::to_owned)
            .collect();
        let Options::Client(client) = parse(&words).unwrap() else { panic!("a client's line") };
        let at = |time: &str| -> Zoned { format!("2024-05-01T{time}[UTC]").parse().unwrap() };
        let sum =
            Summary { send_buffer_bytes: Some(898_560), bytes_per_s: 149.284 * MBYTE, latency_ns: None };
        let printed = [
            request(&client),
            ready(&at("18:08:20")),
            heading(NetMode::Async),
            row(&at("18:08:22"), 151.234 * MBYTE, None),
            finished(&at("18:08:30")),
            summary(&sum),
        ];
        assert_eq!(printed.concat().trim_end(), TRANSCRIPT.trim_end());
    }

    #[test]
    fn synchronous_rows_stand_as_in_the_published_transcript() {
        let now: Zoned = "2024-05-01T07:24:06[UTC]".parse().unwrap();
        let sum = Summary {
            send_buffer_bytes: Some(8192),
            bytes_per_s: 26.335 * MBYTE,
            latency_ns: Some(291_000.0),
        };
        let printed =
            [heading(NetMode::Sync), row(&now, 21.832 * MBYTE, Some(351_000.0)), summary(&sum)].concat();
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(lines[0], "                        Throughput                 Latency");
        assert_eq!(lines[1], "(07:24:06)         21.832 Mbytes/s                0.351 ms");
        assert_eq!(lines[2].trim(), "Socket send buffer = 8 kbytes");
        assert_eq!(lines[4].trim(), "Avg. latency = 0.291 ms");
    }
}
