//! # What it checks
//! The path MTU is the MTU of both interfaces; it is smaller where a hop between them (tunnel, VPN, switch
//! port) takes less.
//!
//! # Why it matters
//! Each connection learns the smaller size by ICMP first, and only as long as ICMP passes; database blocks
//! over UDP are cut into more fragments.
//!
//! # Evidence
//! Don't-fragment probes, hops that answered, MTU of both interfaces; frames of an 8 KiB block at both
//! sizes.
//!
//! # Remedy
//! Raise the MTU of the hop, or set the interfaces (or the route) to what the path takes.
//!
//! # Source
//! RFC 1191, RFC 8201 (path-MTU discovery); RFC 8900 (fragmentation considered fragile).

use super::ends;
use crate::advice::{AdviceExt, because};
use crate::ceiling::network::frame::Stack;
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::mtu::MtuResult;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "mtu-path-smaller",
    title: "a hop of the path takes less than both ends send",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("mtu_path_smaller.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    run.mtu.iter().map(|result| judge(run, result)).collect()
}

fn judge(run: &Run, result: &MtuResult) -> Outcome {
    let Some(path) = result.path_mtu_bytes else {
        return Outcome::Unknown(format!("no probe of the path MTU to {} was answered", result.target));
    };
    let near = result.interface_mtu_bytes.unwrap_or(path);
    let far = result.peer_interface_mtu_bytes.unwrap_or(near);
    let ends_take = near.min(far);
    // A black hole and ends that differ are said by rules of their own.
    if path >= ends_take || result.black_hole || near != far {
        return Outcome::Passes;
    }
    let frames = |mtu_bytes| {
        Stack {
            mtu_bytes,
            udp: true,
            ipv6: ends::ip(&result.remote).is_some_and(|address| address.is_ipv6()),
            ..Stack::default()
        }
        .frames_per_block(8192)
    };
    let (now, could) = (frames(path), frames(ends_take));
    let hop = result.hops.iter().find(|hop| hop.mtu_bytes.is_some_and(|mtu| mtu <= path));
    let at = hop.map_or("a hop between them".to_owned(), |hop| format!("hop {} ({})", hop.ttl, hop.address));
    let finding = RULE
        .finding(
            format!("path to {}", result.target),
            format!("the path MTU to {} is {path}, both interfaces have {ends_take}: {at} takes less ({now} frames for an 8 KiB block, not {could})", result.target),
        )
        .measured(path as f64, ends_take as f64, Unit::Bytes)
        .evidence(format!("path MTU {path}, interfaces {near} and {far}, kernel {:?}", result.kernel_path_mtu_bytes), "don't-fragment probes")
        .path(ends::path_of(run, result))
        .advice(
            because("What the ends send does not fit the path; each connection has to find that out.")
                .now(format!("ip route change {} dev {} mtu {path}    # until the hop is raised", result.remote, result.interface))
                .persist(format!("raise the MTU of {at} to {ends_take}, or set both interfaces to {path}"))
                .expecting(format!("path MTU {ends_take}; prove it with `fullwire mtu {}`", result.target)),
        );
    if now > could { finding.limits(Cause::Setting).into() } else { finding.into() }
}
