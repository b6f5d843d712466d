//! What a text is that someone has: a report, a recording, an output of one command, a piece of a log, or several of them
//! pasted one after the other. The guess is made here for every command.

mod db2diag;
mod exposition;
mod json_lines;
mod key_values;
mod named;
mod of_host;
mod pasted;
mod signs;
mod unknown;

use crate::import::{self, Options};
use crate::joined::listed::is_listing;
use crate::judged::judge;
use crate::{awr, logged, page, redo, stamp, told, totals, views};
use fullwire_model::host::trouble::Known;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

pub use unknown::unknown;

use of_host::{mdstat, mounts, pool};
use signs::{BOND, HELD, LINES, MAPS, MDSTAT, MOUNTS, POOL, SIGNS};

/// What one piece of a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// An AWR or Statspack report, or tables of one.
    Report,
    /// What another tool measured or recorded.
    Recording,
    /// A listing of an Oracle instance's `V$` views.
    Views,
    /// A listing of redo.
    Redo,
    /// A file or an output of a host, which a captured tree has at this path.
    Host(&'static str),
    /// A file of a host, at the path that the text names.
    File(String),
    /// Counters as name and number.
    Totals,
    /// Lines of a log, or of an output whose lines speak for themselves.
    Lines,
}

/// A piece of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: Kind,
    /// Its text, without prompts and signs of quoting.
    pub text: String,
}

/// Parts of a text that are looked at to see whether it is one thing.
const MOST_CHUNKS: usize = 64;

/// So much of a text tells whether it is a listing.
const LONGEST_HEAD_BYTES: usize = 256 << 10;

/// The pieces of a text, in their order; `name` is what the file is called.
pub fn pieces(text: &str, name: &str, options: Options) -> Vec<Piece> {
    let (mut found, mut text) = named::files(&pasted::restored(text));
    if !found.is_empty() && text.trim().is_empty() {
        return found;
    }
    if is_json(text.trim_start()) && import::detect(text.as_bytes(), name).is_err() {
        if ["\"maps\"", "\"path_groups\""].iter().all(|sign| text.contains(sign)) {
            return vec![Piece {
                kind: Kind::Host("/sos_commands/multipath/multipathd_show_maps_json"),
                text,
            }];
        }
        text = told::as_text(&text).or_else(|| json_lines::as_text(&text)).unwrap_or(text);
    }
    text = db2diag::as_text(&text).or_else(|| key_values::as_text(&text)).unwrap_or(text);
    text = import::iperf_rows(&text).or_else(|| exposition::as_text(&text)).unwrap_or(text);
    if let Some(own) = pasted::without_times(&text)
        && whole(&text, name, options).is_none()
        && signed(&own).is_some_and(|kind| signed(&text) != Some(kind))
    {
        text = own;
    }
    let chunks = chunks(&text);
    let several = chunks.len() > 1;
    // One recording may have prompts in it; several kinds of output are several pieces.
    let kind_of = |chunk: &String| {
        let kind =
            signed(chunk).or_else(|| whole(chunk, name, options)).or_else(|| spoken(chunk, options.known))?;
        Some((kind, import::detect(chunk.as_bytes(), name).ok()))
    };
    let mut kinds = chunks.iter().take(if several { MOST_CHUNKS } else { 0 }).filter_map(kind_of);
    let first = kinds.next();
    let mixed = kinds.any(|kind| Some(kind) != first) || text.matches(RUN).count() > 1;
    if let Some(kind) = whole(&text, name, options).filter(|kind| !mixed || *kind == Kind::Report) {
        found.push(Piece { kind, text });
        return found;
    }
    for chunk in chunks {
        // Without its prompt it may be known.
        let anew = several || chunk.len() < text.len();
        let kind =
            if anew { whole(&chunk, name, options).or_else(|| signed(&chunk)) } else { signed(&chunk) };
        let kind = kind.unwrap_or(Kind::Lines);
        let chunk = match kind {
            MOUNTS => mounts(&chunk).join("\n") + "\n",
            MDSTAT if chunk.contains("Raid Level") => mdstat(&chunk),
            POOL if !chunk.contains("pool: ") => pool(&chunk),
            // Cut off above: LACP alone has what follows.
            BOND if !chunk.contains("Bonding Mode: ") => {
                let is_lacp = chunk.contains("802.3ad") || chunk.contains("Aggregator ID");
                let mode = if is_lacp { "IEEE 802.3ad Dynamic link aggregation" } else { "unknown" };
                format!("Bonding Mode: {mode}\n{chunk}")
            }
            MAPS if !chunk.contains(" dm-") => format!("unnamed dm-0 ,\n{}", chunk.trim_start()),
            _ => chunk,
        };
        match (kind, found.last_mut()) {
            // Two recordings may be of two tools.
            (kind, Some(last)) if last.kind == kind && kind != Kind::Recording => {
                last.text.push_str(&chunk);
            }
            (kind, _) => found.push(Piece { kind, text: chunk }),
        }
    }
    found
}

