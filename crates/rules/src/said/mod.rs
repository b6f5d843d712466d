//! What the kernel, a driver or a service says by itself: which line means what, why, and what to do. One table, in the
//! files of this folder; this file has no line of it. Every entry has its source.
//!
//! A line is judged by its own words and by the lines beside it; the first entry that fits counts. The rules on the kernel's
//! log ask for the entry of its line (`of`), the rule on what is handed over for that of any line (`of_any`); both take its
//! words and its remedy in place of general ones.

mod adapters;
mod databases;
mod disks;
mod host;
mod kinds;
mod networks;
mod outputs;
mod sense;

pub(crate) use databases::database_kinds;

use crate::advice::{AdviceExt, because, keep_boot_parameter};
use fullwire_model::LoggedLine;
use fullwire_model::assessment::{Advice, Layer, Severity};
use fullwire_model::host::database_log;
use fullwire_model::host::stack::hung_task;
use fullwire_model::host::trouble::Known;
use fullwire_model::host::words::{self, Words};
use fullwire_model::host::{Host, LogLine};
use fullwire_model::subject::{Kind, Subject};
use std::sync::LazyLock;

/// Which lines of a log tell of trouble that is known here, for whoever reads logs.
pub const KNOWN_LINES: Known = Known(is_known);

/// What a line means.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// Of all lines with one name a finding is made.
    pub(crate) name: &'static str,
    /// Who writes the line: one of these drivers, programs or parts; empty: anyone.
    whose: &'static [&'static str],
    /// What the line holds, all of it, in any case of letters, between the borders of words (`words::is_word_at`).
    all: &'static [&'static str],
    /// What it holds one of; empty: nothing more.
    any: &'static [&'static str],
    /// What another line of the same log holds one of; empty: nothing is asked.
    beside: &'static [&'static str],
    /// A number behind these words, `*` standing for anything, that must be at least so large.
    pub(crate) least: Option<(&'static str, f64)>,
    /// Whose floor it is; `None`: that of the rule which shows it.
    pub(crate) layer: Option<Layer>,
    /// How bad it is on the day; `None`: it is no trouble, or part of what another line reports.
    pub(crate) severity: Option<Severity>,
    /// What happened: a clause after the device's name, or with a subject of its own. `{n}` is the number of `least`, `{s}` the
    /// longest time that a line names, `{task}` the task that hangs.
    pub(crate) says: &'static str,
    /// What happened is said with a subject of its own.
    has_subject: bool,
    /// Why, and what it does to the database; empty: what happened tells it.
    pub(crate) why: &'static str,
    /// What to do now.
    now: &'static [&'static str],
    /// What ends it.
    lasting: &'static [&'static str],
    /// Parameters of the kernel's command line that end it.
    boot: &'static [(&'static str, &'static str)],
    /// What stands before the number of seconds in the line; empty: it has none.
    figure: &'static str,
    /// Where it is from.
    pub(crate) source: &'static str,
}

const EMPTY: Entry = Entry {
    name: "",
    whose: &[],
    all: &[],
    any: &[],
    beside: &[],
    least: None,
    layer: None,
    severity: None,
    says: "",
    has_subject: false,
    why: "",
    now: &[],
    lasting: &[],
    boot: &[],
    figure: "",
    source: "",
};

/// A line that is told with a subject of its own.
const fn told(
    all: &'static [&'static str],
    layer: Layer,
    says: &'static str,
    now: &'static [&'static str],
    source: &'static str,
) -> Entry {
    let severity = Some(Severity::Warning);
    Entry { name: says, layer: Some(layer), all, severity, says, has_subject: true, now, source, ..EMPTY }
}

/// The same, where the database stands still or data are at risk.
const fn critical(entry: Entry) -> Entry {
    Entry { severity: Some(Severity::Critical), ..entry }
}

/// The same from a number on.
const fn at_least(least: (&'static str, f64), entry: Entry) -> Entry {
    Entry { least: Some(least), ..entry }
}

/// What the kernel and its drivers log, the more special before the more general.
fn of_kernel() -> impl Iterator<Item = &'static Entry> {
    [sense::ENTRIES, disks::ENTRIES, adapters::ENTRIES, networks::ENTRIES, host::TASKS].into_iter().flatten()
}

