//! Every finding that a rule can make, as a terminal shows it: one snapshot for each rule, made from all its cases of
//! `fires`. Each sentence, severity and step can be reviewed here.
//!
//! A better sentence changes one file: look at the difference with `cargo insta review`.

use fullwire_model::{Run, fixture, json};
use fullwire_present::terminal;
use fullwire_rules::{Facts, Outcome, Rule, rules};
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn every_finding_is_drawn_as_reviewed() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/findings");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for rule in rules() {
            insta::assert_snapshot!(rule.code, drawn(rule));
        }
    });
}

/// The findings of a rule, each below the name of its case.
fn drawn(rule: &Rule) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../rules/fixtures/{}.json", rule.code));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases = fixture::cases(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut all = String::new();
    for case in cases.into_iter().filter(|case| case.kind == "fires") {
        let run: Run = json::of_tree(&case.run).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let before = all.len();
        for outcome in (rule.check)(&Facts::of(&run)) {
            let Outcome::Fires(finding) = outcome else { continue };
            let finding = terminal::finding(&finding).render(false);
            writeln!(all, "── {}\n{finding}", case.name).unwrap();
        }
        assert!(all.len() > before, "{} {}: draws nothing", rule.code, case.name);
    }
    all
}