/// One report, recording or listing from beginning to end.
fn whole(text: &str, name: &str, options: Options) -> Option<Kind> {
    if awr::is_report(text) {
        return Some(Kind::Report);
    }
    if import::detect(text.as_bytes(), name).is_ok() {
        return Some(Kind::Recording);
    }
    // Their headings stand near the beginning.
    let head = page::prefix(text, LONGEST_HEAD_BYTES);
    if views::read(head, name).is_ok() {
        return Some(Kind::Views);
    }
    if is_listing(head) {
        return Some(Kind::Lines);
    }
    let history = redo::read(head, name, redo::DEFAULT_HEADROOM, options.date_order);
    history.is_ok().then_some(Kind::Redo)
}

/// Lines of a log, or of an output of a known form, whether or not one of them tells of trouble.
pub fn is_known_form(text: &str, meaning: Known) -> bool {
    signed(text).is_some()
        || stamp::is_log(text)
        || logged::starts(text)
        || judge(text).is_known()
        || logged::is_known(text, meaning)
}

/// The lines of a recording that a log has: with a stamp of the kernel or of syslog, and words behind it.
pub fn stamped(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| {
        let begins =
            line.starts_with('[') || line.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
        let (stamp, rest) = if begins { stamp::split_stamp(line) } else { ("", "") };
        // `Aug 30 05:09:18 | 8:16: ...` is how multipath works, step by step.
        stamp.contains(['.', ':']) && rest.contains(": ") && !rest.starts_with('|') && !line.contains(" | ")
    })
}

/// Lines of a log, where there are any that may tell of trouble.
fn spoken(text: &str, meaning: Known) -> Option<Kind> {
    (!logged::lines(text, "", meaning).is_empty()).then_some(Kind::Lines)
}

/// The kind of a piece by lines that nothing else has.
fn signed(text: &str) -> Option<Kind> {
    let by_columns = || is_listing(page::prefix(text, LONGEST_HEAD_BYTES)).then_some(Kind::Lines);
    text.lines().take(200).find_map(sign).or_else(|| listed(text)).or_else(by_columns)
}