/// What any line of a kind means, and what is no trouble.
fn in_general() -> impl Iterator<Item = &'static Entry> {
    kinds::entries().chain(host::AT_BOOT)
}

/// All that is known by its own words: lines of databases' logs are known by their kind as well.
fn entries() -> impl Iterator<Item = &'static Entry> {
    of_kernel().chain([&host::WITHOUT_STACK]).chain(outputs::entries()).chain(in_general())
}

impl Entry {
    /// A line that it fits holds one of these words.
    fn handles(&self) -> &'static [&'static str] {
        let longest = (0..self.all.len()).max_by_key(|index| self.all[*index].len());
        longest.map_or(self.any, |index| &self.all[index..=index])
    }

    fn fits(&self, line: &str, beside: &dyn Fn(&str) -> bool) -> bool {
        let holds = |word: &&str| words::holds(line, &word.to_lowercase());
        (self.whose.is_empty() || self.whose.iter().any(|name| kinds::is_of(line, name)))
            && self.all.iter().all(holds)
            && (self.any.is_empty() || self.any.iter().any(holds))
            && (self.beside.is_empty() || self.beside.iter().any(|word| beside(&word.to_lowercase())))
    }

    /// The longest wait that these lines tell of, s.
    pub(crate) fn longest_s(&self, lines: &[&LogLine]) -> Option<f64> {
        let seconds = lines.iter().filter_map(|line| number_after(&line.text, self.figure));
        seconds.reduce(f64::max).filter(|_| !self.figure.is_empty())
    }

    /// What happened to this device, by the line, and its number and longest time.
    pub(crate) fn message(&self, device: &str, text: &str, number: &str, longest: &str) -> String {
        let task =
            hung_task(text).map_or("a task", |task| task.rsplit_once(':').map_or(task, |(name, _)| name));
        let says = self.says.replace("{n}", number).replace("{s}", longest).replace("{task}", task);
        if self.has_subject { says } else { format!("{device} {says}") }
    }

    /// It is no trouble.
    pub(crate) fn is_harmless(&self) -> bool {
        self.severity.is_none()
    }

    /// What it says has a subject of its own, and is no clause after the name of a device.
    pub(crate) fn has_subject(&self) -> bool {
        self.has_subject
    }

    /// What to do about it on this host.
    pub(crate) fn advice(&self, host: &Host) -> Advice {
        let why = if self.why.is_empty() {
            format!("It is documented in {}.", self.source)
        } else {
            self.why.to_owned()
        };
        let mut advice = self.now.iter().fold(because(why), |advice, text| advice.now(*text));
        for (name, value) in self.boot {
            advice = advice.and(keep_boot_parameter(host, name, value));
        }
        if !self.boot.is_empty() {
            advice = advice.persist("Restart the host: the kernel reads them at boot alone").reboots();
        }
        let advice = self.lasting.iter().fold(advice, |advice, text| advice.persist(*text));
        advice.expecting("the line does not appear again")
    }
}

/// The entry of a line of the kernel's log among the others of it.
pub(crate) fn of(line: &LogLine, log: &[LogLine]) -> Option<&'static Entry> {
    let beside = |word: &str| log.iter().any(|other| words::holds(&other.text.to_lowercase(), word));
    // What a pattern is for has its own rule; other lines mean in a host's log what they mean in a piece of it.
    let outputs = outputs::entries().filter(|entry| line.pattern == "trouble" && entry.least.is_none());
    find(of_kernel().chain(outputs).chain(in_general()), &line.text, &beside)
}

/// An entry of trouble has the words of this line. Only those are asked of which the line holds one word.
fn is_known(line: &str) -> bool {
    static ASKED: LazyLock<(Words, Vec<&'static Entry>)> = LazyLock::new(|| {
        let trouble = entries().filter(|entry| !entry.is_harmless());
        let (words, entries): (Vec<_>, Vec<_>) = trouble
            .flat_map(|entry| entry.handles().iter().map(move |word| (word.to_lowercase(), entry)))
            .unzip();
        (Words::new(words), entries)
    });
    let (words, entries) = &*ASKED;
    let lower = line.to_lowercase();
    words.found_in(&lower).any(|(which, _)| entries[which].fits(&lower, &|_| true))
}

