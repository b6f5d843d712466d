//! The table of first answers: fresh draws, and incidents from public reports when they were first run.

use serde_json::Value;
use std::fmt::Write as _;

/// Where the section begins and what comes after it.
const HEAD: &str = "## First answers to fresh draws\n";

/// The section.
pub(super) fn section(rounds: &Value, incidents: &Value) -> String {
    let mut text = format!(
        "{HEAD}
Faults of random kind, strength and combination, whose truth was measured by removing each. The seeds were seen by no version before; a
line is never changed after something was mended. `cargo xtask bench accuracy --seeds A-B` adds one. What the guest left undecided
(noise) is counted apart and is no pass. Other kinds are faults that the bench's catalogue does not have.

| date | commit | kind | seeds | passed | of | undecided | promises kept | failed for |
|---|---|---|---|---:|---:|---:|---:|---|
"
    );
    for round in rounds.as_array().into_iter().flatten() {
        let word = |key: &str| round[key].as_str().unwrap_or("?").to_owned();
        let number =
            |key: &str| round[key].as_u64().map_or_else(|| "-".to_owned(), |number| number.to_string());
        let reasons = round["reasons"].as_object().into_iter().flatten();
        let reasons: Vec<String> = reasons.map(|(reason, count)| format!("{reason} {count}")).collect();
        let kept = match round["promises"].as_u64() {
            Some(all) => format!("{} of {all}", number("promises_kept")),
            None => "-".to_owned(),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} to {} | {} | {} | {} | {kept} | {} |",
            word("date"),
            word("commit"),
            word("kind"),
            number("first_seed"),
            number("last_seed"),
            number("passed"),
            number("draws"),
            number("undecided"),
            reasons.join(", ")
        );
    }
    text.push_str(
        "\n## Incidents when they were first run\n
Incidents from public reports, rebuilt in the lab, with the answer of the version that first met them; those run again say so.\n
| date | commit | named rightly | of |\n|---|---|---:|---:|\n",
    );
    for round in incidents.as_array().into_iter().flatten() {
        let word = |key: &str| round[key].as_str().unwrap_or("?").to_owned();
        let number = |key: &str| round[key].as_u64().unwrap_or(0);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            word("date"),
            word("commit"),
            number("passed"),
            number("incidents")
        );
    }
    text
}

/// A page with this section in the place of the old one, or before what was measured in other ways.
pub(super) fn renewed(page: &str, section: &str) -> String {
    let Some(begin) = page.find(HEAD) else { return format!("{}\n\n{section}", page.trim_end()) };
    // Both parts of it go.
    let after = page[begin..].match_indices("\n## ").nth(1);
    let rest = after.map_or("", |(at, _)| &page[begin + at..]);
    format!("{}{section}{rest}", &page[..begin])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_section_takes_the_place_of_the_old_one_and_nothing_else() {
        let rounds = json!([{
            "date": "2026-11-26", "commit": "abc", "kind": "disk", "first_seed": 7001, "last_seed": 7010, "draws": 10,
            "passed": 9, "failed": 1, "undecided": 0, "reasons": { "promise": 1 }, "promises": 4, "promises_kept": 3
        }]);
        let first = section(&json!([]), &json!([]));
        let page = format!("# Accuracy\n\n{first}\n## Recordings\nby hand\n");
        let new = renewed(&page, &section(&rounds, &json!([])));
        assert!(
            new.contains("| 2026-11-26 | abc | disk | 7001 to 7010 | 9 | 10 | 0 | 3 of 4 | promise 1 |"),
            "{new}"
        );
        assert!(
            new.starts_with("# Accuracy\n\n## First") && new.ends_with("\n## Recordings\nby hand\n"),
            "{new}"
        );
        assert_eq!(new.matches("## First answers").count(), 1);
        assert!(renewed("# Accuracy\n", &first).contains(HEAD));
    }
}
