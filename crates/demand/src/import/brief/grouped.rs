//! Recorders of a whole host that print several kinds of figures in one line: columns below the titles of groups (dstat and dool,
//! collectl), cells between bars (atop), and sections of CSV (nmon). What each column is called by sysstat is in one table.

use crate::ReadError;
use crate::import::builder::{Builder, recorded};
use crate::import::{clean, number, words};
use crate::page::{self, Run, quantity};
use fullwire_model::GapReason;
use fullwire_model::demand::ImportedSeries;
use fullwire_model::quantity::parse_duration_ns;
use std::collections::BTreeMap;

/// In each line the tool, a part of a group's title, the area, and the names of columns in lower case with those of sysstat: `=`
/// bytes with a unit, `!` the rest of it to 100; the CPUs of atop are a sum over all of them, whose parts become shares. Sources:
/// dool(1), collectl(1), atop(1), nmon(1).
const GROUPS: &str = "\
dstat|cpu|cpu|usr>%user sys>%system idl>%idle wai>%iowait stl>%steal
dstat|total-usage|cpu|usr>%user sys>%system idl>%idle wai>%iowait stl>%steal
dstat|dsk|disk|read>=rkB/s writ>=wkB/s
dstat|io/|disk|read>r/s writ>w/s
dstat|procs|system|run>r blk>b
collectl|cpu|cpu|cpu>!%idle sys>%system user>%user wait>%iowait idle>%idle steal>%steal
collectl|disk|disk|kbread>rkB/s reads>r/s kbwrit>wkB/s writes>w/s
collectl|network|nic|kbin>rxkB/s pktin>rxpck/s kbout>txkB/s pktout>txpck/s
collectl|reads|disk|kbytes>rkB/s ios>r/s wait>r_await
collectl|writes|disk|kbytes>wkB/s ios>w/s wait>w_await
collectl|averages|disk|qlen>aqu-sz wait>await
collectl|pct|disk|util>%util
atop|cpu|cpu|sys>%system user>%user irq>%irq idle>%idle wait>%iowait steal>%steal
atop|dsk|disk|busy>%util avio>await avq>aqu-sz read>/r/s write>/w/s mbr/s>rMB/s mbw/s>wMB/s
nmon|cpu_all|cpu|user%>%user sys%>%system wait%>%iowait idle%>%idle steal%>%steal
nmon|diskbusy|disk|>%util
nmon|diskread|disk|>rkB/s
nmon|diskwrite|disk|>wkB/s
nmon|diskxfer|disk|>tps";

/// A column: its area, and its name of sysstat with the signs of [`GROUPS`].
type Column = (&'static str, &'static str);

/// The column of a group's title; the name of one whose columns are devices is empty.
fn column(tool: &str, title: &str, name: &str) -> Option<Column> {
    let (title, name) = (title.to_lowercase(), name.to_lowercase());
    GROUPS.lines().find_map(|line| {
        let [own_tool, group, area, columns] = line.split('|').collect::<Vec<_>>()[..] else { return None };
        let own = || columns.split(' ').filter_map(|one| one.split_once('>')).find(|(own, _)| *own == name);
        // nmon goes on in DISKBUSY1, and has DISKREADSERV as well.
        let is_own = if tool == "nmon" {
            title.trim_end_matches(|c: char| c.is_ascii_digit()) == group
        } else {
            title.contains(group)
        };
        (own_tool == tool && is_own).then(own)?.map(|(_, own)| (area, own))
    })
}

/// Titles of groups with their places: `----total-cpu-usage---- -dsk/total-`, `--dsk/sda-----dsk/sdb--`,
/// `#<--------CPU--------><----------Disks----------->`.
fn titles(line: &str) -> Vec<(String, Run)> {
    let is_of_collectl = line.contains("--") && line.contains('<');
    let is_of_dstat = line.contains('-') && ["dsk/", "io/", "-usage"].iter().any(|own| line.contains(own));
    if !is_of_collectl && !is_of_dstat {
        return Vec::new();
    }
    if is_of_collectl {
        let parted = line.replace("><", "> ");
        let name = |word: &str| word.trim_matches(['-', '<', '>', '#']).to_owned();
        return page::words(&parted).map(|(word, run)| (name(word), run)).collect();
    }
    // Each sign of a ruler is a blank, but for a dash within a name.
    let chars: Vec<char> = line.chars().collect();
    let is_sign = |at: usize| match chars[at] {
        '|' => true,
        '-' => {
            let is_letter =
                |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(|c| c.is_alphanumeric());
            !is_letter(at.checked_sub(1)) || !is_letter(Some(at + 1))
        }
        _ => false,
    };
    let bare: String = (0..chars.len()).map(|at| if is_sign(at) { ' ' } else { chars[at] }).collect();
    page::words(&bare).map(|(word, run)| (word.to_owned(), run)).collect()
}

