//! Figures per device as other systems print them: one table of headings, and what each column is called by Linux' `iostat`, so
//! that the same figures are judged alike (iostat(1M), sar(1) and vmstat(1M) of Solaris; iostat, sar and vmstat of AIX; gstat(8),
//! iostat(8) and vmstat(8) of FreeBSD; zpool-iostat(8); pt-diskstats of Percona Toolkit).

use crate::ReadError;
use crate::clock::time_of_day;
use crate::import::builder::{Builder, recorded};
use crate::import::metric::area_of;
use crate::import::{clean, number};
use crate::page::capital_power;
use fullwire_model::demand::ImportedSeries;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// In each line the tool, whether its first report is of the time since boot, and its columns: `@` is the device, `-` no figure
/// of use, `name>own` what it is on Linux, `+` to be added to another column, `/` half of it, `=` bytes, `...` any others, `!` a
/// title without a cell.
const FORMS: &str = "\
pt-diskstats||#ts>- @ rd_s>r/s rd_avkb>rareq-sz rd_mb_s>rMB/s rd_mrg>- rd_cnc>- rd_rt>r_await wr_s>w/s wr_avkb>wareq-sz wr_mb_s>wMB/s wr_mrg>- wr_cnc>- wr_rt>w_await busy>%util in_prg>aqu-sz ...
iostat of Solaris|since boot|@ r/s w/s kr/s>rkb/s kw/s>wkb/s wait>+aqu-sz actv>+aqu-sz wsvc_t>+await asvc_t>+await %w>- %b>%util
iostat of Solaris|since boot|@ r/s w/s mr/s>rmb/s mw/s>wmb/s wait>+aqu-sz actv>+aqu-sz wsvc_t>+await asvc_t>+await %w>- %b>%util
iostat of Solaris|since boot|@ r/s w/s kr/s>rkb/s kw/s>wkb/s wait>+aqu-sz actv>+aqu-sz svc_t>await %w>- %b>%util
iostat of AIX|since boot|disks:>@ %tm_act>%util kbps>kb/s tps kb_read>- kb_wrtn>-
iostat of AIX|since boot|tty:>! tin>- tout>- avg-cpu:>! %user %sys %idle %iowait
sar||@ %busy>%util avque>aqu-sz r+w/s>tps blks/s>/kb/s avwait>+await avserv>+await
sar||@ %busy>%util avque>aqu-sz r+w/s>tps kbs/s>kb/s avwait>+await avserv>+await
gstat||@ l(q)>aqu-sz ops/s>tps r/s kbps>rkb/s ms/r>r_await w/s kbps>wkb/s ms/w>w_await %busy>%util
gstat||@ l(q)>aqu-sz ops/s>tps r/s kbps>rkb/s ms/r>r_await w/s kbps>wkb/s ms/w>w_await d/s kbps>dkb/s ms/d>d_await %busy>%util
gstat-rs||@ l(q)>aqu-sz ops/s>tps r/s kb/r>- kb/s>rkb/s ms/r>r_await w/s kb/w>- kb/s>wkb/s ms/w>w_await d/s kb/d>- kb/s>dkb/s ms/d>d_await o/s>- ms/o>- %busy>%util
iostat of FreeBSD|since boot|@ r/s w/s kr/s>rkb/s kw/s>wkb/s ms/r>r_await ms/w>w_await ms/o>- ms/t>await qlen>aqu-sz %b>%util
iostat of FreeBSD|since boot|@ r/s w/s kr/s>rkb/s kw/s>wkb/s qlen>aqu-sz svc_t>await %b>%util
iost+||@ r/s w/s kr/s>rkb/s kw/s>wkb/s qlen>+aqu-sz res_t>+await svc_t>- %ut>- qlen>+aqu-sz res_t>+await svc_t>- %ut>%util
zpool iostat|since boot|@ alloc>- free>- read>r/s write>w/s read>=rkb/s write>=wkb/s read>r_await write>w_await ...
zpool iostat|since boot|@ alloc>- free>- read>r/s write>w/s read>=rkb/s write>=wkb/s
iostat of AIX|since boot|disks:>@ %tm_act>%util bps>=kb/s tps bread>=rkb/s bwrtn>=wkb/s rps>r/s avgserv>r_await minserv>- maxserv>- timeouts>- fails>- wps>w/s avgserv>w_await minserv>- maxserv>- timeouts>- fails>- avgtime>- mintime>- maxtime>- avgwqsz>+aqu-sz avgsqsz>+aqu-sz sqfull>-
esxtop||@ path>- npth>- cmds/s>tps reads/s>r/s writes/s>w/s mbread/s>rmb/s mbwrtn/s>wmb/s davg/cmd>- kavg/cmd>- gavg/cmd>await qavg/cmd>-
esxtop||@ path/world/partition>- dqlen>- wqlen>- actv>aqu-sz qued>- %usd>- load>- cmds/s>tps reads/s>r/s writes/s>w/s mbread/s>rmb/s mbwrtn/s>wmb/s davg/cmd>- kavg/cmd>- gavg/cmd>await qavg/cmd>-
vmstat of AIX|since boot|r b avm>- fre>- re>- pi>pswpin/s po>pswpout/s ... us sy id wa
vmstat|since boot|r b w>- ... us sy id";

