//! Queueing disciplines: removed after they were saved, replaced without losing the queues of a multi-queue card.

use super::{AdviceExt, because, set_sysctl, sh};
use fullwire_model::assessment::{Advice, Phase};
use fullwire_model::host::{Host, Nic, Qdisc};

/// Remove one discipline, having written down what there is.
pub(crate) fn remove_qdisc(nic: &str, qdisc: &Qdisc, why: &str) -> Advice {
    let saved = format!("/root/fullwire-tc-{}.txt", nic.replace('/', "-"));
    let place =
        if is_root(qdisc) { "root".to_owned() } else { format!("parent {}", super::quote(&qdisc.parent)) };
    let advice = because(why)
        .run(
            sh!(
                "tc -d qdisc show dev {} > {} && tc -d class show dev {} >> {} && tc -d filter show dev {} >> {}",
                nic, saved, nic, saved, nic, saved
            ),
            format!("Writes disciplines, classes and filters down in {saved}"),
        )
        .run(format!("{} {place}", sh!("tc qdisc del dev {}", nic)), format!("Removes {} from {nic}", qdisc.kind));
    let bounds = (qdisc.rate_bytes_per_s, qdisc.burst_bytes, qdisc.limit);
    match bounds {
        (Some(rate), Some(burst), Some(limit)) if qdisc.kind == "tbf" => advice.undo_run(
            format!(
                "{} {place} tbf rate {:.0}bit burst {burst}b limit {limit}b",
                sh!("tc qdisc add dev {}", nic),
                rate * 8.0
            ),
            "Sets the shaper up again",
        ),
        _ => advice.undo(format!("Set {} up again by what {saved} says", qdisc.kind)),
    }
}

fn is_root(qdisc: &Qdisc) -> bool {
    matches!(qdisc.parent.as_str(), "" | "root")
}

/// Under the handle that it has, mq would stay as it is.
fn free_handle(nic: &Nic) -> &'static str {
    if nic.qdiscs.iter().any(|qdisc| qdisc.handle == "1:") { "2:" } else { "1:" }
}

/// A fair queue on an interface; below `mq`, where the card has several queues, one for each.
pub(crate) fn fair_queue(host: &Host, nic: &Nic, why: &str) -> Advice {
    const NAME: &str = "net.core.default_qdisc";
    let default = set_sysctl(host, NAME, "fq", why, "");
    let (undo, kept): (Vec<_>, Vec<_>) = default
        .steps
        .into_iter()
        .filter(|step| step.phase != Phase::Now)
        .partition(|step| step.phase == Phase::Undo);
    let mut advice = if nic.qdiscs.iter().any(|qdisc| qdisc.kind == "mq") {
        because(why).run(sh!("sysctl -w {}=fq", NAME), "New disciplines are fair queues").run(
            sh!("tc qdisc replace dev {} root handle {} mq", nic.name, free_handle(nic)),
            "Makes the queues of the card anew",
        )
    } else {
        because(why).run(sh!("tc qdisc replace dev {} root fq", nic.name), "Replaces the queue by a fair one")
    };
    advice.steps.extend(kept);
    advice.steps.extend(undo);
    advice.undo_run(
        sh!("tc qdisc del dev {} root", nic.name),
        format!("Gives {} the default discipline again", nic.name),
    )
}
