//! What a mail, a page or a chat adds to the text that someone pastes: signs of quoting, a margin, bars of a table.

use crate::{awr, retold, sheet, stamp};
use std::borrow::Cow;

/// The text as its tool printed it.
pub(super) fn restored(text: &str) -> String {
    let text = unwrapped(&unfolded(&without_sources(&without_quotes(&plain(text)))));
    // The columns of a report stand where they stand.
    if awr::is_report(&text) {
        return text;
    }
    retold::restored(&without_margins(&text), false).into_owned()
}

/// Lines of a heading: at SQL*Plus's own line size of 80 those of the widest view come to half of it.
const MOST_PARTS: usize = 100;

/// A listing that `SQL*Plus` broke at its line size (SET LINESIZE), with a line for each row again: each line of its heading has a
/// rule of its own, and a record has as many lines, with an empty one behind them (SET RECSEP WRAPPED).
fn unwrapped(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let is_rule = |at: usize| {
        lines.get(at).is_some_and(|line| line.starts_with('-') && line.bytes().all(|c| b"- ".contains(&c)))
    };
    let is_named = |at: usize| !is_rule(at) && lines.get(at).is_some_and(|line| !line.is_empty());
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < lines.len() {
        let parts =
            (at..).step_by(2).take(MOST_PARTS).take_while(|at| is_named(*at) && is_rule(at + 1)).count();
        let below = lines[at..].get(2 * parts..).filter(|_| parts > 1).unwrap_or(&[]);
        // Below one run of dashes stands one column; what a title underlines is no part of a row.
        let is_one = |part: usize| !lines[at + 2 * part + 1].contains(' ');
        let fits = |(part, line): (usize, &&str)| !(is_one(part) && line.trim().contains("  "));
        let records: Vec<&[&str]> = below
            .chunks(parts + 1)
            .map_while(|lines| {
                let (record, behind) = lines.split_at_checked(parts)?;
                let is_own = !record.contains(&"") && record.iter().enumerate().all(fits);
                (is_own && behind.iter().all(|line| line.is_empty())).then_some(record)
            })
            .collect();
        if records.is_empty() {
            out.push_str(lines[at]);
            out.push('\n');
            at += 1;
            continue;
        }
        let widths: Vec<usize> = (0..parts).map(|part| lines[at + 2 * part + 1].len()).collect();
        let mut row = |cells: &mut dyn Iterator<Item = &str>| {
            let padded = cells.zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
            out.push_str(padded.collect::<Vec<_>>().join(" ").trim_end());
            out.push('\n');
        };
        row(&mut (0..parts).map(|part| lines[at + 2 * part]));
        row(&mut (0..parts).map(|part| lines[at + 2 * part + 1]));
        for record in &records {
            row(&mut record.iter().copied());
        }
        out.push('\n');
        at += 2 * parts + records.len() * (parts + 1);
    }
    out
}

/// What begins a line of `zpool status` and of `multipath -ll`.
const BEGINNINGS: [&str; 14] = [
    "pool: ", "state: ", "status: ", "action: ", "see: ", "scan: ", "scrub: ", "config: ", "errors: ",
    "NAME STATE ", "size=", "|-+- ", "`-+- ", "\\_ ",
];

/// A pool or a map that a page has put on one line, with its lines again.
fn unfolded(text: &str) -> String {
    let is_nfsiostat = |line: &str| line.contains(" mounted on ") && line.contains("read: ops/s ");
    if text.lines().any(is_nfsiostat) {
        let unfold =
            |line: &str| if is_nfsiostat(line) { lines_of_nfsiostat(line) } else { format!("{line}\n") };
        return text.lines().map(unfold).collect();
    }
    let is_folded = |line: &str| {
        line.contains(" CKSUM ") && line.contains("state: ")
            || line.contains(" size=") && line.contains("prio=")
    };
    if !text.lines().any(is_folded) {
        return text.to_owned();
    }
    text.lines().map(|line| if is_folded(line) { lines_of(line) } else { line.to_owned() } + "\n").collect()
}