fn sign(line: &str) -> Option<Kind> {
    // By their first byte: every line of a file is held against them.
    static SPEAK: LazyLock<BTreeMap<u8, Vec<&str>>> = LazyLock::new(|| {
        let mut starts: BTreeMap<u8, Vec<&str>> = BTreeMap::new();
        page::each(LINES).for_each(|start| starts.entry(start.as_bytes()[0]).or_default().push(start));
        starts
    });
    if line.trim_start().starts_with("NAME ") && line.contains(" CKSUM") {
        return Some(POOL);
    }
    // Many tables begin with NAME: `lsblk` has other columns beside it than `zpool list` and `kubectl get pods`.
    if line.starts_with("NAME ")
        && !line.split_whitespace().any(|name| {
            ["MAJ:MIN", "MOUNTPOINT", "MOUNTPOINTS", "FSTYPE", "KNAME", "ROTA", "RO", "SCHED"].contains(&name)
        })
    {
        let of_connections = line.contains(" UUID ").then_some(Kind::Lines);
        return line
            .contains(" HEALTH")
            .then_some(Kind::Host("/sos_commands/zfs/zpool_list"))
            .or(of_connections);
    }
    // Solaris indents it.
    let line = if line.trim_start().starts_with("Client rpc") { line.trim_start() } else { line };
    let known = SIGNS.iter().find(|(start, _)| line.starts_with(start)).map(|(_, kind)| kind.clone());
    let own = line.as_bytes().first().and_then(|first| SPEAK.get(first));
    let speaks = || own.is_some_and(|starts| starts.iter().any(|start| line.starts_with(start)));
    known.or_else(|| speaks().then_some(Kind::Lines))
}

/// What a line of a form has.
type Fits<'a> = &'a dyn Fn(&str) -> bool;

/// What a line of `netstat -s` counts.
const OF_PROTOCOLS: [&str; 8] =
    ["packet", "segment", "fragment", "reassembl", "connection", "requests sent", "retransmit", "resets "];

