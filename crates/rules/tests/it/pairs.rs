//! Two faults at the same time: the cases of every pair of rules that explain a figure, on one host whose path has both.
//!
//! The snapshot is the whole matrix: which of the two is the primary cause, where both are causes of one path, and why they
//! cannot meet, where they do not. A line that changes says which pairs a change of the table of mechanisms or of a bound
//! decides in another way.

use super::fixtures::fires;
use super::names;
use super::renamed::with_texts;
use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, PathAssessment, Role};
use fullwire_model::json::{of_tree, tree};
use fullwire_rules::{Facts, Outcome, Rule, assess, rules};
use serde_json::Value;
use std::collections::BTreeMap;

/// A rule with the first of its cases in which it explains a figure, and where its path is on the shared host.
struct Limiting {
    code: &'static str,
    run: Value,
    place: Place,
}

/// A plain disk, which may be a leg of any other device.
const DISK: &str = "disk";

/// What the path of a case stands on. Two faults can only meet on a path that stands on both.
#[derive(Debug, Clone, PartialEq)]
enum Place {
    /// A peer that was not measured.
    NotMeasured,
    /// A connection to the peer.
    Network,
    /// A file system of an NFS server.
    Nfs,
    /// A block device of this kind, if the case names one.
    Device(Option<String>),
}

impl Place {
    fn of(run: &Value) -> Self {
        let has = |results: &str| run[results].as_array().is_some_and(|all| !all.is_empty());
        if !has("disk") {
            return if has("net") { Self::Network } else { Self::NotMeasured };
        }
        let is_nfs = |mount: &Value| mount["fs_type"].as_str().is_some_and(|kind| kind.starts_with("nfs"));
        if run["host"]["mounts"].as_array().into_iter().flatten().any(is_nfs) {
            return Self::Nfs;
        }
        let device = run["disk"][0]["device"].as_str().filter(|name| !name.is_empty());
        let known = run["host"]["disks"].as_array().into_iter().flatten();
        let kind = |name| {
            known
                .clone()
                .find(|disk| disk["name"] == name)
                .map_or(DISK, |disk| disk["kind"].as_str().unwrap_or(DISK))
        };
        Self::Device(device.map(|name| kind(name).to_owned()))
    }

    /// Why no path stands on both, if none does.
    fn apart(&self, other: &Self) -> Option<&'static str> {
        match (self, other) {
            (Self::NotMeasured, _) | (_, Self::NotMeasured) => {
                Some("a path that does not answer has no figure")
            }
            (Self::Network, path) | (path, Self::Network) if *path != Self::Network => {
                Some("no path is a connection and a disk")
            }
            (Self::Nfs, Self::Device(Some(_))) | (Self::Device(Some(_)), Self::Nfs) => {
                Some("an NFS mount stands on no block device")
            }
            (Self::Device(Some(one)), Self::Device(Some(other)))
                if one != other && one != DISK && other != DISK =>
            {
                Some("one device is of one kind")
            }
            _ => None,
        }
    }
}

fn limiting() -> Vec<Limiting> {
    let explains = |rule: &Rule, run: &Run| {
        (rule.check)(&Facts::of(run))
            .iter()
            .any(|outcome| matches!(outcome, Outcome::Fires(finding) if !finding.explains.is_empty()))
    };
    let found = rules().filter_map(|rule| {
        // The plain one is the first: another case of a rule is no reason for another matrix.
        let case = fires(rule).map(|case| &case.run).find(|run| explains(rule, run))?;
        let run = on_the_shared_host(&tree(&*case.with_probe_ids()).unwrap());
        Some(Limiting { code: rule.code, place: Place::of(&run), run })
    });
    found.collect()
}