/// Mounts of nfsiostat: a line begins with each mount, block and row of figures.
fn lines_of_nfsiostat(folded: &str) -> String {
    let words: Vec<&str> = folded.split_whitespace().collect();
    let is_figure = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit()) || word.starts_with('(') && word.contains('%')
    };
    let mut out = String::with_capacity(folded.len() + 64);
    for (at, word) in words.iter().enumerate() {
        let above = at.checked_sub(1).map_or("", |above| words[above]);
        let begins = words.get(at + 1) == Some(&"mounted")
            || ["read:", "write:"].contains(word)
            || is_figure(word) != is_figure(above) && !word.starts_with('(') && !above.ends_with("on")
            || above.ends_with(':') && above.starts_with('/');
        // Names of columns are two spaces apart.
        let is_within =
            ["avg", "RTT", "exe", "queue", "rpc", "mounted", "on"].contains(&above) || *word == "mounted";
        out.push_str(if begins {
            "\n"
        } else if is_within {
            " "
        } else {
            "  "
        });
        out.push_str(word);
    }
    out.push('\n');
    out
}

/// Of a folded map what begins with its name (`mpatha (3600a...) dm-3`, `3600a... dm-3`): a log's own words stand before it.
fn from_name(folded: &str) -> &str {
    let Some(end) = folded.find(" dm-") else { return folded };
    let last = |text: &str| text.rfind(' ').map_or(0, |at| at + 1);
    let at = last(&folded[..end]);
    let at = if folded[at..].starts_with('(') { last(&folded[..at.saturating_sub(1)]) } else { at };
    &folded[at..]
}

fn lines_of(folded: &str) -> String {
    let mut line = from_name(folded).trim_matches(['#', ' ', '[', ']']).to_owned();
    for start in BEGINNINGS {
        line = line.replace(&format!(" {start}"), &format!("\n{start}"));
    }
    let words: Vec<&str> = line.split(' ').collect();
    let is_state = |word: &str| word.len() > 4 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_number =
        |word: Option<&&str>| word.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let begins = |at: usize| {
        // `sdc ONLINE 0 0 2`, `|- 2:0:0:1 sdb 8:16 active ready running`
        let of_pool = words.get(at + 1).is_some_and(|word| is_state(word)) && is_number(words.get(at + 2));
        let is_path = |at: usize| words.get(at).is_some_and(|word| word.matches(':').count() == 3);
        of_pool || is_path(at + 1) && !is_path(at) || at > 0 && words[at - 1] == "running"
    };
    let mut out = String::with_capacity(line.len() + 64);
    for (at, word) in words.iter().enumerate() {
        let separator = if at == 0 {
            ""
        } else if begins(at) {
            "\n"
        } else {
            " "
        };
        out.push_str(separator);
        out.push_str(word);
    }
    out
}

/// Quotation marks and dashes as a word processor sets them, and marks of emphasis in a table, as the tool had them.
fn plain(text: &str) -> Cow<'_, str> {
    let text = unmarked(text.trim_start_matches('\u{feff}'));
    let text =
        if text.lines().any(|line| line.matches('\u{2502}').count() > 2) { unboxed(&text) } else { text };
    // Somebody's remark on a figure.
    let text = if text.contains(" \u{2190} ") {
        let bare = |line: &str| line.split(" \u{2190} ").next().unwrap_or("").trim_end().to_owned() + "\n";
        text.lines().map(bare).collect()
    } else {
        text
    };
    let typographic =
        |c: char| matches!(c, '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' | '\u{2013}' | '\u{00a0}');
    if !text.contains(typographic) && !text.contains("**") {
        return text;
    }
    let ascii = |c: char| match c {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2013}' => '-',
        '\u{00a0}' => ' ',
        other => other,
    };
    let text: String = text.chars().map(ascii).collect();
    // `**100.00**`: a word between two marks, or a line.
    let line = |line: &str| {
        let bare = line.trim();
        if bare.len() > 4 && bare.starts_with("**") && bare.ends_with("**") && !bare.starts_with("***") {
            return line.replace("**", "");
        }
        let word = |word: &str| {
            word.strip_prefix("**")
                .and_then(|word| word.strip_suffix("**"))
                .is_some_and(|word| !word.is_empty())
        };
        if !line.contains("***") && line.split_whitespace().any(word) {
            line.replace("**", "")
        } else {
            line.to_owned()
        }
    };
    Cow::Owned(text.lines().map(|one| line(one) + "\n").collect())
}

