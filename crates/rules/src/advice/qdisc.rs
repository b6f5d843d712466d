//! Queueing disciplines: removed after they were saved, replaced without losing the queues of a multi-queue card.

use super::{AdviceExt, because, set_sysctl, sh};
use fullwire_model::assessment::{Advice, Phase, ShellCommand, Step, StepKind};
use fullwire_model::host::{Host, Nic, Qdisc};

/// Take away what sets the rate: the discipline, or the limit of the class.
pub(crate) fn lift_shaper(host: Option<&Host>, nic: &str, qdisc: &Qdisc, why: &str) -> Advice {
    let mut advice = match (is_class(qdisc), qdisc.rate_bytes_per_s) {
        (true, Some(ceil)) => lift_class(host, nic, qdisc, ceil, why),
        _ => remove_qdisc(nic, qdisc, why),
    };
    let changes = |step: &&mut Step| step.phase == Phase::Now && step.kind == StepKind::Set;
    for step in advice.steps.iter_mut().filter(changes) {
        step.needs.push(MEANT.to_owned());
    }
    advice
}

/// Beyond a contract's rate the provider drops what a shaper would have delayed.
const MEANT: &str = "whoever set this limit agrees: it is no rate of a contract with a provider and protects no other traffic";

/// A class of htb may borrow what its siblings leave: its ceil becomes its parent's, or the speed of the interface.
fn lift_class(host: Option<&Host>, nic: &str, class: &Qdisc, ceil: f64, why: &str) -> Advice {
    let interface = host.and_then(|host| host.nic(nic));
    let parent = interface
        .into_iter()
        .flat_map(|nic| &nic.qdiscs)
        .find(|one| is_class(one) && one.handle == class.parent)
        .and_then(|parent| parent.rate_bytes_per_s);
    let line = || Some(interface?.speed_mbit_per_s.filter(|speed| *speed > 0)? as f64 * 125e3);
    let wanted = parent.filter(|rate| *rate > ceil).or_else(line).filter(|rate| *rate > ceil);
    let advice = having_saved(nic, why);
    let (Some(wanted), "htb") = (wanted, class.kind.as_str()) else {
        let text = format!(
            "Raise the limit of class {} of {} on {nic}; its rates are in {}",
            class.handle,
            class.kind,
            saved(nic)
        );
        return advice.now(text).undo(format!("Restore the class from {}", saved(nic)));
    };
    let guaranteed = class.guaranteed_bytes_per_s.unwrap_or(ceil);
    // What is not named is set to tc's default.
    let named = |word: &'static str, bytes: Option<u64>| {
        bytes.map_or(ShellCommand::empty(), |bytes| sh!(" {} {}b", word, bytes))
    };
    let burst = named("burst", class.guaranteed_burst_bytes);
    let change = |ceil: f64, ceil_burst: Option<u64>| {
        sh!(
            "tc class change dev {} parent {} classid {} htb rate {}{} ceil {}{}",
            nic,
            class.parent,
            class.handle,
            bits(guaranteed),
            burst,
            bits(ceil),
            named("cburst", ceil_burst)
        )
    };
    advice
        .run(
            change(wanted, None),
            format!("Lets class {} borrow up to {:.0} Mbit/s", class.handle, wanted * 8e-6),
        )
        .undo_run(
            change(ceil, class.burst_bytes),
            format!("Limits class {} to {:.0} Mbit/s again", class.handle, ceil * 8e-6),
        )
}

/// Where the disciplines of an interface are written down before one is changed.
fn saved(nic: &str) -> String {
    format!("/root/fullwire-tc-{}.txt", nic.replace('/', "-"))
}

/// A remedy whose first step writes them down.
fn having_saved(nic: &str, why: &str) -> Advice {
    let saved = saved(nic);
    let command = sh!(
        "tc -d qdisc show dev {} > {} && tc -d class show dev {} >> {} && tc -d filter show dev {} >> {}",
        nic,
        saved,
        nic,
        saved,
        nic,
        saved
    );
    because(why)
        .run(command, format!("Saves qdiscs, classes and filters to {saved}"))
        .kind(StepKind::Save, "")
        .writes(saved)
}