/// Listings that are known by the form of their lines.
fn listed(text: &str) -> Option<Kind> {
    let is_interface = |line: &str| {
        line.contains(": flags=")
            || line.contains("Link encap:")
            || line.contains("> mtu ")
            || line.trim_start().starts_with("RX: ") && line.contains(" packets ")
            || line.starts_with("RX packets:")
    };
    if text.lines().take(200).any(is_interface) && text.contains("RX") {
        return Some(Kind::Totals);
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(200).collect();
    let most = |fits: Fits<'_>| {
        !lines.is_empty() && lines.iter().filter(|line| fits(line)).count() * 2 > lines.len()
    };
    let is_map = |line: &&str| line.contains(" dm-") && !line.contains(':');
    // RHEL 5 wrote `\_ round-robin 0 [prio=4][active]`.
    let is_cut = |line: &&str| line.trim_start().starts_with("size=") && line.contains(" hwhandler=");
    if lines.iter().any(|line| is_map(line) || is_cut(line))
        && (text.contains("policy='") || text.contains("[prio="))
    {
        return Some(MAPS);
    }
    // `multipath -l | grep size`: a map without its paths.
    if lines.iter().any(is_cut) {
        return Some(Kind::Lines);
    }
    // `nstat | grep`: names of counters of the kernel's protocols, with two figures each.
    let is_counter = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let named = ["Tcp", "Udp", "Ip", "Icmp"].iter().any(|start| line.starts_with(start));
        named && words.len() == 3 && words[1..].iter().all(|word| word.parse::<f64>().is_ok())
    };
    // `ethtool -S | grep`, and a cut of `netstat -s`.
    let is_named = |line: &str| {
        let line = line.split("  #").next().unwrap_or(line);
        let name = line.rsplit_once(": ").filter(|(_, value)| value.trim().parse::<u64>().is_ok());
        name.is_some_and(|(name, _)| COUNTED.iter().any(|word| name.contains(word)) && !name.contains("://"))
    };
    let is_told = |line: &str| {
        let (count, rest) = line.trim_start().split_once(' ').unwrap_or_default();
        // Switches set names in a column of their own.
        count.parse::<u64>().is_ok()
            && !rest.starts_with(' ')
            && OF_PROTOCOLS.iter().any(|word| rest.contains(word))
    };
    // `/proc/vmstat`, `/proc/stat`: a name and a number in a line; `vmstat -s`: the number first.
    let has_parts = lines.iter().any(|line| line.contains('_'));
    let is_named_total = |line: &str| {
        let (name, value) = line.split_once(' ').unwrap_or_default();
        let is_name =
            name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        has_parts && is_name && !name.is_empty() && value.parse::<u64>().is_ok()
    };
    let is_statistic = |line: &str| {
        let (count, rest) = line.trim_start().split_once(' ').unwrap_or_default();
        let what = ["K ", "pages ", "interrupts", "forks", "boot time", "CPU context"];
        count.parse::<u64>().is_ok()
            && (rest.ends_with(" ticks") || what.iter().any(|start| rest.starts_with(start)))
    };
    let held = |(start, words, kind): &(&str, &[&str], Kind)| {
        let holds = |line: &&str| line.starts_with(start) && words.iter().all(|word| line.contains(word));
        lines.iter().any(holds).then(|| kind.clone())
    };
    let is_softnet = |line: &str| totals::softnet_row(line).is_some();
    let forms: [(Fits<'_>, Kind); 10] = [
        (&is_counter, Kind::Totals),
        (&is_named, Kind::Totals),
        (&is_told, Kind::Totals),
        (&is_softnet, Kind::Totals),
        (&is_named_total, Kind::Totals),
        (&is_statistic, Kind::Totals),
        (&is_disk_counter, Kind::Host("/proc/diskstats")),
        (&is_of_drbd, Kind::Lines),
        (&is_event, Kind::Lines),
        (&is_raid, Kind::Lines),
    ];
    let by_form = forms.into_iter().find(|(fits, _)| most(fits)).map(|(_, kind)| kind);
    if let Some(kind) = by_form.or_else(|| HELD.iter().find_map(held)) {
        return Some(kind);
    }
    if lines.iter().any(|line| line.starts_with("/dev/md")) && text.contains("RaidDevice State") {
        return Some(MDSTAT);
    }
    // `mdadm --detail`, cut off above.
    if text.contains("Active Devices : ") {
        return Some(Kind::Lines);
    }
    if most(&is_of_fstab) {
        return Some(Kind::Host("/etc/fstab"));
    }
    // Solaris tells its caches and times below each mount.
    let of_times = ["Attr cache:", "Lookups:", "Reads:", "Writes:", "All:"];
    let others =
        lines.iter().filter(|line| of_times.iter().any(|start| line.trim_start().starts_with(start)));
    if mounts(text).len() * 3 > lines.len() - others.count() {
        return Some(MOUNTS);
    }
    let is_setting = |line: &str| {
        let areas = ["net.", "vm.", "fs.", "kernel.", "sunrpc.", "dev."];
        line.split_once('=').is_some_and(|(name, _)| {
            areas.iter().any(|area| name.starts_with(area)) && !name.trim().contains(' ')
        })
    };
    // A file of them is explained by comments.
    let lines: Vec<&str> = lines.into_iter().filter(|line| !line.starts_with(['#', ';'])).collect();
    let all = !lines.is_empty() && lines.iter().filter(|line| is_setting(line)).count() * 2 > lines.len();
    all.then_some(Kind::Host("/sos_commands/kernel/sysctl_-a"))
}

/// A line of `/proc/diskstats`, which has more counters than one of `vmstat -d`.
fn is_disk_counter(line: &str) -> bool {
    const FEWEST: usize = 11;
    page::disk_counters(line).is_some_and(|(_, counts)| counts.len() >= FEWEST)
}

/// A file system that is mounted at boot (fstab(5)): where it is, its place, its kind, its options.
fn is_of_fstab(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [source, target, _, options, ..] = words.as_slice() else { return false };
    let named = ["UUID=", "LABEL=", "PARTUUID=", "/dev/"].iter().any(|start| source.starts_with(start));
    let set = ["defaults", "sw", "noatime", "nofail", "_netdev"];
    named
        && (target.starts_with('/') || ["none", "swap"].contains(target))
        && options.split(',').any(|option| set.contains(&option))
}