/// The tool, and what each column below the titles is; `None`: it is no figure of use.
struct Heading {
    tool: &'static str,
    columns: Vec<Option<(Column, String)>>,
    /// The column of a device's name.
    device: Option<usize>,
}

/// Parts of a line of dstat between its bars, and between the colons of one kind of group.
fn parts(line: &str, colons: bool) -> Vec<&str> {
    line.split('|').flat_map(|part| if colons { part.split(':').collect() } else { vec![part] }).collect()
}

/// The names of the columns below the titles, which a bar separates or which stand below them.
fn heading(above: &str, line: &str) -> Option<Heading> {
    let titles = titles(above);
    let tool = if above.contains('<') { "collectl" } else { "dstat" };
    let runs: Vec<Run> = titles.iter().map(|(_, run)| *run).collect();
    let line = line.replacen('#', " ", 1);
    let mut columns = Vec::new();
    let mut device = None;
    for (group, part) in parts(&line, true).into_iter().enumerate() {
        for (name, run) in page::words(part) {
            let place = if line.contains('|') { Some(group) } else { page::nearest(run, &runs) };
            if name == "Name" {
                device = Some(columns.len());
            }
            let own = place.and_then(|at| titles.get(at)).and_then(|(title, _)| {
                let of = title.split_once('/').map_or("total", |(_, of)| of);
                Some((column(tool, title, name)?, of.to_owned()))
            });
            columns.push(own);
        }
    }
    columns.iter().any(Option::is_some).then_some(Heading { tool, columns, device })
}

/// A row of atop, `DSK | sda | busy 99% | avio 81.2 ms`: its label, and its cells.
fn bars(line: &str) -> Option<(String, Vec<&str>)> {
    let (label, rest) = line.split_once(" |").filter(|(label, _)| matches!(label.trim(), "CPU" | "DSK"))?;
    Some((label.trim().to_lowercase(), rest.split('|').map(str::trim).collect()))
}

/// A row of nmon: `DISKBUSY,T0001,99.8,1.2`; its heading has a title where the row has the number of its interval.
fn section(line: &str) -> Option<(&str, Vec<&str>)> {
    let (name, rest) = line.split_once(',')?;
    let is_name = name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    is_name.then(|| (name, rest.trim_end_matches(',').split(',').collect()))
}

fn tool_of(text: &str) -> Option<&'static str> {
    let lines = || text.lines().take(2_000);
    if text.contains("ZZZZ,T") || lines().any(|line| line.starts_with("CPU_ALL,")) {
        return Some("nmon");
    }
    let is_of_atop = |line: &str| {
        bars(line).is_some_and(|(_, cells)| {
            cells.iter().any(|cell| cell.starts_with("busy ") || cell.starts_with("idle "))
        })
    };
    if lines().any(is_of_atop) {
        return Some("atop");
    }
    let pair = lines().zip(lines().skip(1)).find_map(|(above, line)| heading(above, line));
    pair.map(|found| found.tool)
}

/// True for a recording of one of them.
pub(in crate::import) fn is_grouped(text: &str) -> bool {
    tool_of(text).is_some()
}

/// Reads every row.
pub(in crate::import) fn read(text: &str, name: &str) -> Result<ImportedSeries, ReadError> {
    let tool = tool_of(text).unwrap_or("dstat");
    let mut builder = Builder::new();
    match tool {
        "nmon" => of_nmon(&mut builder, text),
        "atop" => of_atop(&mut builder, text),
        _ => of_columns(&mut builder, text),
    }
    builder.gap("times", GapReason::Absent, "the samples have no times that are read");
    builder.done(recorded(name, tool, "local"))
}

fn of_columns(builder: &mut Builder, text: &str) {
    let mut open: Option<Heading> = None;
    let (mut above, mut last) = (String::new(), String::new());
    for line in text.lines().map(clean) {
        let found = heading(&above, &line);
        let is_heading = found.is_some() || !titles(&line).is_empty();
        open = found.or(open.filter(|_| titles(&line).is_empty()));
        above.clone_from(&line);
        let has_colons = open.as_ref().is_some_and(|open| open.tool == "dstat");
        let cells: Vec<&str> = parts(&line, has_colons).into_iter().flat_map(words).collect();
        let Some(heading) =
            open.as_ref().filter(|heading| !is_heading && heading.columns.len() <= cells.len())
        else {
            continue;
        };
        // A time of two words stands in front.
        let cells = &cells[cells.len() - heading.columns.len()..];
        let device = heading.device.map_or("", |at| cells[at]);
        if heading.device.is_none() || last == device || last.is_empty() {
            builder.begin(None);
            device.clone_into(&mut last);
        }
        for (column, cell) in heading.columns.iter().zip(cells) {
            if let Some(((area, own), of)) = column {
                put(builder, area, if heading.device.is_some() { device } else { of }, own, cell);
            }
        }
    }
}

