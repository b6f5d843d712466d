//! `fullwire rules` and `fullwire explain`.

use crate::show::Show;
use anyhow::{Context, Result};
use fullwire_model::assessment::Assessment;
use fullwire_present::json::{self, RuleCard};
use fullwire_present::terminal;
use fullwire_rules::Rule;
use std::fmt::Write;
use std::process::ExitCode;

pub(crate) fn list(markdown: bool, show: &Show) -> Result<ExitCode> {
    if markdown {
        Show::text(&page())?;
        return Ok(ExitCode::SUCCESS);
    }
    let cards: Vec<RuleCard> = fullwire_rules::rules().map(card).collect();
    show.result(&json::rules(&cards), || terminal::rules(&cards).render(true))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn explain(code: &str, show: &Show) -> Result<ExitCode> {
    let rule = fullwire_rules::rule(code).with_context(|| unknown(code))?;
    show.result(&card(rule), || terminal::explain(rule.code, rule.title, &rule.explanation()).render(true))?;
    Ok(ExitCode::SUCCESS)
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

fn card(rule: &'static Rule) -> RuleCard {
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
    let words: Vec<&str> = code.split('-').collect();
    let likeness = |rule: &&Rule| words.iter().filter(|word| rule.code.contains(**word)).count();
    let nearest = fullwire_rules::rules().max_by_key(likeness).filter(|rule| likeness(rule) > 0);
    let hint = nearest.map(|rule| format!("; did you mean {}?", rule.code)).unwrap_or_default();
    format!("no rule is called {code}{hint} `fullwire rules` lists them all")
}

/// `docs/rules.md`.
fn page() -> String {
    let mut page = String::from("# Rules\n\nMade by `cargo xtask gen` from the rules themselves.\n");
    for rule in fullwire_rules::rules() {
        let (code, title) = (rule.code, rule.title);
        let explanation = rule.explanation().replace("\n# ", "\n### ");
        let explanation =
            explanation.strip_prefix("# ").map_or_else(|| explanation.clone(), |text| format!("### {text}"));
        // Writing to a String does not fail.
        let _ =
            write!(page, "\n## {code}\n{title} ({:?}, {:?})\n\n{explanation}\n", rule.layer, rule.severity);
    }
    page
}