/// A table of lines and bars (`│ a │ b │`, `├───┼───┤`) with those of ASCII.
fn unboxed(text: &str) -> Cow<'static, str> {
    let ascii = |c: char| match c {
        '\u{2502}' | '\u{251c}' | '\u{2524}' | '\u{253c}' => '|',
        '\u{2500}' => '-',
        other => other,
    };
    // What closes it above and below says nothing.
    let is_edge =
        |line: &&str| !line.trim_start().starts_with(['\u{250c}', '\u{2514}', '\u{256d}', '\u{2570}']);
    Cow::Owned(
        text.lines().filter(is_edge).map(|line| line.chars().map(ascii).collect::<String>() + "\n").collect(),
    )
}

/// Without the marks of Markdown around a passage: a backtick or an underscore before its first line and behind its last.
fn unmarked(text: &str) -> Cow<'_, str> {
    let marked = |line: &str, mark: char| {
        line.strip_prefix(mark)
            .is_some_and(|rest| rest.starts_with(|c: char| c == '[' || c.is_ascii_alphanumeric()))
    };
    let ends = |line: &str, mark: char| line.len() > 1 && line.ends_with(mark) && !line.ends_with("``");
    let mark = ['`', '_'].into_iter().find(|mark| {
        let first = text.lines().position(|line| marked(line, *mark));
        first.is_some_and(|first| text.lines().skip(first).any(|line| ends(line, *mark) || line == "`"))
    });
    let Some(mark) = mark else { return Cow::Borrowed(text) };
    let bare = |line: &str| {
        let line = if marked(line, mark) { &line[1..] } else { line };
        if ends(line, mark) { line[..line.len() - 1].to_owned() } else { line.to_owned() }
    };
    Cow::Owned(text.lines().map(|line| bare(line) + "\n").collect())
}

/// A mail's signs of quoting, where most of its lines have them; and those of a script's comment, where nearly all have.
fn without_quotes(text: &str) -> String {
    /// Fewer may be prompts of root.
    const LEAST: usize = 4;
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let of = |sign: &str| lines().filter(|line| line.starts_with(sign)).count();
    // Settings behind a # are not in force, and MySQL's slow log has its own.
    let is_quoted = ["# Query_time", " = "].iter().all(|own| !text.contains(own));
    let commented = of("# ") + lines().filter(|line| line.trim_end() == "#").count();
    if is_quoted && commented >= LEAST && commented * 5 >= lines().count() * 4 {
        let bare =
            |line: &str| line.strip_prefix('#').map(|rest| rest.strip_prefix(' ').unwrap_or(rest).to_owned());
        return text.lines().map(|line| bare(line).unwrap_or_else(|| line.to_owned()) + "\n").collect();
    }
    let quoted = of(">");
    if quoted == 0 || quoted * 2 < lines().count() {
        return text.to_owned();
    }
    text.lines().map(unquoted).map(|line| line + "\n").collect()
}

/// Without what stands before each line: the name of the container that wrote it (`db_1  | `, docker compose), or the number of
/// the line in a listing (`12. `).
fn without_sources(text: &str) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let most = lines().count() * 4 / 5;
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    let source = |line: &str| line.split_once(" | ").map(|(name, _)| name.trim().to_owned());
    let first = lines().next().and_then(source).filter(|name| is_name(name) && name.contains(['_', '-']));
    let named = |line: &str| first.is_some() && source(line) == first;
    if first.is_some() && lines().filter(|line| named(line)).count() > most {
        let bare = |line: &str| match line.split_once(" | ") {
            Some((_, rest)) if named(line) => rest.to_owned(),
            _ => line.to_owned(),
        };
        return text.lines().map(|line| bare(line) + "\n").collect();
    }
    // `alertlog: Tue Jan 10 11:47:14 2017`: the log that the line is of.
    let label = lines().next().and_then(|line| line.split_once(": ")).map(|(label, _)| label);
    if let Some(label) = label.filter(|label| is_name(label) && lines().count() > 2) {
        let behind = |line| str::strip_prefix(line, label)?.strip_prefix(": ");
        let all: Option<Vec<&str>> = lines().map(behind).collect();
        if all.is_some_and(|all| all.into_iter().any(|line| stamp::split_stamp(line).1.is_empty())) {
            return text.lines().map(|line| behind(line).unwrap_or_default().to_owned() + "\n").collect();
        }
    }
    let number = |line: &str| line.trim_start().split_once(". ")?.0.parse::<u64>().ok();
    let numbers: Vec<u64> = lines().filter_map(number).collect();
    let counts = numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    if numbers.len() < 3 || numbers.len() <= most || !counts {
        return text.to_owned();
    }
    let bare = |line: &str| {
        number(line).and(line.split_once(". ")).map_or(line.to_owned(), |(_, rest)| rest.to_owned())
    };
    text.lines().map(|line| bare(line) + "\n").collect()
}

