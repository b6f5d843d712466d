//! Figures per device as other systems print them: one table of headings, and what each column is called by Linux' `iostat`, so
//! that the same figures are judged alike (iostat(1M), sar(1) and vmstat(1M) of Solaris; iostat, sar and vmstat of AIX; gstat(8),
//! iostat(8) and vmstat(8) of FreeBSD; zpool-iostat(8); pt-diskstats of Percona Toolkit).

use crate::ReadError;
use crate::clock::time_of_day;
use crate::import::builder::{Builder, recorded};
use crate::import::metric::area_of;
use crate::import::{clean, number};
use crate::page::{self, Run, quantity};
use fullwire_model::demand::ImportedSeries;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// In each line the tool, whether its first report is of the time since boot, and the columns that its heading has in this order,
/// whatever stands between them: `@` is the device, `-` no figure of use, `name>own` what it is on Linux, `name?` one that may be
/// missing, `+` to be added to another column, `=` bytes, `!` a title without a cell.
const FORMS: &str = "\
pt-diskstats||@ rd_s>r/s rd_avkb>rareq-sz rd_mb_s>rMB/s rd_rt>r_await wr_s>w/s wr_avkb>wareq-sz wr_mb_s>wMB/s wr_rt>w_await busy>%util in_prg>aqu-sz
iost+||@ r/s w/s kr/s>rkb/s kw/s>wkb/s qlen>+aqu-sz res_t>+await %ut>- qlen>+aqu-sz res_t>+await %ut>%util
iostat of FreeBSD|since boot|@ r/s w/s kr/s>rkb/s kw/s>wkb/s ms/r?>r_await ms/w?>w_await ms/t?>await qlen>aqu-sz svc_t?>await %b>%util
iostat of Solaris|since boot|@ r/s w/s kr/s?>rkb/s mr/s?>rmb/s kw/s?>wkb/s mw/s?>wmb/s wait>+aqu-sz actv>+aqu-sz wsvc_t?>+await asvc_t?>+await svc_t?>await %b>%util
iostat of AIX|since boot|@ %tm_act>%util kbps>kb/s tps
iostat of AIX|since boot|tty:>! avg-cpu:>! %user %sys %idle %iowait
iostat of AIX|since boot|@ %tm_act>%util bps>=kb/s tps bread>=rkb/s bwrtn>=wkb/s rps>r/s avgserv>r_await wps>w/s avgserv>w_await avgwqsz>+aqu-sz avgsqsz>+aqu-sz
sar||@ %busy>%util avque>aqu-sz r+w/s>tps blks/s?>/kb/s kbs/s?>kb/s avwait>+await avserv>+await
gstat||@ l(q)>aqu-sz ops/s>tps r/s kbps>rkb/s ms/r>r_await w/s kbps>wkb/s ms/w>w_await d/s? kbps?>dkb/s ms/d?>d_await %busy>%util
gstat-rs||@ l(q)>aqu-sz ops/s>tps r/s kb/s>rkb/s ms/r>r_await w/s kb/s>wkb/s ms/w>w_await d/s? kb/s?>dkb/s ms/d?>d_await %busy>%util
zpool iostat|since boot|@ alloc>- read>r/s write>w/s read>=rkb/s write>=wkb/s read?>r_await write?>w_await
esxtop||@ actv?>aqu-sz cmds/s>tps reads/s>r/s writes/s>w/s mbread/s>rmb/s mbwrtn/s>wmb/s gavg/cmd>await
vmstat of AIX|since boot|r b avm>- pi>pswpin/s po>pswpout/s sr>scan/s us sy id wa
vmstat|since boot|r b w>- sr?>scan/s us sy id";

/// Each heading has one of these.
const SIGNS: [&str; 9] =
    ["rd_avkb", "%b", "%ut", "% tm_act", "%tm_act", "DAVG/cmd", "% idle", "alloc", "us sy id"];

struct Form {
    tool: &'static str,
    since_boot: bool,
    /// What each column is on Linux.
    columns: Vec<&'static str>,
}

