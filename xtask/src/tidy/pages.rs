//! The guide: every link leads somewhere, every file that is named exists, every page is in the table of contents.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

const CONTENTS: &str = "docs/SUMMARY.md";

/// What is wrong with the pages among these files.
pub(super) fn wrong(files: &[PathBuf]) -> Vec<String> {
    let known: BTreeSet<&Path> = files.iter().map(PathBuf::as_path).collect();
    let mut wrong = Vec::new();
    let mut listed = BTreeSet::new();
    for page in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "md")) {
        let Ok(text) = std::fs::read_to_string(page) else { continue };
        let absent = named(&text).into_iter().filter(|path| !Path::new(path).exists());
        wrong.extend(absent.map(|path| format!("{}: {path} does not exist", page.display())));
        for target in links(&text) {
            let path = beside(page, &target);
            if !known.contains(path.as_path()) && !path.is_dir() {
                wrong.push(format!("{}: the link {target} leads nowhere", page.display()));
            }
            if page == Path::new(CONTENTS) {
                listed.insert(path);
            }
        }
    }
    let of_guide = known.iter().filter(|path| {
        path.starts_with("docs")
            && path.extension().is_some_and(|ending| ending == "md")
            && **path != Path::new(CONTENTS)
    });
    wrong.extend(
        of_guide
            .filter(|path| !listed.contains(**path))
            .map(|path| format!("{}: not in {CONTENTS}", path.display())),
    );
    wrong
}

/// Targets of Markdown links within the repository, without their anchors; code blocks hold none.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        let parts = line.split("](").skip(1).filter(|_| !code);
        let targets = parts.filter_map(|rest| rest.split([')', ' ', '#']).next());
        found.extend(targets.filter(|target| !target.is_empty() && !target.contains(':')).map(str::to_owned));
    }
    found
}

/// Files and folders of the repository that a text names as code; with a capital or a sign in it, it is a pattern.
fn named(text: &str) -> Vec<&str> {
    let folders = ["crates/", "docs/", "fuzz/", "lab/", "packaging/", "xtask/"];
    let literal =
        |path: &str| path.chars().all(|char| char.is_ascii_lowercase() || "/._-0123456789".contains(char));
    let spans = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    spans.filter(|span| folders.iter().any(|folder| span.starts_with(folder)) && literal(span)).collect()
}

/// A relative target, from the page that names it.
fn beside(page: &Path, target: &str) -> PathBuf {
    let mut path = page.parent().unwrap_or(Path::new("")).to_owned();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_where_they_count() {
        let text = "[a](b.md#c) ![d](../e.png)\n```\n[f](g.md)\n```\n[h](https://i) [j](#k)";
        assert_eq!(links(text), ["b.md", "../e.png"]);
        assert_eq!(
            named("`crates/x/y.rs` and `crates/x/CODE`, `x/y` in `docs/`"),
            ["crates/x/y.rs", "docs/"]
        );
        assert_eq!(beside(Path::new("docs/x/y.md"), "../e.png"), Path::new("docs/e.png"));
    }
}
