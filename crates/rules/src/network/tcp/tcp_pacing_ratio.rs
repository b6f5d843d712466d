//! # What it checks
//! `net.ipv4.tcp_pacing_ca_ratio` and `tcp_pacing_ss_ratio` are at least 100 %, where the fq discipline paces.
//!
//! # Why it matters
//! A stream is paced to this share of its window over the round trip. Below 100 % it never sends its window within
//! a round trip, and the window never has a reason to grow.
//!
//! # Evidence
//! Both settings of the sending host, the discipline on the way out.
//!
//! # Remedy
//! Back to the kernel's defaults, 120 and 200.
//!
//! # Source
//! Linux Documentation/networking/ip-sysctl.rst, `tcp_pacing_ca_ratio` and `tcp_pacing_ss_ratio`; tc-fq(8), pacing.

use crate::advice::{AdviceExt, set_sysctl};
use crate::explain;
use crate::facts::side;
use crate::network::each;
use crate::{Facts, FindingExt, Outcome, Rule};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Mechanism, Severity};
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "tcp-pacing-ratio",
    title: "pacing keeps streams below their window",
    layer: Layer::Network,
    severity: Severity::Warning,
    check,
};

/// Setting, least per cent, the kernel's default.
const RATIOS: [(&str, u64, &str); 2] =
    [("net.ipv4.tcp_pacing_ca_ratio", 100, "120"), ("net.ipv4.tcp_pacing_ss_ratio", 100, "200")];

fn check(run: &Facts) -> Vec<Outcome> {
    RATIOS
        .iter()
        .flat_map(|(name, least, default)| {
            each::setting(run, name, |side, numbers| match numbers.first() {
                Some(percent) if percent < least => fires(run, side, (name, *percent, *least, default)),
                _ => Outcome::Passes,
            })
        })
        .collect()
}

fn fires(run: &Run, side: &side::Side, (name, percent, least, default): (&str, u64, u64, &str)) -> Outcome {
    let paced = side.host.nics.iter().filter(|nic| nic.qdiscs.iter().any(|qdisc| qdisc.kind == "fq"));
    let paced: Vec<&str> = paced.map(|nic| nic.name.as_str()).collect();
    let finding = RULE
        .finding(
            side.name(name),
            format!(
                "{} is {percent}: fq paces each stream to {percent} % of its window over the round trip",
                side.name(name)
            ),
        )
        .measured(percent as f64, least as f64, Unit::Count)
        .evidence(
            format!(
                "{name} = {percent}, fq on {}",
                if paced.is_empty() { "no interface".into() } else { paced.join(", ") }
            ),
            side.source("sysctl, tc qdisc show"),
        )
        .advice(
            set_sysctl(
                side.host,
                name,
                default,
                "A stream that is held below its window does not grow.",
                "the rate follows the window again; repeat the measurement",
            )
            .on(side.peer),
        );
    match paced.first() {
        Some(nic) => finding.explains(explain::paths_over(run, side, nic, Mechanism::Pacing)).into(),
        None => finding.severity(Severity::Info).into(),
    }
}
