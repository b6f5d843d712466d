//! TCP sockets of a captured tree, by what `ss` printed of them (ss(8) of iproute2: `misc/ss.c`, `tcp_show_info`).

use super::netlink::chosen;
use crate::Root;
use fullwire_model::counters::{SocketCounters, SocketTcp};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// As sosreport and supportconfig call it.
const LISTINGS: [&str; 2] = ["/sos_commands/networking/ss_-peaonmi", "/sos_commands/networking/ss_-nap"];

/// The states that are kept, as ss and as fullwire name them.
const STATES: [(&str, &str); 3] =
    [("LISTEN", "listen"), ("ESTAB", "established"), ("CLOSE-WAIT", "close-wait")];

/// The sockets that a captured listing names; `None`: there is no listing.
pub(super) fn captured(root: &Root) -> Option<Vec<SocketCounters>> {
    let text = LISTINGS.iter().find_map(|path| root.try_read(path, crate::MAX_READ_BYTES).ok())?.0;
    Some(chosen(parse(&text)))
}

/// A socket's line, and what follows of it on indented lines.
fn parse(text: &str) -> Vec<SocketCounters> {
    let mut records: Vec<String> = Vec::new();
    for line in text.lines() {
        match records.last_mut() {
            Some(record) if line.starts_with([' ', '\t']) => {
                record.push(' ');
                record.push_str(line);
            }
            _ => records.push(line.to_owned()),
        }
    }
    records.iter().filter_map(|record| socket(record)).collect()
}

/// `tcp ESTAB 0 0 10.0.0.1:1521 10.0.0.9:40412 users:((...)) uid:54321 ino:4711 ... mss:1448 cwnd:10 ...`
fn socket(record: &str) -> Option<SocketCounters> {
    let words: Vec<&str> = record.split_whitespace().collect();
    let [family, state, receive_queue, send_queue, local, remote, rest @ ..] = words.as_slice() else {
        return None;
    };
    let (_, state) = STATES.iter().find(|(name, _)| name == state).filter(|_| *family == "tcp")?;
    let listens = *state == "listen";
    let number = |name: &str| value(rest, name)?.parse::<u64>().ok();
    Some(SocketCounters {
        local: endpoint(local)?,
        remote: if listens { String::new() } else { endpoint(remote)? },
        state: (*state).to_owned(),
        uid: number("uid").and_then(|uid| u32::try_from(uid).ok()).unwrap_or(0),
        inode: number("ino").unwrap_or(0),
        receive_queue: receive_queue.parse().ok()?,
        send_queue: send_queue.parse().ok()?,
        tcp: if listens { None } else { tcp_info(rest) },
    })
}

/// What stands behind `name:`.
fn value<'a>(words: &[&'a str], name: &str) -> Option<&'a str> {
    words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix(':'))
}

/// `10.0.0.1:1521`, `[::ffff:10.0.0.1]:1521`, `:::22`, `*:22`, `[fe80::1]%eth0:22`.
fn endpoint(text: &str) -> Option<String> {
    let (address, port) = text.rsplit_once(':')?;
    let address = address.split('%').next()?.trim_start_matches('[').trim_end_matches(']');
    let address = match address {
        "*" => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        address => address.parse::<IpAddr>().ok()?.to_canonical(),
    };
    Some(SocketAddr::new(address, port.parse().ok()?).to_string())
}

fn tcp_info(words: &[&str]) -> Option<SocketTcp> {
    let number = |name: &str| value(words, name)?.parse::<u64>().ok();
    let first_ms = |name: &str| value(words, name)?.split('/').next()?.parse::<f64>().ok();
    let ns = |name: &str| first_ms(name).map_or(0, |ms| whole(ms * 1e6));
    // `busy:120ms`, `rwnd_limited:20ms(16.7%)`.
    let spent_ns = |name: &str| {
        let ms = value(words, name).and_then(|word| word.split("ms").next()?.parse::<u64>().ok());
        ms.unwrap_or(0).saturating_mul(1_000_000)
    };
    let retransmits = value(words, "retrans").and_then(|word| word.rsplit('/').next()?.parse().ok());
    let delivery = words.iter().position(|word| *word == "delivery_rate").and_then(|at| words.get(at + 1));
    Some(SocketTcp {
        mss_bytes: number("mss")?,
        rtt_ns: ns("rtt"),
        rtt_min_ns: ns("minrtt"),
        cwnd_segments: number("cwnd")?,
        // Left out when 0, like each of those below.
        retransmits: retransmits.unwrap_or(0),
        segments_out: number("segs_out").unwrap_or(0),
        acknowledged_bytes: number("bytes_acked").unwrap_or(0),
        received_bytes: number("bytes_received").unwrap_or(0),
        busy_ns: spent_ns("busy"),
        rwnd_limited_ns: spent_ns("rwnd_limited"),
        sndbuf_limited_ns: spent_ns("sndbuf_limited"),
        delivery_bytes_per_s: delivery.and_then(|word| bits_per_s(word)).map_or(0, |bits| whole(bits / 8.0)),
    })
}