/// Who wrote a line that no entry knows, in words, and what to look at.
pub(crate) fn writer(text: &str) -> Option<(&'static str, &'static str)> {
    kinds::writer(&text.to_lowercase())
}

/// The entry of a line of any log or output among the others.
pub(crate) fn of_any(line: &LoggedLine, log: &[LoggedLine]) -> Option<&'static Entry> {
    let beside = |word: &str| log.iter().any(|other| words::holds(&other.text.to_lowercase(), word));
    // What is harmless in the kernel's log comes last, for its words are few.
    let (trouble, harmless): (Vec<_>, Vec<_>) = entries().partition(|one| !one.is_harmless());
    let of_database = || {
        let kind = database_log::kind_of(&line.text).filter(|kind| *kind != database_log::UNKNOWN)?;
        database_kinds().find(|entry| entry.name == kind)
    };
    let lower = line.text.to_lowercase();
    let reached = |entry: &&'static Entry| {
        entry.least.is_none_or(|(behind, least)| number(&lower, behind).is_none_or(|number| number >= least))
    };
    // A number that is too small for one entry may be enough for another; else it is no trouble.
    find(trouble.iter().copied().filter(reached), &line.text, &beside)
        .or_else(|| find(trouble.into_iter(), &line.text, &beside))
        .or_else(of_database)
        .or_else(|| find(harmless.into_iter(), &line.text, &beside))
}

/// The number behind these words, whatever stands between: `*` for anything, blanks, or the edges of a table's cells.
pub(crate) fn number(text: &str, behind: &str) -> Option<f64> {
    let mut rest = text;
    for part in behind.split('*') {
        rest = rest.split_once(part)?.1;
    }
    let rest = rest.trim_start_matches([' ', '\t', '|', ':', '=', '"', '+', '-']);
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.trim_end_matches('.').parse().ok()
}

fn find(
    mut among: impl Iterator<Item = &'static Entry>,
    text: &str,
    beside: &dyn Fn(&str) -> bool,
) -> Option<&'static Entry> {
    let text = text.to_lowercase();
    among.find(|entry| entry.fits(&text, beside))
}

/// The number that follows a mark in a line: 7.645 of `wal: sync duration of 7.645129468s`.
pub(crate) fn number_after(text: &str, mark: &str) -> Option<f64> {
    let (_, rest) = text.split_once(mark)?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    rest[..end].parse().ok().filter(|number: &f64| number.is_finite())
}

/// The device that a line is about, as it calls it: `nvme0`, `sdl`, `ata4.00`, `mpt2sas0`, `connection1:0`.
pub(crate) fn device_of(text: &str) -> Option<&str> {
    let bare = |word: &'_ str| -> Option<(usize, usize)> {
        let start = word.len() - word.trim_start_matches(['[', '(', '"']).len();
        let end = word.trim_end_matches([':', ',', '.', ')', ']', '"', '!']).len();
        (start < end).then_some((start, end))
    };
    let words = text.split_whitespace().filter_map(|word| bare(word).map(|(start, end)| &word[start..end]));
    words.filter(|word| !word.contains('=')).find(|word| is_device(word))
}

/// How the names of kinds of devices begin; one that begins with none of these is a block device.
const BEGINNINGS: [(Kind, &[&str]); 6] = [
    (Kind::MultipathMap, &["mpath", "emcpower"]),
    (Kind::Nic, &["eth", "en", "em", "ib", "team"]),
    (Kind::Bond, &["bond"]),
    (Kind::Adapter, &["ata", "mpt", "host", "0000:"]),
    (Kind::IscsiSession, &["connection", "session"]),
    (Kind::RemotePort, &["rport-"]),
];

/// The device that has this name in the kernel's log.
pub(crate) fn thing(name: &str) -> Subject {
    // `nvme0` is a controller, `nvme0n1` a disk behind it.
    let controller = name.strip_prefix("nvme").is_some_and(|rest| !rest.contains('n'));
    let known = BEGINNINGS.iter().find(|(_, all)| all.iter().any(|start| name.starts_with(start)));
    let named = known.map_or(Kind::Disk, |(kind, _)| *kind);
    if controller { Kind::NvmeController } else { named }.named(name)
}

