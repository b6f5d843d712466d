//! Recordings as people paste them: `iostat -x 1 | grep sdj` without a heading, and tables whose lines a terminal or a page
//! has broken in two. A heading is guessed only where the figures' own arithmetic fits it.

use super::{clean, is_figure, number, words};
use crate::clock::time_of_day;
use std::borrow::Cow;

/// A text as its tool printed it, and what was put right.
#[derive(Debug, PartialEq)]
pub(super) struct Pasted<'a> {
    pub(super) text: Cow<'a, str>,
    /// For a gap.
    pub(super) said: Option<String>,
}

/// Looks no further than this many lines for a heading.
const MOST_LINES: usize = 2_000;
/// Two figures that were printed with two decimals agree when they differ by less, as a share.
const ALIKE: f64 = 0.03;

/// Headings of devices by version of sysstat (its `CHANGES`, and the documents of the samples): `iostat -x`, then `sar -d`, whose
/// lines begin with a time.
const DEVICES: [&str; 9] = [
    "rrqm/s wrqm/s r/s w/s rsec/s wsec/s rkB/s wkB/s avgrq-sz avgqu-sz await svctm %util",
    "rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await r_await w_await svctm %util",
    "rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await r_await w_await svctm %util",
    "rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await svctm %util",
    "rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await svctm %util",
    "r/s w/s rkB/s wkB/s rrqm/s wrqm/s %rrqm %wrqm r_await w_await aqu-sz rareq-sz wareq-sz svctm %util",
    "r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz aqu-sz %util",
    "r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz d/s dkB/s drqm/s %drqm d_await dareq-sz aqu-sz %util",
    "r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz d/s dkB/s drqm/s %drqm d_await dareq-sz f/s f_await aqu-sz %util",
];
const TIMED: [&str; 4] = [
    "tps rd_sec/s wr_sec/s avgrq-sz avgqu-sz await svctm %util",
    "tps rkB/s wkB/s areq-sz aqu-sz await svctm %util",
    "tps rkB/s wkB/s areq-sz aqu-sz await %util",
    "tps rkB/s wkB/s dkB/s areq-sz aqu-sz await %util",
];

/// The text with its lines joined and with a heading.
pub(super) fn restored(text: &str) -> Pasted<'_> {
    let joined = joined(text);
    if has_heading(&joined) {
        let said =
            matches!(joined, Cow::Owned(_)).then(|| "lines that were broken in two were joined".to_owned());
        return Pasted { text: joined, said };
    }
    let Some(heading) = missing_heading(&joined) else { return Pasted { text: joined, said: None } };
    let said = format!("the file has no heading: read as \"{heading}\", which its figures fit");
    Pasted { text: Cow::Owned(format!("{heading}\n{joined}")), said: Some(said) }
}

fn has_heading(text: &str) -> bool {
    text.lines().take(MOST_LINES).any(|line| {
        let words = words(line);
        words.len() > 2 && words.iter().any(|word| matches!(word.trim_end_matches(':'), "Device" | "DEV"))
    })
}

/// The heading that the lines of devices fit; `None`: they are none, or their figures fit no heading.
fn missing_heading(text: &str) -> Option<String> {
    let rows: Vec<Row> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .take(MOST_LINES)
        .map(row)
        .collect::<Option<_>>()?;
    let first = rows.first()?;
    let headings: &[&str] = if first.is_timed() { &TIMED } else { &DEVICES };
    if rows.iter().any(|one| (one.is_timed(), one.figures.len()) != (first.is_timed(), first.figures.len())) {
        return None;
    }
    let fitting = |heading: &&&str| {
        let columns = words(heading);
        let verdicts: Vec<bool> = rows.iter().filter_map(|row| fits(&columns, &row.figures)).collect();
        columns.len() == first.figures.len() && !verdicts.is_empty() && verdicts.iter().all(|fit| *fit)
    };
    if let Some(heading) = headings.iter().find(fitting) {
        return Some(format!("{} {heading}", first.lead()));
    }
    // sysstat 4 and 5: three figures, and a device by its numbers.
    let by_numbers = |row: &Row| row.is_timed() && row.figures.len() == 3 && row.device.starts_with("dev");
    rows.iter().all(by_numbers).then(|| format!("{} tps rd_sec/s wr_sec/s", first.lead()))
}

struct Row {
    /// The time in front; empty: none.
    time: String,
    device: String,
    figures: Vec<f64>,
}

impl Row {
    fn is_timed(&self) -> bool {
        !self.time.is_empty()
    }

    /// What the heading begins with: sar puts the time of its beginning there.
    fn lead(&self) -> String {
        if self.is_timed() { format!("{} DEV", self.time) } else { "Device:".to_owned() }
    }
}

/// `sdj 0.00 1.00 ...`, `14:46:50 dev8-144 5458.00 ...`.
fn row(line: &str) -> Option<Row> {
    let line = clean(line);
    let words = words(&line);
    let times =
        words.iter().take_while(|word| matches!(**word, "AM" | "PM") || time_of_day(word).is_some()).count();
    let (device, figures) = words.get(times..)?.split_first()?;
    let is_device = device.starts_with(|c: char| c.is_ascii_alphabetic()) || device.starts_with('/');
    let figures: Option<Vec<f64>> = figures.iter().map(|word| number(word)).collect();
    let figures = figures.filter(|all| all.len() >= 3)?;
    (is_device && times <= 2).then(|| Row {
        time: words[..times].join(" "),
        device: (*device).to_owned(),
        figures,
    })
}