/// `12.3Mbps`, `980bps`: units of 1000.
fn bits_per_s(word: &str) -> Option<f64> {
    let number = word.strip_suffix("bps")?;
    let digits = number.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let power = match &number[digits.len()..] {
        "" => 0,
        unit => 1 + "KMGTP".find(unit)?,
    };
    Some(digits.parse::<f64>().ok()? * 1000_f64.powi(i32::try_from(power).ok()?))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturating, never negative")]
fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As iproute2 6.1 prints it with `-peaonmi`, and in the manner of RHEL 7 without a process.
    const TEXT: &str = "Netid State     Recv-Q Send-Q   Local Address:Port    Peer Address:Port Process\n\
        nl    UNCONN    4352   0                    4:315                 *      sk=0 cb=0\t skmem:(r4352,rb2097152)\n\
        u_str LISTEN    0      128     /run/x.sock 21933                 * 0     <->\n\
        tcp   LISTEN    129    128             0.0.0.0:1521         0.0.0.0:*     users:((\"tnslsnr\",pid=2201,fd=8)) uid:54321 ino:4711 sk:1 cgroup:/ <->\n\
        \t skmem:(r0,rb131072,t0,tb16384,f0,w0,o0,bl0,d0) cubic cwnd:10\n\
        tcp   ESTAB     0      4096      [::ffff:10.0.0.1]:1521  [::ffff:10.0.0.9]:40412 timer:(on,204ms,0) users:((\"oracle\",pid=9,fd=3)) uid:54321 ino:4712 sk:2 <->\n\
        \t skmem:(r0,rb131072,t0,tb87040,f0,w0,o0,bl0,d0) ts sack cubic wscale:7,7 rto:204 rtt:3.25/1.1 mss:1448 cwnd:12 bytes_acked:9000000 bytes_received:77 segs_out:6300 send 42.7Mbps delivery_rate 12.8Mbps busy:1200ms rwnd_limited:600ms(50.0%) retrans:0/41 minrtt:0.5\n\
        tcp   TIME-WAIT 0      0         10.0.0.1:1521        10.0.0.9:40413\n";

    #[test]
    fn listeners_and_connections_of_a_sosreport() {
        let sockets = parse(TEXT);
        let seen: Vec<_> = sockets
            .iter()
            .map(|socket| {
                (
                    &*socket.local, &*socket.remote, &*socket.state, socket.receive_queue, socket.send_queue,
                    socket.inode,
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("0.0.0.0:1521", "", "listen", 129, 128, 4711),
                ("10.0.0.1:1521", "10.0.0.9:40412", "established", 0, 4096, 4712),
            ]
        );
        let expected = SocketTcp {
            mss_bytes: 1448,
            rtt_ns: 3_250_000,
            rtt_min_ns: 500_000,
            cwnd_segments: 12,
            retransmits: 41,
            segments_out: 6300,
            acknowledged_bytes: 9_000_000,
            received_bytes: 77,
            busy_ns: 1_200_000_000,
            rwnd_limited_ns: 600_000_000,
            sndbuf_limited_ns: 0,
            delivery_bytes_per_s: 1_600_000,
        };
        assert_eq!(sockets[1].tcp, Some(expected));
        assert_eq!(sockets[0].tcp, None);
    }

    #[test]
    fn addresses_as_ss_writes_them() {
        for (text, address) in [
            ("*:22", "0.0.0.0:22"),
            (":::5432", "[::]:5432"),
            ("[::1]:631", "[::1]:631"),
            ("10.0.0.1%eth0:68", "10.0.0.1:68"),
        ] {
            assert_eq!(endpoint(text).as_deref(), Some(address));
        }
        assert_eq!(endpoint("0.0.0.0:*"), None);
    }

    proptest! {
        #[test]
        fn mangled_listings_never_panic(cut in 0..TEXT.len(), noise in "(?s).{0,80}") {
            let mangled: String = TEXT.chars().take(cut).chain(noise.chars()).collect();
            prop_assert!(parse(&mangled).iter().all(|socket| !socket.local.is_empty()));
        }
    }
}