/// An event of a BMC's log (ipmitool(1), `sel list`): `8a | 08/31/2016 | 06:20:51 | Memory #0x88 | Correctable ECC | Asserted`.
fn is_event(line: &str) -> bool {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    cells.len() >= 5 && u32::from_str_radix(cells[0], 16).is_ok() && cells[2].contains(':')
}

/// A row of `dmsetup status` of a RAID volume (Linux Documentation/admin-guide/device-mapper/dm-raid.rst).
fn is_raid(line: &str) -> bool {
    line.split_once(": 0 ").is_some_and(|(_, rest)| rest.split(' ').nth(1) == Some("raid"))
}

/// A line of `drbdadm status` or `drbdsetup status`: names, and `field:value`.
fn is_of_drbd(line: &str) -> bool {
    ["role:", "disk:", "connection:", "replication:", "write-ordering:", "al-writes:", "received:"]
        .iter()
        .any(|field| line.split_whitespace().any(|word| word.starts_with(field)))
}

/// What names of an adapter's counters hold.
const COUNTED: [&str; 13] = [
    "rx_", "tx_", "drop", "discard", "_err", "crc", "fifo", "_miss", "pause", "allowance", "error_",
    "_failure_", "loss_of_",
];

/// Parts of a text: each begins behind a prompt with a command, or at a line that only one kind of output has.
fn chunks(text: &str) -> Vec<String> {
    let mut chunks: Vec<String> = vec![String::new()];
    let mut kind: Option<Kind> = None;
    let mut asked = String::new();
    for line in text.lines().map(page::plain) {
        if is_prompt(&line) {
            let of = line.to_lowercase().split_once(" from v$").map(|(_, view)| view.to_owned());
            of.unwrap_or_default().split([' ', ';']).next().unwrap_or("").clone_into(&mut asked);
            // `cat /sys/class/net/eth2/statistics/rx_missed_errors` prints a number alone.
            let counter = line.rsplit_once("/statistics/").map(|(_, name)| format!("{}: ", name.trim()));
            chunks.push(counter.unwrap_or_default());
            kind = None;
            continue;
        }
        // Another run of pgbench.
        if line.starts_with(RUN) && chunks.last().is_some_and(|chunk| chunk.contains(RUN)) {
            chunks.push(String::new());
        }
        if let Some(own) = sign(&line) {
            if kind.as_ref().is_some_and(|kind| *kind != own) {
                chunks.push(String::new());
            }
            kind = Some(own);
        }
        if let Some(last) = chunks.last_mut() {
            if line == "no rows selected" && !asked.is_empty() {
                let _ = write!(last, "v${asked}: ");
            }
            last.push_str(&line);
            last.push('\n');
        }
    }
    chunks.retain(|chunk| !chunk.trim().is_empty());
    chunks
}

/// What each run of pgbench begins with.
const RUN: &str = "transaction type: ";

/// `$ ls -l`, `# dmesg`, `[root@db1 ~]# iostat -x`, `oracle@db1:~$ ls`, `SQL> select`.
fn is_prompt(line: &str) -> bool {
    let bare = line.trim_start();
    let (before, command) = match bare.split_once(['$', '#', '>']) {
        Some((before, rest)) if rest.starts_with(' ') => (before, rest.trim()),
        _ => return false,
    };
    let is_host = before.is_empty()
        || ["SQL", "mysql", "RMAN", "DGMGRL", "CellCLI", "ASMCMD"].contains(&before)
        || before.contains('@')
        || before.ends_with(']');
    let is_command = command.starts_with(|c: char| c.is_ascii_lowercase() || c == '/' || c == '.');
    is_host && is_command && (before.starts_with('[') || !before.contains(' '))
}