fn put(builder: &mut Builder, area: &'static str, device: &str, own: &str, cell: &str) {
    let subject = match area {
        "cpu" => "all",
        "system" => "",
        _ => device,
    };
    let value = if own.starts_with('=') { quantity(cell).map(|bytes| bytes / 1024.0) } else { number(cell) };
    if let Some(value) = value {
        let value = if own.starts_with('!') { 100.0 - value } else { value };
        builder.push(area, subject, own.trim_start_matches(['=', '!']), value);
    }
}

fn of_atop(builder: &mut Builder, text: &str) {
    let mut begun = false;
    let mut seconds = None;
    for line in text.lines().map(clean) {
        let Some((group, cells)) = bars(&line) else {
            if line.starts_with("ATOP") {
                (begun, seconds) = (false, elapsed(&line));
            }
            continue;
        };
        if !std::mem::replace(&mut begun, true) {
            builder.begin(None);
        }
        let device = cells.first().copied().unwrap_or("");
        let figures: Vec<(Column, f64)> = cells
            .iter()
            .filter_map(|cell| {
                let (name, value) = cell.split_once(' ')?;
                let (value, unit) = value.trim().split_once(' ').unwrap_or((value.trim(), ""));
                let factor = if unit == "us" { 1e-3 } else { 1.0 };
                Some((column("atop", &group, name)?, number(value.trim_end_matches('%'))? * factor))
            })
            .collect();
        // A request of atop takes the time that the device was busy for it; those of the queue were there meanwhile.
        let of = |own: &str| figures.iter().find(|((_, name), _)| *name == own).map(|(_, value)| *value);
        let queued = of("aqu-sz").map_or(1.0, |queue| queue.max(1.0));
        let rate = of("%util").zip(of("await").filter(|ms| *ms > 0.0)).map(|(busy, ms)| busy * 10.0 / ms);
        let counted = seconds.is_some() && of("/w/s").is_some();
        if let Some(rate) = rate.filter(|_| !counted) {
            builder.push("disk", device, "tps", rate);
        }
        // 700 % of eight CPUs.
        let all: f64 = figures.iter().map(|(_, value)| value).sum();
        let share = if group == "cpu" { 100.0 / all.max(100.0) } else { 1.0 };
        for ((area, own), value) in figures {
            let device = match area {
                "cpu" => "all",
                _ => device,
            };
            match (own.strip_prefix('/'), seconds) {
                (None, _) if own == "await" => builder.push(area, device, own, value * queued),
                (None, _) => builder.push(area, device, own, value * share),
                // Counts of the interval.
                (Some(own), Some(seconds)) => builder.push(area, device, own, value / seconds),
                (Some(_), None) => {}
            }
        }
    }
}

/// `10s elapsed`, `1h10m0s elapsed`: the interval, s.
fn elapsed(line: &str) -> Option<f64> {
    let words = words(line);
    let at = words.iter().position(|word| *word == "elapsed")?;
    let parts = words.get(at.checked_sub(1)?)?.split_inclusive(|c: char| c.is_ascii_alphabetic());
    let ns: Option<u64> = parts.map(|part| parse_duration_ns(part).ok()).sum();
    ns.map(|ns| ns as f64 / 1e9).filter(|seconds| *seconds > 0.0)
}

