//! `fullwire rules` and `fullwire explain`.

use crate::cli::{ExplainArgs, RulesArgs};
use crate::output::Show;
use crate::usage;
use crate::words::{COLUMNS, WORDS, Word, word, words};
use anyhow::Result;
use fullwire_mesh::{CODES, Code};
use fullwire_model::assessment::Assessment;
use fullwire_present::json::{self, ExplainedCeiling, ExplainedRule, ExplainedWord, RuleCard};
use fullwire_present::terminal;
use fullwire_rules::Rule;
use fullwire_rules::ceiling::{self, KINDS};
use std::fmt::Write;
use std::process::ExitCode;

pub(crate) fn list(args: &RulesArgs, show: &Show) -> Result<ExitCode> {
    if args.markdown {
        Show::source(&page())?;
        return Ok(ExitCode::SUCCESS);
    }
    let words: Vec<String> = args.words.iter().map(|word| word.to_lowercase()).collect();
    let of_layer = |rule: &&'static Rule| args.only.is_empty() || args.only.contains(&rule.layer);
    let has = |text: String| words.iter().all(|word| text.contains(word));
    let titled = |rule: &&'static Rule| has(format!("{} {}", rule.code, rule.title).to_lowercase());
    let mut found: Vec<&Rule> = fullwire_rules::rules().filter(of_layer).filter(titled).collect();
    if found.is_empty() {
        let explained = |rule: &&'static Rule| has(rule.explanation().to_lowercase());
        found = fullwire_rules::rules().filter(of_layer).filter(explained).collect();
    }
    let cards: Vec<RuleCard> = found.into_iter().map(card).collect();
    show.result(&json::rules(&cards), || terminal::rules(&cards).render(true))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn explain(args: &ExplainArgs, show: &Show) -> Result<ExitCode> {
    let (mut rules, mut ceilings, mut words) = (Vec::new(), Vec::new(), Vec::new());
    let mut text = Vec::new();
    for code in &args.codes {
        let code = &code.trim().replace(' ', "-");
        // A kind of ceiling is named by headlines as the code of a finding is.
        if let Some(kind) = ceiling::kind(code) {
            ceilings.push(ExplainedCeiling { kind: kind.name, title: kind.title, explanation: kind.text });
            text.push(terminal::explain(kind.name, kind.title, kind.text));
            continue;
        }
        if let Some(word) = word(code) {
            words.push(ExplainedWord { word: word.name(), title: word.title, explanation: word.text });
            text.push(terminal::explain(&joined(word), word.title, word.text));
            continue;
        }
        if let Some(code) = fullwire_mesh::code(code) {
            rules.push(ExplainedRule { rule: mesh_card(code), explanation: code.text.to_owned() });
            text.push(terminal::explain(code.code, code.title, code.text));
            continue;
        }
        let Some(rule) = fullwire_rules::rule(code) else { return usage::wrong(unknown(code)) };
        rules.push(ExplainedRule { rule: card(rule), explanation: rule.explanation() });
        text.push(terminal::explain(rule.code, rule.title, &rule.explanation()));
    }
    let whole = || text.iter().map(|part| part.render(true)).collect::<Vec<_>>().join("\n");
    show.result(&json::explain(rules, ceilings, words), whole)?;
    Ok(ExitCode::SUCCESS)
}

/// A word with all that means the same.
fn joined(word: &Word) -> String {
    word.names().collect::<Vec<_>>().join(", ")
}

/// A finding about a whole mesh introduces itself as a rule does.
fn mesh_card(code: &'static Code) -> RuleCard {
    RuleCard {
        code: code.code,
        title: code.title,
        severity: code.severity(),
        area: code.layer(),
        source: code.source().to_owned(),
    }
}

/// What each finding's rule says of itself, once.
pub(crate) fn explanations(assessment: &Assessment) -> String {
    let mut codes: Vec<&str> = assessment.findings.iter().map(|finding| finding.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules = codes.into_iter().filter_map(fullwire_rules::rule);
    rules
        .map(|rule| {
            format!("\n{}", terminal::explain(rule.code, rule.title, &rule.explanation()).render(true))
        })
        .collect()
}

/// Every rule as it introduces itself.
pub(crate) fn cards() -> Vec<RuleCard> {
    fullwire_rules::rules().map(card).collect()
}

pub(crate) fn card(rule: &'static Rule) -> RuleCard {
    RuleCard {
        code: rule.code,
        title: rule.title,
        severity: rule.severity,
        area: rule.layer,
        source: rule.source(),
    }
}

/// The nearest name helps who mistyped one.
fn unknown(code: &str) -> String {
    let codes = fullwire_rules::rules().map(|rule| rule.code).chain(CODES.iter().map(|code| code.code));
    let codes = codes.chain(KINDS.iter().map(|kind| kind.name)).chain(words().flat_map(Word::names));
    let start: String = code.chars().take(200).collect();
    let distance = |known: &str| strsim::levenshtein(known, &start);
    let nearest = codes.min_by_key(|known| distance(known));
    // More than a third of the letters wrong is another word.
    let nearest = nearest.filter(|known| distance(known) * 3 <= known.len());
    let mentions = mentioning(&start.to_lowercase().replace('-', " "));
    if let Some(known) = nearest.filter(|_| mentions.len() < 2) {
        return format!(
            "{code} is not explained here; did you mean {known}? `fullwire rules` lists all rules"
        );
    }
    if mentions.is_empty() {
        return format!("{code} is not explained here; `fullwire rules` lists all rules");
    }
    format!(
        "{code} is not explained here; rules that mention it: {}; `fullwire rules {code}` lists all of them",
        mentions.join(", ")
    )
}

/// The rules whose title, or else whose text, has the word.
fn mentioning(word: &str) -> Vec<&'static str> {
    const MOST: usize = 6;
    if word.chars().count() < 3 {
        return Vec::new();
    }
    // From the beginning of a word on: "lat" is no part of "emulated".
    let has = |text: String| {
        let text = text.to_lowercase().replace('-', " ");
        text.match_indices(word).any(|(at, _)| !text[..at].ends_with(char::is_alphanumeric))
    };
    let titled = fullwire_rules::rules().filter(|rule| has(format!("{} {}", rule.code, rule.title)));
    let mut codes: Vec<&str> = titled.map(|rule| rule.code).take(MOST).collect();
    if codes.is_empty() {
        let explained = fullwire_rules::rules().filter(|rule| has(rule.explanation()));
        codes = explained.map(|rule| rule.code).take(MOST).collect();
    }
    codes
}

/// `docs/rules.md`.
fn page() -> String {
    let mut page = String::from("# Rules\n\nMade by `cargo xtask gen` from the rules themselves.\n");
    page.push_str(&mechanisms());
    page.push_str(
        "\n## Ceilings\nThe kinds of ceilings that a headline may name. `fullwire explain KIND` prints one.\n\n",
    );
    for kind in &KINDS {
        // Writing to a String does not fail.
        let _ = writeln!(page, "- **{}**: {}. {}", kind.name, kind.title, kind.text);
    }
    page.push_str("\n## Words of results\nVerdicts, answers, severities and reasons of gaps. `fullwire explain WORD` prints one.\n\n");
    for word in &WORDS {
        // Writing to a String does not fail.
        let _ = writeln!(page, "- **{}**: {}. {}", joined(word), word.title, word.text.replace("\n\n", " "));
    }
    page.push_str("\n## Columns of other tools\nWhat iostat, sar, vmstat, ifconfig, iperf, fio, bonnie++ and ping show, and what to look at instead. `fullwire explain svctm` prints one.\n\n");
    for word in &COLUMNS {
        // Writing to a String does not fail.
        let _ = writeln!(page, "- **{}**: {}. {}", joined(word), word.title, word.text.replace("\n\n", " "));
    }
    page.push_str("\n## Shared thresholds\nThresholds used by several rules or in choosing the cause; a rule's own thresholds are listed with it.\n\n");
    for threshold in fullwire_rules::shared_thresholds() {
        // Writing to a String does not fail.
        let _ = writeln!(page, "{threshold}");
    }
    for rule in fullwire_rules::rules() {
        let (code, title) = (rule.code, rule.title);
        let (layer, severity) = (rule.layer.name(), rule.severity.name());
        let explanation = rule.explanation().replace("\n# ", "\n### ");
        let explanation =
            explanation.strip_prefix("# ").map_or_else(|| explanation.clone(), |text| format!("### {text}"));
        // Writing to a String does not fail.
        let _ = write!(page, "\n## {code}\n{title} ({layer}, {severity})\n\n{explanation}\n");
    }
    page.push_str("\n# Findings of a mesh\nOnly `fullwire mesh` reports these: they compare hosts and paths with each other.\n");
    for Code { code, title, text } in &CODES {
        let text = format!("\n{text}").replace("\n# ", "\n### ");
        let _ = write!(page, "\n## {code}\n{title}\n{text}\n");
    }
    page
}

/// Which mechanism causes which: how one cause is chosen of several.
fn mechanisms() -> String {
    let mut text = String::from(
        "\n## How the cause is chosen\nEach finding that limits a measurement states a mechanism, the bound that it sets and the \
         share of the time in which a counter says that it acted. If there are several, those that another one causes are reported as its effects; those whose bound is far above the figure are reported as what comes next; the rest is ordered by how much of the figure it explains. This table lists which mechanism causes which:\n\n| mechanism | causes | when |\n|---|---|---|\n",
    );
    for (cause, effect, when) in fullwire_rules::consequences() {
        // Writing to a String does not fail.
        let _ = writeln!(text, "| {} | {} | {when} |", cause.name(), effect.name());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_letter_finds_the_rule_that_was_meant() {
        assert_eq!(
            unknown("mount-discrd"),
            "mount-discrd is not explained here; did you mean mount-discard? `fullwire rules` lists all rules"
        );
        assert_eq!(unknown("zzz"), "zzz is not explained here; `fullwire rules` lists all rules");
        assert!(unknown("jumbo").contains("rules that mention it: mtu-not-jumbo"), "{}", unknown("jumbo"));
        // Within "emulated" and "isolated", but the beginning of no word.
        assert!(!unknown("ulated").contains("mention"), "{}", unknown("ulated"));
    }
}
