//! The files that the user named, short enough for a sentence. Documents have the whole paths.

use fullwire_model::Run;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Paths with the name that is enough to tell them apart, the longest path first: one may begin with another.
#[derive(Debug, Clone, Default)]
pub(crate) struct Files(Vec<(String, String)>);

impl Files {
    /// Those of a run: reports, listings, recordings of other tools.
    pub(crate) fn of(run: &Run) -> Self {
        let reports = run.reports.iter().map(|report| report.source.as_str());
        let listed = run.redo.iter().flat_map(|redo| redo.source.split(", "));
        let needed = run.demand.iter().flat_map(|demand| demand.source.split(", "));
        let imported = run.imported.iter().map(|file| file.source.as_str());
        Self::named(reports.chain(listed).chain(needed).chain(imported))
    }

    fn named<'a>(paths: impl Iterator<Item = &'a str>) -> Self {
        // A database is no file: its address is its name.
        let paths: BTreeSet<&str> =
            paths.filter(|path| path.contains('/') && !path.contains("://")).collect();
        let short = |path: &str| {
            let enough = |name: &&str| paths.iter().all(|other| *other == path || !ends_with(other, name));
            let name = tails(path).find(enough).unwrap_or(path);
            (path.to_owned(), name.to_owned())
        };
        let mut names: Vec<(String, String)> = paths.iter().map(|path| short(path)).collect();
        names.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        Self(names)
    }

    /// A text with short names of its files.
    pub(crate) fn shorten<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for (path, name) in &self.0 {
            if text.contains(path.as_str()) {
                text = Cow::Owned(text.replace(path.as_str(), name));
            }
        }
        text
    }
}

/// The last part of a path, its last two, and so on.
fn tails(path: &str) -> impl Iterator<Item = &str> {
    path.rmatch_indices('/').map(|(at, _)| &path[at + 1..]).filter(|tail| !tail.is_empty())
}

fn ends_with(path: &str, tail: &str) -> bool {
    path.strip_suffix(tail).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_is_enough_unless_two_files_share_it() {
        let paths =
            ["/home/dba/awr/monday/awr.html", "/home/dba/awr/tuesday/awr.html", "/tmp/sar.txt", "list.csv"];
        let files = Files::named(paths.into_iter());
        let of = |text| files.shorten(text).into_owned();
        assert_eq!(of("log file sync (/home/dba/awr/monday/awr.html)"), "log file sync (monday/awr.html)");
        assert_eq!(of("/home/dba/awr/tuesday/awr.html lists no waits"), "tuesday/awr.html lists no waits");
        assert_eq!(of("/tmp/sar.txt: cut; list.csv: not"), "sar.txt: cut; list.csv: not");
        assert_eq!(of("/proc/net/snmp"), "/proc/net/snmp");
    }

    #[test]
    fn a_path_that_another_begins_with_and_a_database_stay_apart() {
        let files = Files::named(["/d/awr", "/d/awr.html", "postgres://db1/orders"].into_iter());
        assert_eq!(
            files.shorten("/d/awr.html and /d/awr of postgres://db1/orders"),
            "awr.html and awr of postgres://db1/orders"
        );
    }
}