fn of_nmon(builder: &mut Builder, text: &str) {
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut interval = "";
    for (section, cells) in text.lines().filter_map(section) {
        let first = cells.first().copied().unwrap_or("");
        let is_row = first.strip_prefix('T').is_some_and(|number| number.parse::<u32>().is_ok());
        if !is_row {
            names.insert(section, cells);
            continue;
        }
        if first != interval {
            builder.begin(None);
            interval = first;
        }
        let Some(heading) = names.get(section) else { continue };
        for (name, cell) in heading.iter().zip(&cells).skip(1) {
            let of_device = column("nmon", section, "").map(|own| (own, *name));
            if let Some(((area, own), device)) =
                of_device.or_else(|| Some((column("nmon", section, name)?, "all")))
            {
                put(builder, area, device, own, cell);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, metric: &str, subject: &str) -> Vec<f64> {
        assert!(is_grouped(text), "{text}");
        let file = read(text, "x").unwrap();
        let one = file.series.iter().find(|one| one.metric == metric && one.subject == subject);
        let one = one.unwrap_or_else(|| panic!("no {metric} of {subject}: {:?}", file.series));
        one.samples.iter().map(|sample| (sample.value * 1e6).round() / 1e6).collect()
    }

    #[test]
    fn groups_are_read_by_their_titles() {
        let text = "----total-cpu-usage---- -dsk/total- -net/total- ---paging-- ---system--\nusr sys idl wai hiq siq| read  writ| recv  send|  in   out | int   csw\n\
                      3   2   4  91   0   0|8192B 1212k| 120k  240k|   0     0 |2212  4410\n";
        assert_eq!(
            (of(text, "iowait_ratio", "all"), of(text, "idle_ratio", "all")),
            (vec![0.91], vec![0.04])
        );
        assert_eq!(of(text, "read_bytes_per_s", "total"), [8192.0]);
        assert_eq!(of(text, "write_bytes_per_s", "total"), [1212.0 * 1024.0]);
        let disks = "----system---- --dsk/sdq-----dsk/sdr-- ---load-avg---\n     time     | read  writ: read  writ| 1m   5m  15m \n\
                     14-10 18:44:24|  38k 3442k:   0  812k| 0.1  0.2  0.3\n";
        assert_eq!(of(disks, "write_bytes_per_s", "sdq"), [3442.0 * 1024.0]);
        assert_eq!(of(disks, "write_bytes_per_s", "sdr"), [812.0 * 1024.0]);
        let timed = "----system---- ----total-usage---- -dsk/total- --io/total-\n     time     |usr sys idl wai stl| read  writ| read  writ\n\
                     02-03 10:00:01|  2   1  12  85   0|  12k   81M|  3.00   812\n";
        assert_eq!(
            (of(timed, "iowait_ratio", "all"), of(timed, "write_io_per_s", "total")),
            (vec![0.85], vec![812.0])
        );
    }

    #[test]
    fn titles_may_stand_above_without_bars() {
        let text = "#<--------CPU--------><----------Disks-----------><----------Network---------->\n\
                    #cpu sys inter  ctxsw KBRead  Reads KBWrit Writes KBIn  PktIn  KBOut  PktOut\n  \
                      12   3  2212   4410      4      1  81240    812   12     40     11      30\n";
        assert_eq!(
            (of(text, "idle_ratio", "all"), of(text, "write_io_per_s", "total")),
            (vec![0.88], vec![812.0])
        );
        assert_eq!(of(text, "rx_bytes_per_s", "total"), [12.0 * 1024.0]);
        let disks = "#          <---------reads---------------><---------writes--------------><--------averages--------> Pct\n\
                     #Name       KBytes Merged  IOs Size  Wait  KBytes Merged  IOs Size  Wait  RWSize  QLen  Wait SvcTim Util\n\
                     sdq              0      0    0    0     0    8124     12  812   10    41      10    33    41      1   99\n\
                     sdr              0      0    0    0     0       4      0    1    4     0       4     1     0      0    0\n\
                     sdq              0      0    0    0     0    8124     12  801   10    43      10    35    43      1   98\n";
        assert_eq!(
            (of(disks, "write_await_ns", "sdq"), of(disks, "util_ratio", "sdq")),
            (vec![41e6, 43e6], vec![0.99, 0.98])
        );
    }

    #[test]
    fn cells_between_bars_and_sections_of_csv() {
        let atop = "ATOP - db7     2026/03/02  10:00:01     10s elapsed\nCPU | sys   20% | user  60% | irq  0% | idle   20% | wait  700% |\n\
                    DSK |   sdq | busy   99% | read  8 | write  412 | avio 81.2 ms |\nDSK |   sdr | busy  1% | avio 412 us |\n";
        assert_eq!(
            (of(atop, "iowait_ratio", "all"), of(atop, "await_ns", "sdq")),
            (vec![0.875], vec![81.2e6])
        );
        assert_eq!(
            (of(atop, "await_ns", "sdr"), of(atop, "write_io_per_s", "sdq")),
            (vec![412e3], vec![41.2])
        );
        let longer = atop.replace("10s elapsed", "10m0s elapsed");
        assert_eq!(of(&longer, "write_io_per_s", "sdq"), [0.686_667]);
        let nmon = "CPU_ALL,CPU Total db7,User%,Sys%,Wait%,Idle%,Steal%,Busy,CPUs\nDISKBUSY,Disk %Busy db7,sdq,sdr\nZZZZ,T0001,10:00:01,02-MAR-2026\n\
                    CPU_ALL,T0001,12.0,3.0,71.0,14.0,0.0,,8\nDISKBUSY,T0001,99.8,1.2\nZZZZ,T0002,10:00:11,02-MAR-2026\nDISKBUSY,T0002,99.9,1.0\n";
        assert_eq!(
            (of(nmon, "iowait_ratio", "all"), of(nmon, "util_ratio", "sdq")),
            (vec![0.71], vec![0.998, 0.999])
        );
    }
}