/// The case with the names that all cases have here: one peer, one target, one interface or disk below them.
fn on_the_shared_host(run: &Value) -> Value {
    let mut others = Vec::new();
    let mut put = |name: &Value, ours: &str| {
        let name = name.as_str().unwrap_or_default();
        if !name.is_empty() && name != ours {
            others.push((name.to_owned(), ours.to_owned()));
        }
    };
    if let Some(result) = run["net"].get(0) {
        let host = |name: &Value| {
            Value::from(name.as_str().unwrap_or_default().split(':').next().unwrap_or_default())
        };
        put(&host(&result["target"]), "10.0.0.2");
        put(&host(&result["path"]["local"]), "10.0.0.1");
        if !result["path"]["interface"].as_str().unwrap_or_default().starts_with("bond") {
            put(&result["path"]["interface"], "eth0");
        }
    }
    if let Some(result) = run["disk"].get(0) {
        put(&result["target"], "/data");
        let ours = match Place::of(run) {
            Place::Device(Some(kind)) if kind == "multipath" => "dm-0",
            Place::Device(Some(kind)) if kind == DISK => "sda",
            _ => "",
        };
        if !ours.is_empty() {
            put(&result["device"], ours);
        }
    }
    with_texts(run, &|text| {
        others.iter().fold(text.to_owned(), |text, (name, ours)| with_name(&text, name, ours))
    })
}

/// The text with a name that stands by itself replaced.
fn with_name(text: &str, name: &str, ours: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let joins = |c: char| c.is_ascii_alphanumeric();
        let alone = !before.ends_with(joins) && !after.starts_with(joins);
        out.push_str(before);
        out.push_str(if alone { ours } else { name });
        rest = after;
    }
    out + rest
}

/// What is less where a fault acts: what was moved and what may be. Everything else is more, or the same.
const LESS: [&str; 14] = [
    "throughput_bytes_per_s",
    "reverse_throughput_bytes_per_s",
    "rate_bytes_per_s",
    "iops",
    "ios",
    "bytes",
    "messages",
    "segments_out",
    "snd_wnd_bytes",
    "cwnd_segments",
    "mss_bytes",
    "mtu_bytes",
    "pmtu_bytes",
    "speed_mbit_per_s",
];

/// Lays one run over another, so that what each says of a fault stands: of two numbers the worse one, and of two names the
/// first. Nothing, zero and empty text say nothing. Entries of a list are matched by what names them.
fn lay(into: &mut Value, over: &Value, key: &str) {
    use Value::{Array, Null, Number, Object, String};
    match (into, over) {
        (_, Null) => {}
        (into @ Null, over) => *into = over.clone(),
        (Object(into), Object(over)) => {
            for (key, value) in over {
                lay(into.entry(key).or_insert(Null), value, key);
            }
        }
        (Array(into), Array(over)) if over.iter().all(Value::is_object) => {
            for value in over {
                let same = |known: &&mut Value| named(known).is_some() && named(known) == named(value);
                match into.iter_mut().find(same) {
                    Some(known) => lay_at_its_rate(known, value, key),
                    None => into.push(value.clone()),
                }
            }
        }
        (Array(into), Array(over)) if into.is_empty() => into.clone_from(over),
        // The device of the path is what stands on the disk.
        (String(into), String(over)) if into.is_empty() || key == "device" && into == "sda" => {
            into.clone_from(over);
        }
        (Number(into), Number(over)) => {
            let (one, two) = (into.as_f64().unwrap_or(0.0), over.as_f64().unwrap_or(0.0));
            let takes = if LESS.contains(&key) { one == 0.0 || (two > 0.0 && two < one) } else { two > one };
            if takes {
                into.clone_from(over);
            }
        }
        _ => {}
    }
}

/// The numbers that the probes of another run get in this one: the same where both measured the same, else one of their own.
fn same_probes(one: &Value, other: &Value) -> BTreeMap<u64, u64> {
    let own = probes(one);
    let given =
        |name: &Option<String>| own.iter().find(|(known, _)| known == name).map(|(_, number)| *number);
    probes(other).into_iter().map(|(name, number)| (number, given(&name).unwrap_or(number + 100))).collect()
}

/// What each probe measured, and its number.
fn probes(run: &Value) -> Vec<(Option<String>, u64)> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let steps = list(&run["disk"]).into_iter().flat_map(|result| list(&result["steps"]));
    let all = list(&run["net"]).into_iter().chain(steps);
    all.filter_map(|result| Some((named(&result), result["probe"].as_u64()?))).collect()
}

fn number(value: &mut Value, numbers: &BTreeMap<u64, u64>) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(|one| number(one, numbers)),
        Value::Object(fields) => {
            for (key, one) in fields {
                match one.as_u64().and_then(|known| numbers.get(&known)).filter(|_| key == "probe") {
                    Some(given) => *one = Value::from(*given),
                    None => number(one, numbers),
                }
            }
        }
        _ => {}
    }
}

