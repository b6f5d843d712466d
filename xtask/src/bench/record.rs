//! What recording costs: CPU, memory and bytes of a sample, on synthetic hosts of 20, 200 and 1,000 disks. A fifth of the disks
//! is busy. The counters are rewritten in place while the recorder reads them.

use super::process::{cpu_s, json, number};
use super::table::Table;
use super::{BenchPlan, built, day};
use crate::target_dir;
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const DISKS: [u64; 3] = [20, 200, 1000];
const CPUS: u64 = 32;

/// Samples come faster than a second, so that a run of seconds has many; the cost of one is what is reported.
const INTERVAL_MS: u64 = 200;

/// Counters change this often.
const CHANGE_EVERY: Duration = Duration::from_millis(100);

pub(super) fn run(plan: &BenchPlan, table: &mut Table) -> Result<()> {
    let fullwire = plan.fullwire.clone().map_or_else(built, Ok)?;
    let place = target_dir().join(format!("bench-record-{}", std::process::id()));
    table.note("share of a core: CPU time of a sample at one a second, the start of the program left out");
    let outcome = DISKS.iter().try_for_each(|&disks| {
        let host = Synthetic::make(&place.join(disks.to_string()), disks)?;
        measure(&fullwire, &host, disks, plan, table)
    });
    let _ = std::fs::remove_dir_all(&place);
    outcome?;
    day::run(&fullwire, plan, table)
}

fn measure(fullwire: &Path, host: &Synthetic, disks: u64, plan: &BenchPlan, table: &mut Table) -> Result<()> {
    let (mut share, mut bytes, mut slowest, mut rss) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut others: Vec<Vec<f64>> = vec![Vec::new(); OTHERS.len()];
    for round in 0..plan.pairs {
        let file = host.root.with_extension(format!("{round}.fwr"));
        let seen = json(
            Command::new(fullwire)
                .args(["record", "--json", "--quiet", "--interval", &format!("{INTERVAL_MS}ms")])
                .args(["--for", &format!("{}s", plan.seconds.max(3))])
                .arg("--root")
                .arg(&host.root)
                .arg("-o")
                .arg(&file),
        )?;
        let samples = number(&seen, "/samples")?;
        share.push(number(&seen, "/cost/cpu_s")? / samples * 100.0);
        bytes.push(bytes_of_differences(&file)?);
        slowest.push(number(&seen, "/cost/slowest_sample_ns")? / 1e6);
        rss.push(number(&seen, "/cost/rss_peak_bytes")? / 1_048_576.0);
        for (other, shares) in OTHERS.iter().zip(&mut others) {
            shares.extend(other.share(host, plan.seconds.max(3))?);
        }
    }
    let label = |what: &str| format!("{disks} disks: {what}");
    table.alone(&label("share of a core"), "%", &share, if disks >= 1000 { "< 2" } else { "< 0.5" });
    for (other, shares) in OTHERS.iter().zip(&others).filter(|(_, shares)| !shares.is_empty()) {
        table.alone(&label(&format!("share of a core, {}", other.name)), "%", shares, "");
    }
    table.alone(&label("sample"), "bytes", &bytes, if disks >= 1000 { "<= 10,000" } else { "" });
    table.alone(&label("slowest sample"), "ms", &slowest, "");
    table.alone(&label("memory"), "MiB", &rss, "");
    Ok(())
}

/// Another recorder, with what goes before its interval and count.
struct Other {
    name: &'static str,
    programs: &'static [&'static str],
    options: &'static [&'static str],
}

/// Stands for the file that is written.
const OUTPUT: &str = "OUTPUT";

const OTHERS: [Other; 2] = [
    Other {
        name: "sadc",
        programs: &["/usr/lib/sysstat/sadc", "/usr/lib64/sa/sadc"],
        options: &["-S", "DISK", "1"],
    },
    Other { name: "atop", programs: &["/usr/bin/atop"], options: &["-w", OUTPUT, "1"] },
];

impl Other {
    /// Of a core, at a sample a second, its start included; `None`: it is not installed. It knows no other root than `/`: the
    /// synthetic counters lie over the kernel's in a mount namespace of its own.
    fn share(&self, host: &Synthetic, seconds: u64) -> Result<Option<f64>> {
        let Some(program) = self.programs.iter().find(|program| Path::new(program).exists()) else {
            return Ok(None);
        };
        let output = host.root.with_extension(self.name);
        let _ = std::fs::remove_file(&output);
        let mut command = Command::new("unshare");
        let script = "mount --bind \"$0/proc/diskstats\" /proc/diskstats && mount --bind \"$0/sys/block\" /sys/block && exec \"$@\"";
        command.args(["-m", "sh", "-c", script]).arg(&host.root).arg(program);
        for option in self.options {
            command.arg(if *option == OUTPUT { output.as_os_str() } else { option.as_ref() });
        }
        command.arg(seconds.to_string());
        if self.name == "sadc" {
            command.arg(&output);
        }
        Ok(Some(cpu_s(&mut command)? / seconds as f64 * 100.0))
    }
}

/// The mean body of the samples that are no key frames.
fn bytes_of_differences(file: &Path) -> Result<f64> {
    let query = "SELECT avg(length(body)) FROM sample WHERE key <> seq";
    let script =
        format!("import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute('{query}').fetchone()[0])");
    let output = Command::new("/usr/bin/python3").args(["-c", &script]).arg(file).output();
    let output = output.context("start python3, which reads the recording")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.trim().parse().with_context(|| format!("the mean of a sample's bytes: {text}"))
}