fn is_device(word: &str) -> bool {
    let numbered = |prefix: &str| {
        word.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let letters = |prefix: &str| {
        word.strip_prefix(prefix).is_some_and(|rest| {
            (1..=3).contains(&rest.len()) && rest.bytes().all(|byte| byte.is_ascii_lowercase())
        })
    };
    letters("sd")
        || letters("vd")
        || [
            "nvme",
            "dm-",
            "md",
            "ata",
            "mpt2sas",
            "mpt3sas",
            "mpt2sas_cm",
            "mpt3sas_cm",
            "connection",
            "session",
        ]
        .iter()
        .any(|prefix| numbered(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn line(text: &str) -> LogLine {
        LogLine { text: text.into(), ..LogLine::default() }
    }

    fn named(texts: &[&str]) -> Vec<&'static str> {
        let log: Vec<LogLine> = texts.iter().map(|text| line(text)).collect();
        log.iter().map(|one| of(one, &log).map_or("", |entry| entry.name)).collect()
    }

    #[test]
    fn every_entry_is_whole_and_has_its_source() {
        let mut trouble = BTreeSet::new();
        for entry in entries() {
            assert!(
                !entry.source.is_empty() && !entry.all.is_empty() | !entry.any.is_empty(),
                "{}",
                entry.name
            );
            if entry.severity.is_some() {
                assert!(
                    !entry.says.is_empty() && (entry.has_subject || !entry.why.is_empty()),
                    "{}",
                    entry.name
                );
                assert!(!entry.now.is_empty() || !entry.lasting.is_empty(), "{}", entry.name);
                trouble.insert(entry.name);
            }
        }
        assert!(trouble.len() > 35, "{trouble:?}");
    }

    /// What a line of a database's log is of has a meaning, and no meaning is without lines.
    #[test]
    fn every_kind_of_a_databases_line_has_its_entry() {
        let kinds: BTreeSet<&str> = database_log::kinds().collect();
        let told: BTreeSet<&str> = database_kinds().map(|entry| entry.name).collect();
        assert_eq!(kinds, told);
        assert_eq!(told.len(), database_kinds().count(), "no kind has two");
    }

    /// No entry hides one that is more exact.
    #[test]
    fn every_entry_of_an_output_can_be_reached() {
        for entry in outputs::entries() {
            let words = [entry.all, &entry.any[..entry.any.len().min(1)]].concat();
            let line = LoggedLine { text: words.join(" "), ..LoggedLine::default() };
            let beside = entry.beside.iter().take(1);
            let log: Vec<LoggedLine> =
                beside.map(|word| LoggedLine { text: (*word).to_owned(), ..LoggedLine::default() }).collect();
            let first = of_any(&line, &log).expect("an entry");
            assert!(
                std::ptr::eq(first, entry),
                "{:?} is hidden by {} {:?}",
                entry.all,
                first.name,
                first.all
            );
        }
    }

    /// The command and the lines beside it decide: the same timeout is the drive's or the link's.
    #[test]
    fn the_command_and_the_lines_beside_it_decide() {
        let flush = "ata4.00: failed command: FLUSH CACHE EXT";
        assert_eq!(
            named(&[flush, "ata4.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen"])[0],
            "ata-flush"
        );
        assert_eq!(named(&[flush, "ata4: SError: { UnrecovData 10B8B BadCRC }"]), ["ata-link", "ata-link"]);
        assert_eq!(
            named(&["ata4.00: failed command: READ FPDMA QUEUED", "ata4.00: error: { UNC }"]),
            ["medium", "medium"]
        );
        assert_eq!(
            named(&["nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10"]),
            ["nvme-power"]
        );
        assert_eq!(
            named(&["nvme nvme0: controller is down; will reset: CSTS=0x3, PCI_STATUS=0x10"]),
            ["nvme-fatal"]
        );
        let through = "The controller write policy has been changed to Write Through.";
        assert_eq!(named(&[through]), ["raid-write-through"]);
        assert_eq!(
            named(&[through, "The controller battery Learn cycle has started."])[0],
            "raid-battery-learn"
        );
    }

    /// A word of the table is no part of another word, and a table of settings or a sound device has words of it too.
    #[test]
    fn what_only_contains_the_letters_of_an_entry_is_not_its_line() {
        let any = |text: &str| {
            let line = LoggedLine { text: text.to_owned(), ..LoggedLine::default() };
            of_any(&line, std::slice::from_ref(&line)).map(|entry| entry.says)
        };
        for text in [
            "add_flow: OFPInstructionGotoTable(table_id=7)",
            "ceph: downloading the image of mds7",
            "       State: degraded (configured)",
            "bcache: bch_cached_dev_attach() error: device busy",
            "rpc-gssd.service enabled",
        ] {
            assert_eq!(any(text), None, "{text}");
        }
        for (text, part) in [
            ("State               : Degraded", "RAID group"),
            ("bcache: bch_count_io_errors() sdq7: IO error on writing btree.", "a cache"),
            ("bcache: cache_set_error() error on 7-7-7, disabling caching", "a cache"),
            (
                "BTRFS error (device dm-7): bdev /dev/loop7p2 errs: wr 0, rd 3, flush 0, corrupt 0, gen 0",
                "a device below",
            ),
            (
                "BTRFS error (device dm-7): bdev /dev/sdq errs: wr 0, rd 0, flush 0, corrupt 3, gen 0",
                "damaged",
            ),
            ("lpfc 0000:05:00.0: 0:(0):4679 FPIN Congestion Rcv", "fabric reports a port"),
        ] {
            assert!(any(text).is_some_and(|says| says.contains(part)), "{text}: {:?}", any(text));
        }
    }

    /// Under the names of older kernels and of newer ones.
    #[test]
    fn adapters_are_known_by_each_of_their_names() {
        for (text, name) in [
            ("mpt2sas0: fault_state(0x5841)!", "adapter-stopped"),
            ("mpt2sas_cm0: fault_state(0x5854)!", "adapter-stopped"),
            ("mpt3sas_cm1: sending diag reset !!", "adapter-stopped"),
            ("aacraid: Host adapter abort request (0,1,0,0)", "adapter-stopped"),
            (
                "megaraid_sas 0000:01:00.0: FW in FAULT state Fault code:0x10000 subcode:0x0",
                "adapter-stopped",
            ),
            ("hpsa 0000:03:00.0: controller lockup detected: 0x00130000 after 30", "adapter-stopped"),
            ("qla2xxx [0000:05:00.0]-5003:1: ISP System Error - mbx1=1234h", "fabric-stopped"),
            (
                "lpfc 0000:05:00.0: 0:(0):0459 Adapter heartbeat failure, taking this port offline.",
                "fabric-stopped",
            ),
            ("be2net 0000:04:00.0: Unrecoverable Error detected in the adapter", "nic-reset"),
            ("ena 0000:00:05.0 eth0: Keep alive watchdog timeout.", "nic-ena"),
            ("mlx5_core 0000:18:00.0: device's health compromised - reached miss count", "nic-reset"),
            ("i40e 0000:3b:00.0 ens1f0: tx_timeout: VSI_seid: 390, Q 5, NTC: 0x0", "nic-reset"),
            // Of a driver that no other line here names, and of one that was not there when this was written.
            ("hns3 0000:bd:00.0 eth0: tx_timeout count: 1, queue id: 2", "nic-reset"),
            ("megaraid_sas 0000:18:00.0: Adapter is DEAD", "adapter-stopped"),
        ] {
            assert_eq!(named(&[text]), [name], "{text}");
        }
        // What each boot prints of the same drivers.
        for text in [
            "megaraid_sas 0000:01:00.0: Online Controller Reset(OCR)\t: Enabled",
            "mpt3sas_cm0: sending message unit reset !!",
            "mpt3sas_cm0: port enable: SUCCESS",
            "vmw_pvscsi: reset of the bus at boot",
            "mlx5_core 0000:b1:00.0: Rate limit: 127 rates are supported",
        ] {
            assert!(of(&line(text), &[]).is_none_or(Entry::is_harmless), "{text}");
        }
    }

    /// The array's or disk's own answer decides, and whose line it is.
    #[test]
    fn an_answer_means_the_same_of_any_device() {
        for (text, part) in [
            ("sd 2:0:3:0: [sdd] tag#12 Add. Sense: Failure prediction threshold exceeded", "about to fail"),
            ("sd 1:0:0:0: [sdb] tag#3 Add. Sense: Information unit iuCRC error detected", "its link"),
            (
                "sd 1:0:0:3: [sdc] Add. Sense: Logical unit not accessible, target port in standby state",
                "does not serve it",
            ),
            (
                "sd 3:0:0:1: [sdf] tag#8 FAILED Result: hostbyte=DID_TRANSPORT_MARGINAL driverbyte=DRIVER_OK",
                "over this path",
            ),
            (
                "nvme0n1: I/O Cmd(0x1) @ LBA 5120, 8 blocks, I/O Error (sct 0x3 / sc 0x71)",
                "does not serve it",
            ),
            ("device-mapper: integrity: dm-3: Checksum failed at sector 0x1234", "damaged data"),
            ("o2net: Connection to node db2 (num 1) has been idle for 30.0 secs", "was not heard"),
        ] {
            let entry = of(&line(text), &[]).expect(text);
            assert!(entry.says.contains(part), "{text}: {}", entry.says);
        }
    }

    /// A command that an array does not know loses nothing.
    #[test]
    fn what_a_disk_may_refuse_is_no_lost_write() {
        for text in [
            "blk_update_request: critical target error, dev sdc, sector 2048 op 0x9:(WRITE_ZEROES) flags 0x800",
            "critical target error, dev sdc, sector 2048 op 0x3:(DISCARD) flags 0x0",
            "sd 2:0:0:1: [sdc] tag#0 CDB: Write same(16) 93 08 00 00",
        ] {
            assert_eq!(named(&[text]), ["trim-refused"], "{text}");
        }
        let one = line("sd 2:0:0:1: [sdc] tag#0 Sense Key : Illegal Request [current]");
        assert!(of(&one, &[]).is_some_and(Entry::is_harmless));
    }

    #[test]
    fn what_a_task_waits_for_is_told() {
        let of_task = |place: &str| {
            named(&[&format!(
                "INFO: task ora_lgwr:4711 blocked for more than 120 seconds. [waits in {place}]"
            )])[0]
        };
        assert_eq!(of_task("jbd2_log_wait_commit"), "hung-journal");
        assert_eq!(of_task("blkdev_issue_flush"), "hung-flush");
        assert_eq!(of_task("rpc_wait_bit_killable"), "hung-nfs");
        assert_eq!(of_task("io_schedule"), "hung-device");
        assert_eq!(of_task("io_schedule blk_mq_get_tag"), "hung-queue");
        assert_eq!(of_task("io_schedule wait_on_buffer jbd2_journal_commit_transaction"), "hung-journal");
        assert_eq!(of_task("rwsem_down_write_slowpath ext4_file_write_iter"), "hung-lock");
        assert_eq!(of_task("io_schedule rwsem_down_read"), "hung-device");
        assert_eq!(of_task("md_super_wait submit_bio_wait"), "hung-md");
        assert_eq!(of_task("shrink_folio_list try_to_free_pages ext4_sync_file"), "hung-memory");
        let paths = named(&[
            "INFO: task ora_lgwr:4711 blocked for more than 120 seconds. [waits in io_schedule bio_wait]",
            "multipathd[811]: mpatha: remaining active paths: 0",
        ]);
        assert_eq!(paths[0], "hung-paths");
        let task = "INFO: task ora_lgwr:4711 blocked for more than 120 seconds. [waits in txg_wait_synced]";
        let told = of(&line(task), &[]).expect("an entry").message("", task, "", "");
        assert_eq!(told, "ora_lgwr hangs: it waits for its ZFS pool");
    }

    #[test]
    fn a_device_is_known_by_the_name_that_the_line_has() {
        for (text, name) in [
            ("end_request: critical medium error, dev sdl, sector 657746440", "sdl"),
            ("sd 0:0:11:0: [sdl] Sense Key : Medium Error [current] ", "sdl"),
            ("ata4.00: failed command: FLUSH CACHE EXT", "ata4.00"),
            ("mpt2sas0: fault_state(0x5841)!", "mpt2sas0"),
            (" connection1:0: detected conn error (1022)", "connection1:0"),
        ] {
            assert_eq!(device_of(text), Some(name), "{text}");
        }
        assert_eq!(device_of("nothing of a device"), None);
    }
}
