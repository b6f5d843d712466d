//! # What it checks
//! The MTU of the interface toward a peer and of the peer's own interface are the same.
//!
//! # Why it matters
//! TCP hides the difference, for each end announces its segment size: jumbo frames are simply not used. UDP
//! does not: a block sent in packets that the smaller end does not take is lost.
//!
//! # Evidence
//! MTU of both interfaces, as each end tells it; path MTU.
//!
//! # Remedy
//! One MTU on every interface and switch port of the network: raise the smaller one if all switches allow
//! it, else lower the larger one.
//!
//! # Source
//! RFC 9293 section 3.7.1 (maximum segment size option); NetApp ontap-apps-dbs, Ethernet settings (TCP
//! hides an endpoint mismatch, UDP does not); MOS 1945838.1 (same MTU on all nodes).

use super::ends;
use crate::advice::{AdviceExt, set_mtu};
use crate::{FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Cause, Layer, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "mtu-peer-differs",
    title: "the two ends have different MTUs",
    layer: Layer::Network,
    severity: Severity::Warning,
    text: include_str!("mtu_peer_differs.rs"),
    check,
};

fn check(run: &Run) -> Vec<Outcome> {
    let probed = run.mtu.iter().map(|result| {
        let mtus = [result.interface_mtu_bytes, result.peer_interface_mtu_bytes];
        judge(run, [&result.target, &ends::path_of(run, result)], &result.interface, mtus)
    });
    // Without a path-MTU probe the records of both hosts tell.
    let told = run.net.iter().filter(|result| !result.path.loopback).filter_map(|result| {
        let probed = run.mtu.iter().any(|mtu| ends::path_of(run, mtu) == result.target);
        let first = run
            .net
            .iter()
            .find(|other| other.target == result.target)
            .is_some_and(|other| std::ptr::eq(other, result));
        let (near, far) = (ends::nic_toward(run, result)?, ends::peer_nic(run, result)?);
        let mtus = [near.mtu_bytes, far.mtu_bytes];
        (!probed && first).then(|| judge(run, [&result.target; 2], &near.name, mtus))
    });
    probed.chain(told).collect()
}

fn judge(run: &Run, [target, path]: [&str; 2], nic: &str, mtus: [Option<u64>; 2]) -> Outcome {
    let [Some(near), Some(far)] = mtus else {
        return Outcome::Unknown(format!("the MTU of the interface of {target} is not known"));
    };
    if near == far {
        return Outcome::Passes;
    }
    let (small, large) = (near.min(far), near.max(far));
    let nic = if nic.is_empty() { "the interface" } else { nic };
    RULE.finding(
        format!("MTU toward {target}"),
        format!("{nic} has MTU {near}, the interface of {target} has {far}: UDP packets above {small} bytes do not arrive, jumbo frames are not used"),
    )
    .measured(small as f64, large as f64, Unit::Bytes)
    .evidence(format!("MTU {near}"), format!("/sys/class/net/{nic}/mtu"))
    .evidence(format!("MTU {far}"), format!("interface of {target}"))
    .path(path)
    .limits(Cause::Fault)
    .advice(
        set_mtu(&run.host, nic, far, "Both ends of a network must agree on its largest packet.", "one MTU at both ends; prove the path with `fullwire mtu`")
            .now(format!("or, if every switch port between takes {large} bytes, raise the other end to {large}")),
    )
    .into()
}
