//! # What it checks
//! Fires when packets of the interface's MTU are lost while small ones pass and no ICMP message informs the kernel
//! (path-MTU discovery is broken).
//!
//! # Why it matters
//! Connections open, small messages pass, the first large transfer hangs: redo transport stalls, a backup hangs,
//! blocks of the interconnect are lost. A file system of a filer mounts, an iSCSI login succeeds, and the first
//! large read or write never ends.
//!
//! # Evidence
//! Don't-fragment probes of rising size, confirmed by the peer or by echo; the kernel's own path MTU. Toward the
//! servers of storage that did not answer: echo, and what the segment size of a TCP handshake reveals about the server's
//! own interface.
//!
//! # Remedy
//! Let ICMP type 3 code 4 (IPv6: type 2, Packet Too Big) through every firewall on the path, or give all
//! hops the same MTU; until then lower the MTU of the interface or route to what passes, or set
//! `tcp_mtu_probing=1`.
//!
//! # Source
//! RFC 2923 section 2.1 (black holes); RFC 4821; RFC 8899; Linux Documentation/networking/ip-sysctl.rst,
//! `tcp_mtu_probing`.

use crate::advice::{AdviceExt, because, set_route_mtu, set_sysctl};
use crate::facts::{route, words};
use crate::{Facts, FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Advice, Explanation, Layer, Mechanism, Severity};
use fullwire_model::mtu::MtuResult;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "mtu-black-hole",
    title: "large packets are lost silently on the path (MTU black hole)",
    layer: Layer::Network,
    severity: Severity::Critical,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    run.mtu.iter().map(|result| judge(run, result)).collect()
}

fn judge(run: &Run, result: &MtuResult) -> Outcome {
    if !result.black_hole {
        return match result.path_mtu_bytes {
            Some(_) => Outcome::Passes,
            None => Outcome::Unknown(format!("no probe of the path MTU to {} was answered", result.target)),
        };
    }
    let passes = result.path_mtu_bytes.unwrap_or(1280);
    let interface = result.interface_mtu_bytes.unwrap_or(0);
    let toward = if result.interface.is_empty() { "the interface" } else { &result.interface };
    RULE.finding(
        format!("path to {}", result.target),
        format!(
            "MTU black hole toward {}: packets of {passes} bytes pass, larger ones (up to the {interface} of {toward}) are dropped without an ICMP message",
            result.target
        ),
    )
    .measured(passes as f64, interface as f64, Unit::Bytes)
    .evidence(
        format!("path MTU {passes}, interface {interface}, kernel assumes {}", words::known(result.kernel_path_mtu_bytes)),
        "don't-fragment probes",
    )
    .evidence(where_it_falls(result), "probes by time to live")
    .explains([Explanation::of_path(route::path_of(run, result), Mechanism::MtuFault).active(1.0)])
    .advice(
        because("The sender never learns that its packets are too big and keeps retransmitting them.")
            .and(smaller_packets(run, result, passes))
            .persist("Let ICMP \"fragmentation needed\" (IPv6: \"packet too big\") through the firewalls on the path; give all switches one MTU")
            .expecting(format!("large transfers run; prove it with `fullwire mtu {}`", result.target)),
    )
    .into()
}

/// For this one destination; where the way to it is not known, TCP may find the size by itself.
fn smaller_packets(run: &Run, result: &MtuResult, passes: u64) -> Advice {
    set_route_mtu(&run.host, &result.remote, passes).unwrap_or_else(|| {
        set_sysctl(&run.host, "net.ipv4.tcp_mtu_probing", "1", "", "").now("UDP does not benefit from it")
    })
}

fn where_it_falls(result: &MtuResult) -> String {
    let known = result
        .hops
        .iter()
        .filter(|hop| hop.mtu_bytes.is_some())
        .map(|hop| format!("hop {} {} MTU {}", hop.ttl, hop.address, hop.mtu_bytes.unwrap_or(0)));
    let hops: Vec<String> = known.collect();
    if hops.is_empty() { "no hop reported its MTU".into() } else { hops.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a lab said of an NFS server behind two switches that have MTU 1500 between them, both hosts 9000.
    #[test]
    fn the_hole_toward_a_filer_is_the_bottleneck_of_its_directory() {
        let run: Run = serde_json::from_str(
            r#"{ "host": { "mounts": [{ "target": "/data", "fs_type": "nfs",
                    "nfs": { "server": "10.0.0.2", "address": "10.0.0.2" } }] },
                "mtu": [{ "target": "10.0.0.2", "remote": "10.0.0.2", "interface": "eth0", "interface_mtu_bytes": 9000,
                    "path_mtu_bytes": 1504, "kernel_path_mtu_bytes": 9000, "black_hole": true }],
                "disk": [{ "target": "/data", "mount_point": "/data", "wait_channel": "rpc_wait_bit_killable",
                    "gaps": [{ "subject": "/data", "reason": "timeout", "detail": "an I/O was not done after 15 s" }] }] }"#,
        )
        .expect("a run");
        let paths = crate::assess(&run).paths;
        let named: Vec<[&str; 2]> =
            paths.iter().map(|path| [path.subject.as_str(), path.bottleneck.code.as_str()]).collect();
        assert_eq!(named, [["/data", "mtu-black-hole"]]);
    }
}