/// Whether bytes divided by requests are the size of a request, under these names; `None`: nothing moved, or no size is printed.
fn fits(columns: &[&str], figures: &[f64]) -> Option<bool> {
    let of = |name: &str| {
        columns.iter().position(|column| *column == name).and_then(|at| figures.get(at)).copied()
    };
    let sum = |names: [&str; 2]| names.into_iter().filter_map(of).reduce(|one, other| one + other);
    // What a version printed twice must agree with itself.
    let twice = of("rsec/s").zip(of("rkB/s")).is_none_or(|(sectors, kib)| alike(sectors, 2.0 * kib));
    if let Some(((size, rate), each)) = of("rareq-sz").zip(of("rkB/s")).zip(of("r/s")) {
        return (rate > 0.0 && each >= 1.0).then(|| alike(size, rate / each));
    }
    let requests = of("tps").or_else(|| sum(["r/s", "w/s"]))?;
    let sectors = sum(["rsec/s", "wsec/s"]).or_else(|| sum(["rd_sec/s", "wr_sec/s"]));
    let kib = sum(["rkB/s", "wkB/s"]);
    let bytes = sectors.map(|sectors| sectors * 512.0).or(kib.map(|kib| kib * 1024.0))?;
    let size =
        of("avgrq-sz").map(|sectors| sectors * 512.0).or_else(|| of("areq-sz").map(|kib| kib * 1024.0))?;
    (requests >= 1.0 && bytes > 0.0).then(|| twice && alike(size, bytes / requests))
}

fn alike(one: f64, other: f64) -> bool {
    (one - other).abs() <= ALIKE * one.abs().max(other.abs()).max(1.0)
}

/// The text with each line that ends within a table's heading joined with the next one, and its rows as well.
fn joined(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.lines().take(MOST_LINES).filter(|line| !line.trim().is_empty()).collect();
    if !lines.windows(2).any(|pair| breaks(pair[0], pair[1])) {
        return Cow::Borrowed(text);
    }
    let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut out = String::with_capacity(text.len());
    let (mut columns, mut place) = (0, 0);
    while let Some(line) = all.get(place) {
        let next = all.get(place + 1).copied().unwrap_or("");
        let continues = breaks(line, next) || rest_of_row(line, next, columns);
        if breaks(line, next) {
            columns = words(line).len() + words(next).len();
        }
        out.push_str(line);
        if continues {
            out.push(' ');
            out.push_str(next.trim());
        }
        out.push('\n');
        place += if continues { 2 } else { 1 };
    }
    Cow::Owned(out)
}

/// A heading of devices whose next line has nothing but more of its columns.
fn breaks(line: &str, next: &str) -> bool {
    let is_heading = matches!(words(line).first(), Some(&("Device:" | "Device"))) && words(line).len() > 4;
    let known = |word: &&str| DEVICES.iter().any(|heading| words(heading).contains(word));
    let rest = words(next);
    is_heading && !rest.is_empty() && rest.iter().all(known)
}

/// A row that is shorter than its heading by what the next line has.
fn rest_of_row(line: &str, next: &str, columns: usize) -> bool {
    let (row, rest) = (words(line), words(next));
    let lead = row.first().is_some_and(|word| !is_figure(word));
    lead && columns > 0
        && row.len() < columns
        && row.len() + rest.len() == columns
        && rest.iter().all(|word| is_figure(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_guessed_where_the_figures_fit_it() {
        let old = "sdj 0.00 0.00 308.00 0.00 319488.00 0.00 159744.00 0.00 1037.30 4.48 14.49 3.24 99.80\n";
        let said = restored(old).said.expect("it fits");
        assert!(said.contains("rsec/s wsec/s rkB/s wkB/s avgrq-sz"), "{said}");
        let new = "nvme0n1 100.00 1600.00 0.00 0.00 0.20 16.00 50.00 400.00 1.00 2.00 0.50 8.00 0.10 5.00\n";
        assert!(restored(new).said.expect("it fits").contains("rareq-sz"));
        let sar = "14:46:50     dev8-144   5458.00  21832.00    0.00\n";
        assert!(restored(sar).text.starts_with("14:46:50 DEV tps rd_sec/s wr_sec/s\n"));
    }

    #[test]
    fn figures_that_fit_no_heading_get_none() {
        let foreign = "total 1.00 2.00 3.00 4.00 5.00 6.00 7.00 8.00 9.00 10.00 11.00 12.00 13.00\n";
        assert_eq!(restored(foreign), Pasted { text: foreign.into(), said: None });
        let idle = "sda 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00\n";
        assert_eq!(restored(idle).said, None);
    }

    #[test]
    fn broken_lines_are_joined() {
        let broken = "Device: rrqm/s wrqm/s r/s w/s rsec/s wsec/s rkB/s wkB/s avgrq-sz\n\navgqu-sz await svctm %util\n\n\
                      /dev/sdb1 441.00 3030.00 7.00 30.50 3584.00 24480.00 1792.00 12240.00 748.37\n\n101.70 2717.33 266.67 100.00\n";
        let restored = restored(broken);
        let lines: Vec<&str> = restored.text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].ends_with("avgrq-sz avgqu-sz await svctm %util"), "{}", lines[0]);
        assert!(lines[1].ends_with("748.37 101.70 2717.33 266.67 100.00"), "{}", lines[1]);
    }
}