/// A class has a minor number (`1:20`), a discipline has none (`1:`).
fn is_class(qdisc: &Qdisc) -> bool {
    matches!(qdisc.kind.as_str(), "htb" | "hfsc")
        && qdisc.handle.split_once(':').is_some_and(|(_, minor)| !minor.is_empty())
}

/// Remove one discipline, having written down what there is.
pub(crate) fn remove_qdisc(nic: &str, qdisc: &Qdisc, why: &str) -> Advice {
    let saved = saved(nic);
    let place = place(qdisc);
    let advice = having_saved(nic, why)
        .run(sh!("tc qdisc del dev {} {}", nic, place), format!("Removes {} from {nic}", qdisc.kind));
    let bounds = (qdisc.rate_bytes_per_s, qdisc.burst_bytes, qdisc.limit);
    match bounds {
        (Some(rate), Some(burst), Some(limit)) if qdisc.kind == "tbf" => advice.undo_run(
            sh!(
                "tc qdisc replace dev {} {} tbf rate {} burst {}b limit {}b",
                nic,
                place,
                bits(rate),
                burst,
                limit
            ),
            "Sets the shaper up again",
        ),
        _ => advice.undo(format!("Restore {} from {saved}", qdisc.kind)),
    }
}

/// A rate as tc takes it.
fn bits(bytes_per_s: f64) -> String {
    format!("{:.0}bit", bytes_per_s * 8.0)
}

fn place(qdisc: &Qdisc) -> ShellCommand {
    if is_root(qdisc) { "root".into() } else { sh!("parent {}", qdisc.parent) }
}

fn is_root(qdisc: &Qdisc) -> bool {
    matches!(qdisc.parent.as_str(), "" | "root")
}

/// A fair queue in place of one queue below the classes of another discipline.
pub(crate) fn replace_leaf(nic: &str, leaf: &Qdisc, why: &str) -> Advice {
    let place = sh!("dev {} parent {}", nic, &leaf.parent);
    let limit = limited(leaf);
    having_saved(nic, why)
        .run(sh!("tc qdisc replace {} fq_codel", place), format!("Replaces the {} below {}", leaf.kind, leaf.parent))
        .persist("Change it where the classes are set up: grep -rE 'tc (qdisc|class)' /etc, systemd units, NetworkManager's dispatcher.d")
        .undo_run(sh!("tc qdisc replace {}{} {}{}", place, numbered(leaf), leaf.kind, limit), "Restores the queue")
}

fn limited(qdisc: &Qdisc) -> ShellCommand {
    qdisc.limit.map_or(ShellCommand::empty(), |limit| sh!(" limit {}", limit))
}

/// The number that someone gave a qdisc; the kernel's own begin at 8001.
fn numbered(qdisc: &Qdisc) -> ShellCommand {
    let major = qdisc.handle.split(':').next().and_then(|major| u32::from_str_radix(major, 16).ok());
    match major {
        Some(1..0x8000) => sh!(" handle {}", &qdisc.handle),
        _ => ShellCommand::empty(),
    }
}

