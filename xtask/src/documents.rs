//! `docs/documents.md`: the founding documents step by step, as `lab/walk/run --write` measured them: the document's own tool
//! and fullwire beside it.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::fmt::Write as _;

/// The record that the walk left.
pub(crate) const RECORD: &str = "docs/documents.json";
/// The page made of it.
pub(crate) const PAGE: &str = "docs/documents.md";

#[derive(Deserialize)]
struct Record {
    documents: Vec<Document>,
}

#[derive(Deserialize)]
struct Document {
    title: String,
    source: String,
    steps: Vec<Step>,
}

/// A step of a document; the lists are empty where there is nothing to say.
#[derive(Deserialize)]
struct Step {
    row: String,
    title: String,
    old: Vec<String>,
    new: Vec<String>,
    printed: Vec<String>,
    figures: Vec<Figure>,
    says: Vec<String>,
    errs: Vec<String>,
    elsewhere: Vec<String>,
}

#[derive(Deserialize)]
struct Figure {
    unit: String,
    old: Option<f64>,
    new: f64,
    within_percent: Option<f64>,
}

const INTRODUCTION: &str = "\
# From the old tools to fullwire

Five documents started this project: how to measure a network with iperf and check multipath and bonds; how to prove jumbo frames; how
to copy over NFS at wire speed; how to size the transport of redo with oratcptest; how to tune SAN I/O from dd, iostat and sar up to
Statspack. If you work with them, you find each step here: the old command, the new one, both figures, and what else fullwire says.

Every figure was measured by `lab/walk/run`, the document's own tool first and fullwire right after it, in a small virtual machine
whose lines are shaped to 16 to 200 Mbit/s and whose disks are simulated: the figures compare the tools with each other, not with the
documents' hardware. `cargo xtask gen` makes this page of the record that the walk left.
";

/// The page, from the record in the tree.
pub(crate) fn page() -> Result<String> {
    let text = std::fs::read_to_string(RECORD).with_context(|| format!("read {RECORD}"))?;
    let record: Record = serde_json::from_str(&text).with_context(|| format!("read {RECORD}"))?;
    Ok(drawn(&record))
}

fn drawn(record: &Record) -> String {
    let mut page = INTRODUCTION.to_owned();
    for document in &record.documents {
        let _ = write!(page, "\n## {}\n\nFrom {}.\n", document.title, document.source);
        for (number, step) in document.steps.iter().enumerate() {
            draw_step(&mut page, number + 1, step);
        }
    }
    page
}

fn draw_step(page: &mut String, number: usize, step: &Step) {
    let _ = write!(page, "\n### {number}. {}\n\nTopic: {}.", step.title, code_of(&step.row));
    for printed in &step.printed {
        let _ = write!(page, " The document has: {printed}.");
    }
    let commands: Vec<&String> = step.old.iter().chain(&step.new).collect();
    if !commands.is_empty() {
        page.push_str("\n\n```sh\n");
        for (name, commands) in [("the document's tool", &step.old), ("fullwire", &step.new)] {
            for (place, command) in commands.iter().enumerate() {
                if place == 0 {
                    let _ = writeln!(page, "# {name}");
                }
                let _ = writeln!(page, "{command}");
            }
        }
        page.push_str("```");
    }
    page.push('\n');
    if !step.figures.is_empty() {
        page.push_str("\n| figure | document's tool | fullwire | agree within |\n|---|---:|---:|---:|\n");
        for figure in &step.figures {
            let _ = writeln!(
                page,
                "| {} | {} | {} | {} |",
                figure.unit,
                figure.old.map_or_else(String::new, number_of),
                number_of(figure.new),
                figure.within_percent.map_or_else(String::new, |percent| format!("{percent} %"))
            );
        }
    }
    for (what, texts) in [
        ("fullwire also says", &step.says),
        ("Where the document errs", &step.errs),
        ("Here", &step.elsewhere),
    ] {
        for text in texts {
            let _ = write!(page, "\n{what}: {}\n", text.trim());
        }
    }
}

/// `rmem_max` would start emphasis in Markdown.
fn code_of(row: &str) -> String {
    row.replace('_', "\\_").replace('$', "\\$")
}

