//! What a shell offers for an argument: codes, profiles, documents, and the runs that are kept now.

use crate::session::store::read_store;
use clap_complete::engine::CompletionCandidate;
use fullwire_model::assessment::{harmless, is_plain_word};
use fullwire_model::history::{Entry, ID_LONGEST_BYTES};
use fullwire_store::Filter;

/// The variable by which a shell's script asks: one that no one sets for another reason.
pub(crate) const VARIABLE: &str = "FULLWIRE_COMPLETE";

/// The newest runs are what someone wants to name.
const MOST_RUNS: u32 = 50;

/// Codes of rules.
pub(crate) fn codes() -> Vec<CompletionCandidate> {
    fullwire_rules::rules().map(|rule| candidate(rule.code, rule.title)).collect()
}

/// Codes of rules, kinds of ceilings, words of results.
pub(crate) fn explained() -> Vec<CompletionCandidate> {
    let kinds = fullwire_rules::ceiling::KINDS.iter().map(|kind| candidate(kind.name, kind.title));
    let each = |word: &'static crate::words::Word| word.names().map(|name| candidate(name, word.title));
    let words = crate::words::words().flat_map(each);
    codes().into_iter().chain(kinds).chain(words).collect()
}

/// Profiles of storage loads.
pub(crate) fn profiles() -> Vec<CompletionCandidate> {
    let all = fullwire_probe::disk::PROFILES.iter().map(|profile| candidate(profile.name, profile.about));
    all.chain([candidate("list", "names them all")]).collect()
}

/// What can be swept over.
pub(crate) fn sweeps() -> Vec<CompletionCandidate> {
    ["block", "depth", "threads", "working-set"].map(CompletionCandidate::new).into()
}

/// Layers.
pub(crate) fn layers() -> Vec<CompletionCandidate> {
    ["network", "storage", "host", "database"].map(CompletionCandidate::new).into()
}

/// Documents.
pub(crate) fn schemas() -> Vec<CompletionCandidate> {
    fullwire_present::json::document_names().map(CompletionCandidate::new).collect()
}

/// Kept runs: `last`, ids, labels.
pub(crate) fn runs() -> Vec<CompletionCandidate> {
    let entries = entries();
    let about = |entry: &Entry| {
        let when = entry.started.strftime("%Y-%m-%d %H:%M");
        format!("{when} {} {}", entry.command, entry.targets.join(" "))
    };
    // A shell puts what is offered into its line as it is, and a store may be filled by others.
    let plain = entries.iter().filter(|entry| is_offered(&entry.run_id));
    let ids = plain.map(|entry| candidate(&entry.run_id, &about(entry)));
    let last = candidate("last", "the newest run");
    [last].into_iter().chain(ids).chain(labels_of(&entries)).collect()
}

/// Labels of kept runs.
pub(crate) fn labels() -> Vec<CompletionCandidate> {
    labels_of(&entries())
}

fn labels_of(entries: &[Entry]) -> Vec<CompletionCandidate> {
    let mut labels: Vec<&str> = entries.iter().filter_map(|entry| entry.tag.as_deref()).collect();
    labels.sort_unstable();
    labels.dedup();
    labels.into_iter().filter(|label| is_offered(label)).map(|label| candidate(label, "a label")).collect()
}

/// Without a store there is nothing to offer, and nothing to complain of.
fn entries() -> Vec<Entry> {
    let filter = Filter { limit: Some(MOST_RUNS), ..Filter::default() };
    read_store(None).and_then(|store| Ok(store.history(&filter)?)).unwrap_or_default()
}

fn is_offered(value: &str) -> bool {
    is_plain_word(value, ID_LONGEST_BYTES)
}

fn candidate(value: &str, help: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help(Some(harmless(help).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_run_is_not_offered() {
        let entry = |run_id: &str, tag: &str| Entry {
            run_id: run_id.to_owned(),
            tag: Some(tag.to_owned()),
            ..Entry::default()
        };
        let entries = [
            entry("20261126-220000-abcd", "before_1.2"),
            entry("zz$(touch${IFS}/tmp/x)", "a;b"),
            entry("-rf", "x\u{1b}]0;evil"),
        ];
        let labels = labels_of(&entries);
        let offered: Vec<_> = labels.iter().map(CompletionCandidate::get_value).collect();
        assert_eq!(offered, ["before_1.2"]);
        assert_eq!(entries.map(|entry| is_offered(&entry.run_id)), [true, false, false]);
        let help = candidate("x", "net \u{1b}[2J\u{202e}").get_help().unwrap().to_string();
        assert!(!help.contains(['\u{1b}', '\u{202e}']), "{help:?}");
    }
}