/// A shaper that drops below its rate keeps its rate and gets room for a tenth of a second of it.
pub(crate) fn lengthen_bucket(nic: &str, bucket: &Qdisc, why: &str) -> Option<Advice> {
    let (rate, burst, limit) = (bucket.rate_bytes_per_s?, bucket.burst_bytes?, bucket.limit?);
    let place = place(bucket);
    let set = |bytes: f64| {
        sh!(
            "tc qdisc change dev {} {} tbf rate {} burst {}b limit {}",
            nic,
            place,
            bits(rate),
            burst,
            format!("{bytes:.0}b")
        )
    };
    let advice = because(why)
        .run(set((rate * 0.1).max(10.0 * limit as f64)), "Gives the shaper a longer queue; its rate stays as it is")
        .persist("Change it where the shaper is set up: grep -rE 'tc (qdisc|class)' /etc, systemd units, NetworkManager's dispatcher.d")
        .undo_run(set(limit as f64), "Sets the queue back to its old length");
    Some(advice)
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
    let root = nic.qdiscs.iter().find(|qdisc| is_root(qdisc));
    // What the kernel made by itself has the handle 0.
    let set_up = root.filter(|qdisc| !matches!(qdisc.handle.as_str(), "" | "0:") && qdisc.kind != "mq");
    let mut advice = if nic.qdiscs.iter().any(|qdisc| qdisc.kind == "mq") {
        because(why).run(sh!("sysctl -w {}=fq", NAME), "New qdiscs are fair queues").run(
            sh!("tc qdisc replace dev {} root handle {} mq", nic.name, free_handle(nic)),
            "Recreates the card's queues",
        )
    } else {
        let advice = match set_up {
            Some(_) => having_saved(&nic.name, why),
            None => because(why),
        };
        advice.run(sh!("tc qdisc replace dev {} root fq", nic.name), "Replaces the queue by a fair one")
    };
    advice.steps.extend(kept);
    advice.steps.extend(undo);
    match set_up {
        None => advice.undo_run(
            sh!("tc qdisc del dev {} root", nic.name),
            format!("Restores the default qdisc of {}", nic.name),
        ),
        Some(queue) if PLAIN.contains(&queue.kind.as_str()) => advice.undo_run(
            sh!("tc qdisc replace dev {} root{} {}{}", nic.name, numbered(queue), queue.kind, limited(queue)),
            "Restores the queue",
        ),
        Some(queue) => advice.undo(format!("Restore {} from {}", queue.kind, saved(&nic.name))),
    }
}

/// Queues that their limit describes wholly.
const PLAIN: [&str; 2] = ["pfifo", "bfifo"];

#[cfg(test)]
mod tests {
    use super::*;

    fn undone(qdisc: Qdisc) -> Vec<String> {
        let nic = Nic { name: "eth0".into(), qdiscs: vec![qdisc], ..Nic::default() };
        let advice = fair_queue(&Host::default(), &nic, "");
        advice.phase(Phase::Undo).map(|step| step.run.as_deref().unwrap_or(&step.text).to_owned()).collect()
    }

    fn root(kind: &str, handle: &str) -> Qdisc {
        Qdisc { kind: kind.into(), parent: "root".into(), handle: handle.into(), ..Qdisc::default() }
    }

    #[test]
    fn the_queue_that_somebody_set_up_comes_back() {
        let last = |qdisc| undone(qdisc).pop().unwrap();
        assert_eq!(last(root("pfifo_fast", "0:")), "tc qdisc del dev eth0 root");
        let short = Qdisc { limit: Some(20), ..root("pfifo", "8001:") };
        assert_eq!(last(short.clone()), "tc qdisc replace dev eth0 root pfifo limit 20");
        let own = Qdisc { handle: "3:".into(), ..short };
        assert_eq!(last(own), "tc qdisc replace dev eth0 root handle 3: pfifo limit 20");
        // What a fair queue was told (maxrate, flow_limit, …) is not all read.
        assert!(last(root("fq", "8003:")).starts_with("Restore fq from "));
    }

    #[test]
    fn a_class_gets_both_of_its_bursts_back() {
        let class = Qdisc {
            kind: "htb".into(),
            parent: "1:1".into(),
            handle: "1:20".into(),
            rate_bytes_per_s: Some(3.75e6),
            guaranteed_bytes_per_s: Some(3.75e6),
            burst_bytes: Some(65_535),
            guaranteed_burst_bytes: Some(15_000),
            ..Qdisc::default()
        };
        let host = Host {
            nics: vec![Nic {
                name: "eth0".into(),
                speed_mbit_per_s: Some(1000),
                qdiscs: vec![class.clone()],
                ..Nic::default()
            }],
            ..Host::default()
        };
        let advice = lift_shaper(Some(&host), "eth0", &class, "");
        let undo: Vec<_> = advice.phase(Phase::Undo).filter_map(|step| step.run.as_deref()).collect();
        assert_eq!(
            undo,
            [
                "tc class change dev eth0 parent 1:1 classid 1:20 htb rate 30000000bit burst 15000b ceil 30000000bit cburst 65535b"
            ]
        );
    }
}