/// Three digits, as any of these tools is worth.
fn number_of(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The rows of the review of the five documents: what they do, each of which has a step at least.
    const ROWS: [&str; 30] = [
        "oratcptest, its commands",
        "oratcptest, its options",
        "v$archived_log",
        "SYNC transport",
        "rmem_max, wmem_max",
        "iperf",
        "iperf, datagrams and both directions",
        "comparison of two networks",
        "multipath -ll",
        "bonding",
        "jumbo frames: path",
        "jumbo frames: MTU=9000 in ifcfg",
        "interconnect",
        "O_DIRECT over NFS",
        "NFS mount options",
        "dd on a raw device",
        "iostat, sar -d",
        "parallel readers, LVM stripe",
        "multipath load balancing",
        "file systems",
        "bonnie++",
        "CPU threads",
        "Statspack, AWR",
        "shared memory",
        "isag",
        "CPU, memory, network indicators",
        "bottleneck method",
        "RPM, RAID arithmetic",
        "description of the server",
        "Nagios, RRDtool, Ganglia",
    ];

    fn record() -> Record {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(RECORD);
        let text = std::fs::read_to_string(file).expect("the record of the walk");
        serde_json::from_str(&text).expect("a record")
    }

    #[test]
    fn every_row_of_the_documents_was_walked() {
        let record = record();
        let walked: BTreeSet<&str> =
            record.documents.iter().flat_map(|one| &one.steps).map(|step| step.row.as_str()).collect();
        let missing: Vec<&&str> = ROWS.iter().filter(|row| !walked.contains(**row)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(walked.iter().all(|row| ROWS.contains(row)), "{walked:?}");
    }

    #[test]
    fn both_figures_of_a_step_agree_as_the_page_says() {
        let record = record();
        let figures = record.documents.iter().flat_map(|one| &one.steps).flat_map(|step| &step.figures);
        let both = figures.filter_map(|one| Some((one.old?, one.new, one.within_percent?)));
        let mut compared = 0;
        for (old, new, percent) in both {
            assert!((new - old).abs() <= old.abs() * percent / 100.0, "{old} and {new} within {percent} %");
            compared += 1;
        }
        assert!(compared >= 20, "{compared} figures were compared");
    }

    /// A step as a script has it.
    struct Walked {
        title: String,
        new: Vec<String>,
        /// How many findings and sentences it looks for, and the sentences that can be looked for here.
        says: Vec<Option<regex::Regex>>,
    }

    /// The last word of a line of shell, without its quotes; `None` where the shell puts something in.
    fn last_word(line: &str) -> Option<String> {
        let (_, word) = line.split_once('\'').filter(|(before, _)| !before.contains('"'))?;
        let word = word.strip_suffix('\'')?;
        let word = word.rsplit("' '").next()?;
        Some(word.replace("'\"'\"'", "'"))
    }

    fn steps_of(script: &str) -> Vec<Walked> {
        let mut steps: Vec<Walked> = Vec::new();
        for line in script.lines().filter(|line| !line.starts_with(' ')) {
            let command = line.split(' ').next().unwrap_or_default();
            if command == "step" {
                let title = last_word(line).expect("a title");
                steps.push(Walked { title, new: Vec::new(), says: Vec::new() });
            }
            let Some(step) = steps.last_mut() else { continue };
            match command {
                "new" => step.new.extend(last_word(line)),
                "finds" => step.says.push(None),
                "says" => step.says.push(last_word(line).map(|said| regex::Regex::new(&said).expect(&said))),
                _ => {}
            }
        }
        steps
    }

    #[test]
    fn the_record_is_of_the_scripts_as_they_are() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/walk");
        let mut files: Vec<_> =
            std::fs::read_dir(folder).expect("lab/walk").map(|entry| entry.expect("a file").path()).collect();
        files.retain(|file| {
            file.extension().is_some_and(|extension| extension == "sh") && !file.ends_with("steps.sh")
        });
        files.sort();
        let record = record();
        assert_eq!(files.len(), record.documents.len());
        let again = "walk it again: lab/walk/run FULLWIRE --write docs/documents.json";
        for (file, document) in files.iter().zip(&record.documents) {
            let steps = steps_of(&std::fs::read_to_string(file).expect("a script"));
            assert_eq!(steps.len(), document.steps.len(), "{}: {again}", document.title);
            for (step, kept) in steps.iter().zip(&document.steps) {
                let name = format!("{}, {}: {again}", document.title, kept.title);
                assert_eq!(step.title, kept.title, "{name}");
                assert!(step.new.iter().all(|command| kept.new.contains(command)), "{name}");
                assert_eq!(step.says.len(), kept.says.len(), "{name}");
                for (said, text) in step.says.iter().zip(&kept.says) {
                    assert!(said.as_ref().is_none_or(|said| said.is_match(text)), "{text}; {name}");
                }
            }
        }
    }

    #[test]
    fn a_step_is_drawn_with_both_commands_and_figures() {
        let text = r#"{"documents": [{"title": "Speed", "source": "a note", "steps": [{"row": "iperf", "title": "How fast?",
            "old": ["iperf -c b"], "new": ["fullwire net b"], "printed": ["468 Mbits/sec"],
            "figures": [{"unit": "Mbit/s", "old": 191.0, "new": 192.4, "within_percent": 8}],
            "says": ["tbf on eth0 shapes to 25.0 MB/s"], "errs": [], "elsewhere": []}]}]}"#;
        let page = drawn(&serde_json::from_str(text).expect("a record"));
        let step = page.split("\n## ").nth(1).expect("a document");
        assert_eq!(
            step,
            "Speed\n\nFrom a note.\n\n### 1. How fast?\n\nTopic: iperf. The document has: 468 Mbits/sec.\n\n```sh\n# the document's tool\n\
             iperf -c b\n# fullwire\nfullwire net b\n```\n\n| figure | document's tool | fullwire | agree within |\n|---|---:|---:|---:|\n\
             | Mbit/s | 191 | 192 | 8 % |\n\nfullwire also says: tbf on eth0 shapes to 25.0 MB/s\n"
        );
    }
}