/// What names an entry: a thing its name alone, a measurement all that it asked, a window its probe.
fn named(value: &Value) -> Option<String> {
    if let Some(name) = value["name"].as_str().filter(|name| !name.is_empty()) {
        return Some(name.to_owned());
    }
    let probe = value.get("from").and_then(|_| value.get("probe"));
    let more = value.get("streams").or(probe).map(Value::to_string).unwrap_or_default();
    names(value).map(|found| found + &more)
}

/// Two results of one measurement: the faster one would have resent less in the time of the slower one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count")]
fn lay_at_its_rate(known: &mut Value, value: &Value, key: &str) {
    let rate = |result: &Value| result["throughput_bytes_per_s"].as_f64().filter(|rate| *rate > 0.0);
    let mut value = value.clone();
    if let Some((own, other)) = rate(known).zip(rate(&value)) {
        let (slower, faster) = if own < other { (own, &mut value) } else { (other, &mut *known) };
        let share = slower / own.max(other);
        for count in ["/tcp/retransmits", "/tcp/ecn_marked"] {
            if let Some(number) = faster.pointer_mut(count) {
                *number = Value::from((number.as_f64().unwrap_or(0.0) * share).ceil() as u64);
            }
        }
    }
    lay(known, &value, key);
}

/// What one pair comes to.
enum Meeting {
    /// No path can have both.
    Apart(&'static str),
    /// Both are named, and so is what comes of it: `before`, `after`, ...
    Named(String),
    /// With the other fault, or at the lower figure, this one does not show.
    Silent(String),
}

fn meeting(one: &Limiting, other: &Limiting) -> Meeting {
    if let Some(why) = one.place.apart(&other.place) {
        return Meeting::Apart(why);
    }
    let (mut run, mut over) = (one.run.clone(), other.run.clone());
    number(&mut over, &same_probes(&one.run, &other.run));
    lay(&mut run, &over, "");
    let assessment = assess(&of_tree(&run).unwrap());
    let says = |code: &str| assessment.findings.iter().any(|finding| finding.code == code);
    match (says(one.code), says(other.code)) {
        (true, true) => Meeting::Named(order(&assessment, one.code, other.code)),
        (true, false) => Meeting::Silent("alone with".to_owned()),
        (false, true) => Meeting::Silent("silent with".to_owned()),
        (false, false) => Meeting::Silent("both silent with".to_owned()),
    }
}

/// Which of two named faults comes first on their path.
fn order(assessment: &Assessment, one: &str, other: &str) -> String {
    let has = |path: &PathAssessment, code: &str| path.causes.iter().any(|cause| cause.code == code);
    let both = assessment.paths.iter().find(|path| has(path, one) && has(path, other));
    let primary = both.and_then(|path| path.causes.iter().find(|cause| cause.role == Role::Primary));
    match primary.map(|cause| &*cause.code) {
        Some(code) if code == one => "before".to_owned(),
        Some(code) if code == other => "after".to_owned(),
        Some(code) => format!("both after {code}, with"),
        None if assessment.paths.iter().any(|path| has(path, one)) => "explains without".to_owned(),
        None if assessment.paths.iter().any(|path| has(path, other)) => "stands beside".to_owned(),
        None => "explains no more than".to_owned(),
    }
}

#[test]
fn every_pair_of_faults_has_one_primary_cause() {
    let all = limiting();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut lines = Vec::new();
    for (place, one) in all.iter().enumerate() {
        let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for other in &all[place + 1..] {
            let (kind, said) = match meeting(one, other) {
                Meeting::Apart(why) => (why, None),
                Meeting::Named(order) => ("named, both of them", Some(order)),
                Meeting::Silent(who) => ("named, one of them or none", Some(who)),
            };
            *counts.entry(kind).or_default() += 1;
            if let Some(said) = said {
                found.entry(said).or_default().push(other.code);
            }
        }
        let said = found.iter().map(|(said, codes)| format!("\n  {said}: {}", codes.join(" ")));
        lines.push(format!("{}{}", one.code, said.collect::<String>()));
    }
    let counts: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    insta::assert_snapshot!("pairs", format!("{}\n\n{}", counts.join("\n"), lines.join("\n")));
}