impl Form {
    /// A row reaches to the last column that counts, and none beyond the heading.
    fn has(&self, words: &[&str]) -> bool {
        let last = self.columns.iter().rposition(|own| *own != "-").unwrap_or(0);
        (last + 1..=self.columns.len()).contains(&words.len())
    }
}

fn form(line: &str) -> Option<Form> {
    // A heading has no digits but those of a time of day.
    let is_row = line.bytes().filter(u8::is_ascii_digit).count() > 6;
    if is_row || !SIGNS.iter().any(|sign| line.contains(sign)) {
        return None;
    }
    let lower = line.to_lowercase().replace("% ", "%");
    let mut words: Vec<&str> = lower.split_whitespace().collect();
    // gstat-rs writes `kB/s r` and `kB/s w`.
    if words.first() == Some(&"l(q)") {
        words.retain(|word| !matches!(*word, "r" | "w" | "d"));
    }
    if words.first().is_some_and(|word| time_of_day(word).is_some()) {
        words.remove(0);
    }
    let is_device = |word: &str| ["device", "devices", "name", "pool", "adaptr", "disks:"].contains(&word);
    let last = words.last().is_some_and(|word| is_device(word));
    if last {
        words.rotate_right(1);
    }
    FORMS.lines().find_map(|line| {
        let [tool, since_boot, columns] = line.split('|').collect::<Vec<_>>()[..] else { return None };
        let of = |column: &'static str| {
            let (name, own) = column.split_once('>').unwrap_or((column, column.trim_end_matches('?')));
            (name.trim_end_matches('?'), own, name.ends_with('?'))
        };
        let mut wanted: Vec<(&str, &str, bool)> = columns.split(' ').map(of).rev().collect();
        let mut columns: Vec<&str> = Vec::new();
        for word in &words {
            let fits = |(name, ..): &(&str, &str, bool)| name == word || *name == "@" && is_device(word);
            // The next that must be there, or one before it.
            let next = wanted.iter().rposition(|(.., may_miss)| !may_miss).unwrap_or(0);
            let place = (next..wanted.len()).rev().find(|place| fits(&wanted[*place]));
            columns.push(place.map_or("-", |place| wanted[place].1));
            wanted.truncate(place.unwrap_or(wanted.len()));
        }
        if wanted.iter().any(|(.., may_miss)| !may_miss) {
            return None;
        }
        if last {
            columns.rotate_left(1);
        }
        columns.retain(|own| *own != "!");
        Some(Form { tool, since_boot: !since_boot.is_empty(), columns })
    })
}

/// True for one of the headings.
pub(in crate::import) fn is_devices(text: &str) -> bool {
    stanzas(text).lines().take(2_000).any(|line| form(&clean(line)).is_some())
}

/// `iostat -D` of AIX, which has the figures of a disk in four lines with their names above each, as one row below one heading;
/// and `iostat -Dl`, whose names stand in two lines one above the other.
fn stanzas(text: &str) -> Cow<'_, str> {
    if text.contains(" %tm  ") {
        return Cow::Owned(stacked(text));
    }
    if !text.contains(" xfer: ") {
        return Cow::Borrowed(text);
    }
    let (mut out, mut names, mut row) = (String::new(), String::new(), String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((of, own)) = line.split_once(": ") else { continue };
        let mut words = of.split_whitespace().rev();
        match (words.next(), words.next()) {
            (Some("xfer"), Some(disk)) => {
                out.extend([&*names, "\n", &*row, "\n"]);
                (names, row) = ("Disks:".to_owned(), disk.to_owned());
            }
            (Some("read" | "write" | "queue"), None) => {}
            _ => continue,
        }
        names.extend([" ", own]);
        row.extend([" ", lines.next().unwrap_or("")]);
    }
    Cow::Owned(out + &names + "\n" + &row + "\n")
}