/// What begins as JSON does: `[root@db1 ~]$ ls` does not.
fn is_json(text: &str) -> bool {
    text.starts_with('{')
        || text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with(['{', '[', '"']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        pieces(text, "x", Options::default()).into_iter().map(|piece| piece.kind).collect()
    }

    #[test]
    fn several_outputs_in_one_text_are_several_pieces() {
        let iostat = "# iostat -xm 5\nDevice  r/s  w/s  rMB/s  wMB/s  r_await  w_await  aqu-sz  %util\nnvme0n1  0.2  1200.4  0.00  9.40  0.50  38.20  45.86  99.92\n";
        let log = "# dmesg | tail\n[88123.1] nvme nvme0: I/O 812 QID 4 timeout, aborting\n";
        assert_eq!(kinds(&format!("{iostat}{log}")), [Kind::Recording, Kind::Lines]);
        let vmstat = "# vmstat 1 2\nprocs -----memory---- ---swap-- -----io---- -system-- ------cpu-----\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n 1  0 0 1 1 1 0 0 1 1 1 1 1 1 98 0 0\n";
        assert_eq!(kinds(&format!("{iostat}{vmstat}")), [Kind::Recording, Kind::Recording]);
    }

    #[test]
    fn an_output_is_known_by_how_its_lines_begin_or_by_their_form() {
        for (text, kind) in [
            ("     remote           refid      st t when poll reach   delay   offset  jitter\n", Kind::Lines),
            (" 1?: [LOCALHOST]     pmtu 1500\n 1:  gw7  1.2ms\n", Kind::Lines),
            ("Filename\t\t\tType\t\tSize\tUsed\tPriority\n/swap7 file 4096 0 -2\n", Kind::Lines),
            ("NAME  UUID  TYPE  DEVICE\neth7  812  ethernet  eth7\n", Kind::Lines),
            ("net 8 0 8 1\nrpc 812000 7 812000\nproc3 22 1 7\n", Kind::Totals),
            ("nr_dirty 7\npgmajfault 812\n", Kind::Totals),
            ("UUID=0-1 / xfs defaults 0 0\nUUID=0-2 /u07 xfs noatime,nofail 0 0\n", Kind::Host("/etc/fstab")),
            ("pool: tank\nstate: ONLINE\n", Kind::Host("/sos_commands/zfs/zpool_status_-vx")),
            ("some avg10=0.10 avg60=0.00 avg300=0.00 total=15\n", Kind::Lines),
            ("          State : clean, degraded\n Active Devices : 2\n Failed Devices : 1\n", Kind::Lines),
            ("po7  UP  aa:16:0b:54:5c:9e <BROADCAST,MASTER,UP,LOWER_UP>\n", Kind::Lines),
            ("NAME STATE READ WRITE CKSUM\ntank7 DEGRADED 0 0 0\n", POOL),
        ] {
            assert_eq!(kinds(text), [kind], "{text}");
        }
    }

    #[test]
    fn what_a_page_put_on_one_line_is_several() {
        let one = "# zpool status pool: tank state: ONLINE config: NAME STATE READ WRITE CKSUM tank ONLINE 4 0 0 sdq ONLINE 4 0 0 errors: 2 data errors\n";
        let found = pieces(one, "x", Options::default());
        assert_eq!(found.len(), 1);
        assert!(found[0].text.contains("\nsdq ONLINE 4 0 0\nerrors: 2"), "{}", found[0].text);
        let map = "[[36007 dm-4 X,Y size=32G features='0' hwhandler='0' wp=rw `-+- policy='service-time 0' prio=50 status=active |- 3:0:0:3 sdk 8:160 active ready running `- 4:0:0:3 sdl 8:176 active ready running ]]\n";
        let found = pieces(map, "x", Options::default());
        assert!(found[0].text.contains("\n|- 3:0:0:3 sdk"), "{}", found[0].text);
        let counter = "$ cat /sys/class/net/eth7/statistics/rx_missed_errors\n812\n$ uptime\n";
        assert_eq!(pieces(counter, "x", Options::default())[0].text, "rx_missed_errors: 812\n");
    }

    #[test]
    fn what_stands_before_each_line_and_what_is_cut_off_above_is_no_hindrance() {
        let repeated = "09:22:43 DEBUG| [stdout] mpathq (36007) dm-4 X,Y\n09:22:43 DEBUG| [stdout] size=7G features='0' hwhandler='0' wp=rw\n\
                        09:22:43 DEBUG| [stdout] `-+- policy='service-time 0' prio=50 status=active\n";
        let found = pieces(repeated, "x", Options::default());
        assert_eq!(found[0].kind, MAPS);
        assert!(found[0].text.starts_with("mpathq (36007) dm-4 X,Y\nsize=7G"), "{}", found[0].text);
        let table = "        NAME STATE READ WRITE CKSUM\n        tank7 DEGRADED 0 0 0\n          sdq FAULTED 0 0 8\n";
        let found = pieces(table, "x", Options::default());
        assert!(found[0].text.starts_with("  pool: tank7\n state: DEGRADED\n"), "{}", found[0].text);
        let info = "27 1 253:0 / / rw,relatime shared:1 - xfs /dev/sdq1 rw,noquota\n";
        assert_eq!(pieces(info, "x", Options::default())[0].text, "/dev/sdq1 / xfs rw,relatime 0 0\n");
        let solaris = "/u07 from nas07:/vol\n Flags: vers=3,soft\n Attr cache: acregmin=3\n Lookups: srtt=14\n Reads: srtt=7\n All: srtt=9\n";
        assert_eq!(kinds(solaris), [MOUNTS]);
    }

    #[test]
    fn mounts_are_known_in_each_form() {
        let as_mount =
            "nas01:/vol on /u02 type nfs (rw,soft,vers=3)\n/dev/sda1 on / type ext4 (rw,relatime)\n";
        let as_nfsstat = "/u02 from nas01:/vol\n Flags:\trw,soft,vers=3,addr=10.0.0.5\n\n";
        for text in [as_mount, as_nfsstat] {
            let found = pieces(text, "x", Options::default());
            assert_eq!(found[0].kind, MOUNTS, "{text}");
            assert!(found[0].text.starts_with("nas01:/vol /u02 nfs rw,soft,vers=3"), "{}", found[0].text);
        }
    }

    #[test]
    fn details_of_an_array_are_what_mdstat_has() {
        let detail = "/dev/md7:\n     Raid Level : raid5\n   Raid Devices : 3\n          State : clean, degraded, recovering\n Active Devices : 2\n\
                      \n     Chunk Size : 512K\n Rebuild Status : 41% complete\n\n    Number   Major   Minor   RaidDevice State\n       0       8       17        0      active sync   /dev/sdb1\n\
                             4       8       49        1      spare rebuilding   /dev/sdd1\n       2       8       33        -      faulty   /dev/sdc1\n";
        let found = pieces(detail, "x", Options::default());
        assert_eq!(found[0].kind, MDSTAT);
        assert_eq!(
            found[0].text,
            "md7 : active raid5 sdb1[0] sdd1[4] sdc1[2](F)\n      512k chunk [3/2] recovery = 41% complete\n"
        );
    }

    #[test]
    fn counters_and_answers_to_answers_are_known() {
        assert_eq!(kinds("     [0]: rx_discards: 81234\n     rx_crc_errors: 1201443\n"), [Kind::Totals]);
        assert_eq!(
            kinds(
                "650337997 total packets received\n271652117 reassemblies required\n4233888 packet reassembles failed\n"
            ),
            [Kind::Totals]
        );
        let old = "mpath3 (360a98) dm-7 NETAPP,LUN\n[size=40G][features=0][hwhandler=0][rw]\n\\_ round-robin 0 [prio=0][enabled]\n \\_ 0:0:0:3 sdd 8:48 [failed][faulty]\n";
        assert_eq!(kinds(old), [MAPS]);
        assert_eq!(kinds("TcpOutSegs   812733644   0.0\nTcpRetransSegs   41827364   0.0\n"), [Kind::Totals]);
    }
}