/// Without the time of day that a program put before each line of an output that it repeats (`07:18:29.34   pool: tank`), and
/// what says which stream it is of (`09:22:43 DEBUG| [stdout] mpatha dm-3`); `None`: not each line has it.
pub(super) fn without_times(text: &str) -> Option<String> {
    const STREAM: &str = "| [stdout] ";
    let bare = |line: &str| {
        let (time, rest) = line.trim_start().split_once(' ').unwrap_or((line.trim(), ""));
        let is_time = time.matches(':').count() == 2
            && time.bytes().all(|byte| byte.is_ascii_digit() || b":.,".contains(&byte));
        let rest = rest.split_once(STREAM).map_or(rest, |(_, own)| own);
        is_time.then(|| format!("{rest}\n"))
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(bare).collect()
}

/// A line without its signs of quoting; an answer to an answer has one of each: `> > text`.
fn unquoted(line: &str) -> String {
    let mut line = line;
    while let Some(rest) = line.strip_prefix('>') {
        line = rest.strip_prefix(' ').filter(|rest| rest.starts_with('>')).unwrap_or(rest);
    }
    line.strip_prefix(' ').unwrap_or(line).to_owned()
}

/// Without the margin of a code block (four columns or a tab in Markdown, three in a list): that of a block of lines which all
/// have it, after a blank line or at the beginning.
fn without_margins(text: &str) -> String {
    const LEAST: usize = 3;
    /// Wider is a column of a table.
    const MOST: usize = 12;
    let lines: Vec<&str> = text.lines().collect();
    let is_blank = |line: &str| line.trim().is_empty();
    let margin = |line: &str| {
        if line.starts_with('\t') { LEAST } else { line.len() - line.trim_start_matches(' ').len() }
    };
    let mut out = String::new();
    let mut at = 0;
    while at < lines.len() {
        let begins = (at == 0 || is_blank(lines[at - 1])) && !is_blank(lines[at]);
        let block =
            lines[at..].iter().take_while(|line| begins && (is_blank(line) || margin(line) >= LEAST)).count();
        let own = || lines[at..at + block].iter().filter(|line| !is_blank(line));
        let tabs = own().all(|line| line.starts_with('\t'));
        let width = if tabs { 1 } else { own().map(|line| margin(line)).min().unwrap_or(0) };
        // Names of columns stand above their ruler.
        let is_heading = lines.get(at + block).is_some_and(|line| sheet::is_rule(line));
        let cut = if own().count() > 1 && width <= MOST && !is_heading { width } else { 0 };
        for line in &lines[at..at + block.max(1)] {
            out.push_str(line.get(cut..).unwrap_or(""));
            out.push('\n');
        }
        at += block.max(1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_quoting_go() {
        let quoted = "> > [88123.1] nvme nvme0: I/O 812 QID 4 timeout, aborting\n>>>  indented\n";
        assert_eq!(restored(quoted), "[88123.1] nvme nvme0: I/O 812 QID 4 timeout, aborting\n indented\n");
    }

    #[test]
    fn what_a_narrow_terminal_broke_is_one_row_again() {
        let broken = "EVENT\n----------------\nTOTAL_WAITS TIME_WAITED\n----------- -----------\nlog file sync\n        812        9122\n\n\
                      db file sequential read\n       8122        4122\n\n2 rows selected.\n";
        assert_eq!(
            unwrapped(broken),
            "EVENT            TOTAL_WAITS TIME_WAITED\n---------------- ----------- -----------\nlog file sync            812        9122\n\
             db file sequential read        8122        4122\n\n2 rows selected.\n"
        );
        let titled = "Disks\n-----\nNAME  STATE\n----- -----\nd1    ok\nd2    ok\nd3    ok\n";
        assert_eq!(unwrapped(titled), titled);
    }

    #[test]
    fn what_a_page_put_on_one_line_has_its_lines_again() {
        let folded = "nas7:/u07 mounted on /u07: ops/s rpc bklog 81.200 0.000 read: ops/s kB/s kB/op retrans avg RTT (ms) avg exe (ms) 8.100 64.800 8.000 0 (0.0%) 41.200 812.400\n";
        assert_eq!(
            restored(folded).trim(),
            "nas7:/u07 mounted on /u07:\nops/s  rpc bklog\n81.200  0.000\nread:  ops/s  kB/s  kB/op  retrans  avg RTT (ms)  avg exe (ms)\n8.100  64.800  8.000  0  (0.0%)  41.200  812.400"
        );
        let boxed = "┌──┬──┬──┐\n│ a │ b │ c │\n├──┼──┼──┤\n│ 1 │ 2 │ 3 │\n└──┴──┴──┘\n";
        assert_eq!(plain("rx_errors: 0   \u{2190} should be 0\n"), "rx_errors: 0\n");
        assert_eq!(plain(boxed), "| a | b | c |\n|--|--|--|\n| 1 | 2 | 3 |\n");
    }

    #[test]
    fn a_margin_goes_where_a_block_has_it() {
        assert_eq!(restored("    mpatha dm-3\n\n      size=1G\n"), "mpatha dm-3\n\n  size=1G\n");
        assert_eq!(
            restored("See:\n\n   md0 : active\n    [2/1]\n\nWhy?\n"),
            "See:\n\nmd0 : active\n [2/1]\n\nWhy?\n"
        );
        for own in [
            "  pool: tank\n state: ONLINE\n",
            "NIC statistics:\n     rx: 1\n     tx: 2\n",
            "Device  r/s\n\n        1.0\n",
        ] {
            assert_eq!(restored(own), own);
        }
    }

    #[test]
    fn typographic_signs_and_emphasis_go() {
        let text = "size=1G features=\u{2018}0\u{2019} hwhandler=\u{2018}0\u{2019}\n  tp0 vg0 twi-aotz-- 9g **100.00** 7.00\n";
        assert_eq!(
            restored(text),
            "size=1G features='0' hwhandler='0'\n  tp0 vg0 twi-aotz-- 9g 100.00 7.00\n"
        );
        assert_eq!(restored("***  (1) TRANSACTION\n"), "***  (1) TRANSACTION\n");
        assert_eq!(restored("Tcp:\n    **170 segments received**\n"), "Tcp:\n    170 segments received\n");
    }

    #[test]
    fn what_a_script_quotes_is_no_comment() {
        let text = "ethtool -S eth1\n# NIC statistics:\n#   rx_errors: 4\n#\n#   tx_errors: 0\n# done\n";
        assert_eq!(
            restored(text),
            "ethtool -S eth1\nNIC statistics:\n  rx_errors: 4\n\n  tx_errors: 0\ndone\n"
        );
        let prompts = "# uptime\n# free\n              total        used\n";
        assert_eq!(restored(prompts), prompts);
        let settings = "# one\n# two\n# three\n# sync_binlog = 0\n";
        assert_eq!(restored(settings), settings);
    }

    /// Else each line could be taken for the first of a heading that has all others.
    #[test]
    fn a_heading_has_so_many_lines_and_no_more() {
        let listing = |parts: usize| format!("{}{}\n", "A\n-\n".repeat(parts), "x\n".repeat(parts));
        assert_eq!(unwrapped(&listing(MOST_PARTS)).lines().count(), 4);
        assert_eq!(unwrapped(&listing(MOST_PARTS + 1)), listing(MOST_PARTS + 1));
    }
}