/// A tree that stands for a host, and the thread that lets it work.
struct Synthetic {
    root: PathBuf,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Synthetic {
    fn make(root: &Path, disks: u64) -> Result<Self> {
        let write = |path: &str, text: &str| -> Result<()> {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().context("it has a parent")?)?;
            std::fs::write(&path, text).with_context(|| format!("write {}", path.display()))
        };
        for disk in 0..disks {
            let directory = format!("sys/block/{}", name(disk));
            write(&format!("{directory}/dev"), &format!("8:{}\n", disk * 16))?;
            write(&format!("{directory}/size"), "2097152000\n")?;
            write(&format!("{directory}/device/state"), "running\n")?;
            write(&format!("{directory}/device/ioerr_cnt"), "0x0\n")?;
            write(&format!("{directory}/device/iotmo_cnt"), "0x0\n")?;
            write(&format!("{directory}/queue/scheduler"), "[none] mq-deadline\n")?;
            write(&format!("{directory}/queue/nr_requests"), "256\n")?;
        }
        write("sys/class/net/eth0/operstate", "up\n")?;
        write("sys/class/net/eth0/mtu", "1500\n")?;
        for counter in ["rx_bytes", "tx_bytes", "rx_packets", "tx_packets"] {
            write(&format!("sys/class/net/eth0/statistics/{counter}"), "123456789\n")?;
        }
        write("proc/loadavg", "1.00 1.00 1.00 1/500 4711\n")?;
        write("proc/meminfo", "MemTotal: 1048576000 kB\nMemAvailable: 524288000 kB\nSwapFree: 0 kB\n")?;
        for kind in ["cpu", "memory", "io"] {
            write(&format!("proc/pressure/{kind}"), "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n")?;
        }
        // The host's own protocol counters: as many names as a kernel has.
        for path in ["proc/net/snmp", "proc/net/netstat", "proc/net/softnet_stat", "proc/vmstat"] {
            let text = std::fs::read_to_string(Path::new("/").join(path)).unwrap_or_default();
            write(path, &text)?;
        }
        write("proc/diskstats", &diskstats(disks, 0))?;
        write("proc/stat", &stat(0))?;
        write("proc/uptime", &uptime(Duration::ZERO))?;
        let stop = Arc::new(AtomicBool::new(false));
        let (ended, place) = (Arc::clone(&stop), root.to_owned());
        let thread = std::thread::spawn(move || work(&place, disks, &ended));
        Ok(Self { root: root.to_owned(), stop, thread: Some(thread) })
    }
}

impl Drop for Synthetic {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Rewrites what changes. Every number has a fixed width, so that no reader meets half a file.
fn work(root: &Path, disks: u64, stop: &AtomicBool) {
    let open = |path: &str| OpenOptions::new().write(true).open(root.join(path));
    let (Ok(diskstats_file), Ok(stat_file), Ok(uptime_file)) =
        (open("proc/diskstats"), open("proc/stat"), open("proc/uptime"))
    else {
        return;
    };
    let write = |file: &File, text: &str| {
        let _ = file.write_all_at(text.as_bytes(), 0);
    };
    let begun = Instant::now();
    let mut turn = 0;
    while !stop.load(Ordering::Relaxed) {
        turn += 1;
        write(&diskstats_file, &diskstats(disks, turn));
        write(&stat_file, &stat(turn));
        write(&uptime_file, &uptime(begun.elapsed()));
        std::thread::sleep(CHANGE_EVERY);
    }
}

/// `sdaa`, `sdab`, ...
fn name(disk: u64) -> String {
    let letter = |value: u64| char::from(b'a' + u8::try_from(value % 26).unwrap_or(0));
    format!("sd{}{}{}", letter(disk / 676), letter(disk / 26), letter(disk))
}

/// Each fifth disk works; what it did since differs from disk to disk.
fn diskstats(disks: u64, turn: u64) -> String {
    let mut text = String::new();
    for disk in 0..disks {
        let done = if disk % 5 == 0 { turn * (37 + disk % 91) + turn * turn % 13 } else { 0 };
        let number = |factor: u64| format!("{:010}", 1_000_000 + done * factor);
        let _ = writeln!(
            text,
            "8 {} {} {} 0 {} {} {} 0 {} {} {} {} {} 0 0 0 0 {} {}",
            disk * 16,
            name(disk),
            number(1),
            number(16),
            number(2),
            number(3),
            number(64),
            number(5),
            if disk % 5 == 0 { turn % 8 } else { 0 },
            number(4),
            number(7),
            number(1),
            number(1)
        );
    }
    text
}

fn stat(turn: u64) -> String {
    let mut text = String::new();
    let line = |name: &str, factor: u64| {
        let number = |part: u64| format!("{:012}", 1000 + turn * part * factor);
        format!("{name} {} 0 {} {} {} 0 {} 0 0 0\n", number(3), number(2), number(4), number(1), number(1))
    };
    text.push_str(&line("cpu", CPUS));
    for cpu in 0..CPUS {
        text.push_str(&line(&format!("cpu{cpu}"), 1));
    }
    text.push_str("procs_running 3\nprocs_blocked 0\n");
    text
}

fn uptime(since: Duration) -> String {
    format!("{:012.2} 1.00\n", 1000.0 + since.as_secs_f64())
}