/// Each heading has one of these.
const SIGNS: [&str; 9] =
    ["rd_avkb", "%b", "%ut", "% tm_act", "%tm_act", "DAVG/cmd", "% idle", "alloc", "us sy id"];

struct Form {
    tool: &'static str,
    since_boot: bool,
    columns: Vec<Column>,
    others: bool,
}

#[derive(Clone, Copy)]
struct Column {
    name: &'static str,
    own: &'static str,
}

fn form(line: &str) -> Option<Form> {
    // A heading has no digits but those of a time of day.
    let is_row = line.bytes().filter(u8::is_ascii_digit).count() > 6;
    if is_row || !SIGNS.iter().any(|sign| line.contains(sign)) {
        return None;
    }
    let lower = line.to_lowercase().replace("% ", "%");
    // gstat-rs writes `kB/s r` and `kB/s w`.
    let mut words: Vec<&str> = lower.split_whitespace().collect();
    if words.first() == Some(&"l(q)") {
        words.retain(|word| !matches!(*word, "r" | "w" | "d"));
    }
    if words.first().is_some_and(|word| time_of_day(word).is_some()) {
        words.remove(0);
    }
    let is_device = |word: &str| matches!(word, "device" | "devices" | "name" | "pool" | "adaptr");
    let last = words.last().is_some_and(|word| is_device(word));
    if last {
        words.rotate_right(1);
    }
    FORMS.lines().find_map(|line| {
        let mut parts = line.split('|');
        let (tool, since_boot, columns) = (parts.next()?, parts.next()?, parts.next()?);
        let mut columns: Vec<Column> = columns
            .split(' ')
            .map(|column| column.split_once('>').unwrap_or((column, column)))
            .map(|(name, own)| Column { name, own })
            .collect();
        let hole = columns.iter().position(|column| column.name == "...");
        let fits =
            |column: &Column, word: &&str| column.name == *word || column.name == "@" && is_device(word);
        if let Some(hole) = hole {
            let others = words.len().checked_sub(columns.len() - 1)?;
            let none = Column { name: "", own: "-" };
            columns.splice(hole..=hole, std::iter::repeat_n(none, others));
        }
        let known =
            columns.iter().zip(&words).all(|(column, word)| column.name.is_empty() || fits(column, word));
        // `iostat -xc`: the CPUs stand behind the first device.
        let whole = columns.len() == words.len() || columns.len() < words.len() && !last && hole.is_none();
        if !known || !whole {
            return None;
        }
        if last {
            columns.rotate_left(1);
        }
        columns.retain(|column| column.own != "!");
        Some(Form { tool, since_boot: !since_boot.is_empty(), others: hole.is_none() && !last, columns })
    })
}

/// True for one of the headings.
pub(in crate::import) fn is_devices(text: &str) -> bool {
    stanzas(text).lines().take(2_000).any(|line| form(&clean(line)).is_some())
}

/// `iostat -D` of AIX, which has the figures of a disk in four lines with their names above each, as one row below one heading.
fn stanzas(text: &str) -> Cow<'_, str> {
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

/// Reads each table.
pub(in crate::import) fn read(text: &str, name: &str) -> Result<ImportedSeries, ReadError> {
    let text = &*stanzas(text);
    let mut builder = Builder::new();
    let mut open: Option<Form> = None;
    let mut tool = "";
    let (mut listed, mut stamp): (BTreeSet<String>, String) = Default::default();
    let of_disks = |form: &Form| form.columns.iter().any(|column| column.own == "@");
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
        if words.first().is_some_and(|word| time_of_day(word).is_some()) && words.len() > form.columns.len() {
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
    let fits = words.len() == form.columns.len() || form.others && words.len() > form.columns.len();
    if !fits || words[0] == "Average" {
        return None;
    }
    let mut device = String::new();
    let mut figures: Vec<(&'static str, f64)> = Vec::new();
    for (column, word) in form.columns.iter().zip(words) {
        match column.own {
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
                let value = figure(word)? * factor;
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

/// `13.2K`, `1.32G`, `6ms`, `133ns`: units of zpool (zpool-iostat(8)); times in milliseconds.
fn figure(word: &str) -> Option<f64> {
    // gstat draws a line behind its share of time.
    let word = word.trim_end_matches(['|', '%']);
    let end = word.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(word.len());
    let factor = match &word[end..] {
        "ns" => 1e-6,
        "us" => 1e-3,
        "ms" => 1.0,
        "s" => 1000.0,
        unit => capital_power(unit, 1024.0)?,
    };
    Some(number(&word[..end])? * factor)
}
