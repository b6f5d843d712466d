//! The section of `docs/accuracy.md`.

use super::{JudgedCase, Said};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const PAGE: &str = "docs/accuracy.md";
const HEADING: &str = "### DBSherlock\n";

/// Puts the section in place of the old one.
pub(super) fn put(section: &str) -> Result<()> {
    let page = std::fs::read_to_string(PAGE).with_context(|| format!("read {PAGE}"))?;
    let begin = page.find(HEADING).with_context(|| format!("{PAGE} has no heading DBSherlock"))?;
    let after = &page[begin + HEADING.len()..];
    let end = after.find("\n### ").map_or(page.len(), |end| begin + HEADING.len() + end + 1);
    let separator = if end < page.len() { "\n" } else { "" };
    let new = format!("{}{section}{separator}{}", &page[..begin], &page[end..]);
    std::fs::write(PAGE, new).with_context(|| format!("write {PAGE}"))
}

/// What was named of each cause, and what was said of normal time.
pub(super) fn section(judged: &[JudgedCase]) -> String {
    let mut text = format!(
        "{HEADING}
The public set of slow MySQL periods (Yoon et al., SIGMOD 2016; `dongyoungy/dbsherlock-reproducibility`): {} runs, each with one
or more causes made on purpose, 94 figures a second. `cargo xtask accuracy dbsherlock FOLDER` writes the figures of the system (CPU, run
queue, swapping, requests, sectors and utilisation of the disk, bytes of the network) as sar reports, imports them and wrote this. The set
has no time of a request, no retransmissions and no speed of the network, so `device-wait-long`, `tcp-retransmissions` and
`nic-saturated` have nothing to judge by.

| cause | runs with a span in the abnormal time | codes |
|---|---:|---|
",
        judged.len()
    );
    for (cause, runs) in by_cause(judged) {
        let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
        for run in &runs {
            let mut named: Vec<&str> = run
                .said
                .iter()
                .filter(|said| run.touches_abnormal(said))
                .map(|said| said.code.as_str())
                .collect();
            named.sort_unstable();
            named.dedup();
            for code in named {
                *codes.entry(code).or_default() += 1;
            }
        }
        let hit = runs.iter().filter(|run| run.said.iter().any(|said| run.touches_abnormal(said))).count();
        let codes: Vec<String> = codes.into_iter().map(|(code, count)| format!("`{code}` {count}")).collect();
        let _ = writeln!(text, "| {cause} | {hit} of {} | {} |", runs.len(), codes.join(", "));
    }
    text + &normal(judged)
}

/// The causes in the order of the set, each with its runs.
fn by_cause(judged: &[JudgedCase]) -> Vec<(&str, Vec<&JudgedCase>)> {
    let mut all: Vec<(&str, Vec<&JudgedCase>)> = Vec::new();
    for one in judged {
        match all.iter_mut().find(|(cause, _)| *cause == one.case.cause) {
            Some((_, runs)) => runs.push(one),
            None => all.push((&one.case.cause, vec![one])),
        }
    }
    all
}

/// Spans in time that is labelled normal, each with what the set's own figures are in it.
fn normal(judged: &[JudgedCase]) -> String {
    let seconds: usize = judged.iter().map(|one| one.case.seconds - one.case.abnormal.len()).sum();
    let spans: Vec<(&JudgedCase, &Said)> =
        judged.iter().flat_map(|one| one.in_normal_time().map(move |said| (one, said))).collect();
    let mut text = format!("\nIn {seconds} s that are labelled normal there are {} spans", spans.len());
    if spans.is_empty() {
        return text + ".\n";
    }
    text.push_str(
        ". What the set itself counts in those seconds:

| run | span | seconds | from its label | transactions a second, and in the rest of the normal time | CPU idle | disk busy |
|---|---|---:|---:|---|---:|---:|
",
    );
    for (one, said) in spans {
        let case = &one.case;
        let inside: Vec<usize> = (said.from - 1..said.to.min(case.seconds)).collect();
        let outside: Vec<usize> = (0..case.seconds)
            .filter(|second| !inside.contains(second) && !case.abnormal.contains(&(second + 1)))
            .collect();
        let mean = |name: &str, of: &[usize]| {
            of.iter().map(|second| case.figure(name, *second)).sum::<f64>() / of.len().max(1) as f64
        };
        let apart = case
            .abnormal
            .iter()
            .map(|second| second.saturating_sub(said.to).max(said.from.saturating_sub(*second)))
            .min();
        let _ = writeln!(
            text,
            "| {} {} | `{}` | {} to {} | {} s | {:.0} and {:.0} | {:.0} % | {:.0} % |",
            case.cause,
            case.number + 1,
            said.code,
            said.from,
            said.to,
            apart.unwrap_or(0),
            mean("dbmsCommittedCommands", &inside),
            mean("dbmsCommittedCommands", &outside),
            mean("AvgCpuIdle", &inside),
            mean("osDiskUtilization", &inside),
        );
    }
    text
}