/// Names of two lines in one: `%tm` and `act` below it are `%tm_act`, `avg` and `serv` are `avgserv`.
fn stacked(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_upper = line.trim_start().starts_with("%tm ");
        let Some(below) = lines.next_if(|below| is_upper && below.trim_start().starts_with("act")) else {
            out.extend([line, "\n"]);
            continue;
        };
        let (mut names, runs): (Vec<String>, Vec<Run>) =
            page::words(line).map(|(word, run)| (word.to_owned(), run)).unzip();
        for (word, run) in page::words(below) {
            if let Some(place) = page::nearest(run, &runs) {
                names[place].push_str(word);
            }
        }
        out.push_str(&format!("Disks: {}\n", names.join(" ")).replace("%tmact", "%tm_act"));
    }
    out
}

/// Reads each table.
pub(in crate::import) fn read(text: &str, name: &str) -> Result<ImportedSeries, ReadError> {
    let text = &*stanzas(text);
    let mut builder = Builder::new();
    let mut open: Option<Form> = None;
    let mut tool = "";
    let (mut listed, mut stamp): (BTreeSet<String>, String) = Default::default();
    let of_disks = |form: &Form| form.columns.contains(&"@");
    let headings = text.lines().filter_map(|line| form(&clean(line)));
    let (disks, others): (Vec<bool>, Vec<bool>) =
        headings.map(|form| of_disks(&form)).partition(|disks| *disks);
    let reports = disks.len().max(others.len());
    let mut first = true;
    for line in text.lines().map(clean) {
        if let Some(found) = form(&line) {
            // The CPUs of a report stand above its disks.
            if !of_disks(&found) || open.as_ref().is_none_or(of_disks) {
                begin(&mut builder, std::mem::take(&mut first) && found.since_boot && reports > 1);
                listed.clear();
            }
            tool = found.tool;
            open = Some(found);
            continue;
        }
        let Some(form) = &open else { continue };
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if words.first().is_some_and(|word| time_of_day(word).is_some()) && form.has(&words[1..]) {
            if stamp != words[0] && !std::mem::replace(&mut stamp, words[0].to_owned()).is_empty() {
                begin(&mut builder, false);
                listed.clear();
            }
            words.remove(0);
        }
        if let Some((device, figures)) = row(form, &words) {
            if !listed.insert(device.clone()) {
                begin(&mut builder, false);
                listed = BTreeSet::from([device.clone()]);
            }
            for (own, figure) in figures {
                let Some(area) = area_of(own) else { continue };
                let subject = match area {
                    "disk" => &device,
                    "cpu" => "all",
                    _ => "",
                };
                builder.push(area, subject, own, figure);
            }
        }
    }
    builder.done(recorded(name, tool, "local"))
}

fn begin(builder: &mut Builder, since_boot: bool) {
    if since_boot { builder.begin_since_boot(None) } else { builder.begin(None) }
}

/// The device, and its figures by Linux' names.
fn row(form: &Form, words: &[&str]) -> Option<(String, Vec<(&'static str, f64)>)> {
    if !form.has(words) || words[0] == "Average" {
        return None;
    }
    let mut device = String::new();
    let mut figures: Vec<(&'static str, f64)> = Vec::new();
    for (column, word) in form.columns.iter().zip(words) {
        match *column {
            "-" => {}
            "@" => (*word).clone_into(&mut device),
            _ if *word == "-" => {}
            own => {
                let own_name = own.trim_start_matches(['+', '/', '=']);
                let factor = match own.as_bytes()[0] {
                    b'/' => 0.5,
                    b'=' => 1.0 / 1024.0,
                    _ => 1.0,
                };
                let value = quantity(word)? * factor;
                match figures.iter_mut().find(|(known, _)| *known == own_name && own.starts_with('+')) {
                    Some((_, sum)) => *sum += value,
                    None => figures.push((own_name, value)),
                }
            }
        }
    }
    let is_group = ["mirror", "raidz", "draid", "spare-", "replacing-"];
    // `{8}` of pt-diskstats: as many added up, of which the busy time is the mean.
    if let Some(count) =
        device.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).filter(|count| *count != "1")
    {
        device = format!("{count} devices together");
        figures.retain(|(own, _)| *own != "%util");
    }
    let is_name = device.is_empty()
        || number(&device).is_none() && !is_group.iter().any(|start| device.starts_with(start));
    (is_name && !figures.is_empty()).then_some((device, figures))
}
