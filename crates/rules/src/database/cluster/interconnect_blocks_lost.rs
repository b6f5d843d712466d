//! # What it checks
//! Passes when no global cache blocks were lost or corrupt in the interval.
//!
//! # Why it matters
//! A lost block is requested again after a timeout of about half a second: one in a thousand is enough to
//! spoil every mean.
//!
//! # Evidence
//! `gc blocks lost` and `gc blocks corrupt` of the instance activity, `Lost` of a global report.
//!
//! # Remedy
//! Find the drops: `fullwire check --only network` (rings, socket buffers, IP reassembly), `fullwire net
//! --mode udp`, `fullwire mtu`; the same MTU on every port and switch.
//!
//! # Source
//! Oracle Support note 563566.1, "Troubleshooting gc block lost and Poor Network Performance in a RAC
//! Environment": any growth is a fault of network or UDP settings.

use crate::advice::{AdviceExt, because};
use crate::database::report::{self, each};
use crate::{Facts, FindingExt, Outcome, Rule};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::demand::AwrReport;
use fullwire_model::quantity::Unit;

pub(super) const RULE: Rule = Rule {
    code: "interconnect-blocks-lost",
    title: "blocks are lost on the interconnect",
    layer: Layer::Database,
    severity: Severity::Warning,
    check,
};

fn check(run: &Facts) -> Vec<Outcome> {
    each(run, |report| vec![judge(report)])
}

fn judge(report: &AwrReport) -> Outcome {
    let Some(rac) = &report.rac_statistics else { return Outcome::Passes };
    if rac.blocks_lost.is_none() && rac.blocks_corrupt.is_none() {
        return Outcome::Unknown(format!("{} does not count lost blocks", report.source));
    }
    let (lost, corrupt) = (rac.blocks_lost.unwrap_or(0.0), rac.blocks_corrupt.unwrap_or(0.0));
    if lost + corrupt <= 0.0 {
        return Outcome::Passes;
    }
    RULE.finding(report::subject(report), format!("{lost:.0} global cache blocks were lost and {corrupt:.0} corrupt in the interval"))
        .measured(lost + corrupt, 0.0, Unit::Count)
        .evidence(format!("gc blocks lost {lost:.0}, gc blocks corrupt {corrupt:.0}"), &report.source)
        .advice(
            because("Each lost block costs a timeout before it is requested again.")
                .now("`fullwire check --only network` on both nodes: rings, socket buffers, reassembly failures")
                .now("`fullwire net PRIVATE-ADDRESS-OF-THE-OTHER-NODE --mode udp --length 8k` between the nodes")
                .persist("the same MTU on every interface and switch port of the private network; larger rings and UDP buffers")
                .expecting("no lost blocks in the next report"),
        )
        .into()
}
