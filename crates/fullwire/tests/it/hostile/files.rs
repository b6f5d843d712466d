//! Files: archives and reports that somebody made to cost memory, time or secrets.

use super::Attack;
use super::mangle::{Chance, mangled};
use crate::contract::LISTING;
use crate::skips::shared;
use crate::tool::{Desk, Running};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// No file may take longer, however it was made, in an executable that is not optimised on a host that is busy.
const MOST_TIME: Duration = Duration::from_secs(60);
/// Nor more memory: `ulimit -v`, KiB. The largest honest report takes a tenth of it.
const MOST_KIB: &str = "3000000";
/// Stands in a file beside the archives, which links in them name.
const SECRET: &str = "hunter2-of-this-host";

/// Reports of other people's hosts that are taken as seeds, and the command that reads them.
const SEEDS: [(&str, &str); 12] = [
    ("awr", "samples/awr/awr-11.2.0.3-single-apress-1830.html"),
    ("awr", "samples/awr/awr-11.2.0.3-single-apress-1830.txt"),
    ("awr", "samples/awr/awrdiff-11.2.0.3-apress.txt"),
    ("awr", "samples/statspack/statspack-11.2.0.3-apress-1830.txt"),
    ("import", "samples/sadf/sadf-j-sysstat12.json"),
    ("import", "samples/sar/sar-u-sysstat12.txt"),
    ("import", "samples/fio/fio-3.12-rand50rw.json"),
    ("import", "samples/iostat/iostat-x-sysstat11-ubuntu18.txt"),
    ("import", "samples/vmstat/vmstat-w-centos7.txt"),
    ("import", "samples/iperf3/iperf3-3.9-tcp-short.json"),
    ("import", "samples/bonnie/bonnie-csv-1.96-pkb.csv"),
    ("import", "samples/nfsiostat/nfsiostat-efs-excerpt.txt"),
];

/// Feeds files to the commands that read them; says what was done.
pub(super) fn attack(attack: Attack) -> String {
    let desk = Desk::new();
    let mut seeds = vec![("redo", LISTING.as_bytes().to_vec())];
    for (command, path) in SEEDS {
        seeds.extend(shared(path).map(|path| (command, std::fs::read(path).expect("a sample is read"))));
    }
    seeds.extend(specimens().map(|bytes| ("awr", bytes)));
    let host = captured(&desk);
    let mut chance = Chance::new(attack.seed ^ 0xf11e5);
    let (mut archives, mut reports, mut slowest) = (0_u64, 0_u64, Duration::ZERO);
    let until = attack.begin();
    while until.goes_on() {
        let (words, bytes) = if chance.below(2) == 0 {
            archives += 1;
            (vec!["check", "--window", "0s", "--root"], archive(&host, desk.state(), &mut chance))
        } else {
            reports += 1;
            let (command, seed) = chance.one_of(&seeds);
            (vec![*command], mangled(seed, &mut chance))
        };
        slowest = slowest.max(feed(&words, &bytes, chance.below(2) == 0));
    }
    format!("{archives} archives and {reports} reports read, the slowest in {slowest:.1?}")
}

/// Reports of our own making: a clone alone has seeds as well.
fn specimens() -> impl Iterator<Item = Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demand/tests/specimens");
    let entries = std::fs::read_dir(folder).expect("the specimens are in the repository");
    entries.map(|entry| std::fs::read(entry.unwrap().path()).expect("a specimen is read"))
}

/// Lets a command read it: it ends by itself, within limits, and leaves nothing. How long it took.
fn feed(words: &[&str], bytes: &[u8], as_json: bool) -> Duration {
    let desk = Desk::new();
    std::fs::write(desk.state().join("secret"), SECRET).unwrap();
    let file = desk.state().join("file");
    std::fs::write(&file, bytes).unwrap();
    let mut shell = desk.program("sh");
    shell
        .args(["-c", "ulimit -v \"$0\"; exec \"$@\"", MOST_KIB, crate::tool::PROGRAM])
        .args(words)
        .arg(&file);
    shell.args(["--no-store", "--fail-on", "never"]).env("TMPDIR", desk.work.path());
    if as_json {
        shell.arg("--json");
    }
    let begun = Instant::now();
    let mut running = Running(shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let (out, err) = (heard(running.0.stdout.take()), heard(running.0.stderr.take()));
    let status = running.ends_within(MOST_TIME);
    let took = begun.elapsed();
    if status.is_none() {
        drop(running);
    }
    let (out, err) = (out.join().unwrap(), err.join().unwrap());
    let wrong = match status.map(|status| status.code()) {
        None => Some("takes too long"),
        Some(Some(0 | 2 | 3)) => None,
        Some(_) => Some("ends badly"),
    };
    let wrong = wrong.or_else(|| err.contains("panicked").then_some("panics"));
    let wrong = wrong.or_else(|| out.contains('\u{1b}').then_some("controls the terminal"));
    let wrong = wrong.or_else(|| (out.contains(SECRET) || err.contains(SECRET)).then_some("reads outside"));
    let wrong = wrong.or_else(|| (!desk.files().is_empty()).then_some("leaves files"));
    if let Some(wrong) = wrong {
        let kept = std::env::temp_dir().join(format!("fullwire-hostile-{}", std::process::id()));
        std::fs::write(&kept, bytes).unwrap();
        let shown: String = err.chars().take(2000).collect();
        panic!("{words:?} {wrong} ({status:?}, {took:?}), kept as {}: {shown}", kept.display());
    }
    took
}

fn heard(pipe: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    let mut pipe = pipe.expect("piped");
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// This host as a capture, unpacked to one tar.
fn captured(desk: &Desk) -> Vec<u8> {
    let output = desk.run(&["capture", "-o", "-"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut tar = Vec::new();
    zstd::stream::read::Decoder::new(output.stdout.as_slice()).unwrap().read_to_end(&mut tar).unwrap();
    tar
}

const FILE: u8 = b'0';
const HARD_LINK: u8 = b'1';
const LINK: u8 = b'2';
const DIRECTORY: u8 = b'5';
const LONG_NAME: u8 = b'L';
const EXTENDED: u8 = b'x';

/// One header of ustar (POSIX pax(1)), as whoever made it pleases.
fn header(name: &[u8], kind: u8, size: u64, target: &[u8]) -> Vec<u8> {
    let mut block = vec![0; 512];
    let put = |block: &mut [u8], at: usize, text: &[u8], room: usize| {
        let text = &text[..text.len().min(room)];
        block[at..at + text.len()].copy_from_slice(text);
    };
    put(&mut block, 0, name, 100);
    put(&mut block, 100, b"0000644\0", 8);
    put(&mut block, 124, format!("{size:011o}").as_bytes(), 12);
    put(&mut block, 136, b"00000000000\0", 12);
    block[156] = kind;
    put(&mut block, 157, target, 100);
    put(&mut block, 257, b"ustar\x0000", 8);
    put(&mut block, 148, b"        ", 8);
    let sum: u32 = block.iter().copied().map(u32::from).sum();
    put(&mut block, 148, format!("{sum:06o}\0 ").as_bytes(), 8);
    block
}

fn entry(name: &[u8], kind: u8, content: &[u8], target: &[u8]) -> Vec<u8> {
    let mut bytes = header(name, kind, content.len() as u64, target);
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

/// What a reader of hosts looks for: a hostile entry with such a name is read.
const WANTED: [&str; 12] = [
    "proc/stat",
    "proc/self/mountinfo",
    "proc/meminfo",
    "proc/mounts",
    "proc/cpuinfo",
    "proc/net/dev",
    "etc/fstab",
    "etc/my.cnf",
    "sys/block/sda/size",
    "fullwire/notes.json",
    "fullwire/window.json",
    "sos_commands/multipath/multipath_-ll",
];

/// An archive of this host with something in it, packed in one of several ways.
fn archive(host: &[u8], outside: &Path, chance: &mut Chance) -> Vec<u8> {
    let secret = outside.join("secret").display().to_string();
    let wanted = chance.one_of(&WANTED).as_bytes();
    let mut tar = match chance.below(3) {
        0 => Vec::new(),
        1 => entry(b"proc/stat", FILE, b"cpu 1 2 3 4\n", b""),
        // Without its end, so that what follows belongs to it.
        _ => host[..host.len().saturating_sub(1024)].to_vec(),
    };
    for _ in 0..=chance.below(6) {
        tar.extend(match chance.below(12) {
            0 => entry(wanted, LINK, b"", secret.as_bytes()),
            1 => entry(wanted, HARD_LINK, b"", secret.as_bytes()),
            2 => entry(format!("../../../../../../..{secret}").as_bytes(), FILE, b"overwritten", b""),
            3 => entry(secret.as_bytes(), FILE, b"overwritten", b""),
            4 => [
                entry(b"etc", LINK, b"", outside.as_os_str().as_encoded_bytes()),
                entry(b"etc/fstab", FILE, b"overwritten", b""),
            ]
            .concat(),
            5 => entry(wanted, *chance.one_of(b"3467S"), b"", b""),
            6 => header(wanted, FILE, *chance.one_of(&[1 << 32, (1 << 33) - 1, 1 << 20]), b""),
            7 => entry(b"././@LongLink", LONG_NAME, &b"d/".repeat(1 << chance.below(16)), b""),
            8 => entry(
                b"x",
                EXTENDED,
                format!("30 path=../../x{}\n", "y".repeat(chance.below(4096))).as_bytes(),
                b"",
            ),
            9 => (0..chance.below(2000))
                .flat_map(|n| entry(format!("sys/block/sd{n}/size").as_bytes(), DIRECTORY, b"", b""))
                .collect(),
            10 => entry(wanted, FILE, &chance.bytes(1 << 16), b""),
            _ => {
                let byte = *chance.one_of(b" \n,/0{[");
                entry(wanted, FILE, &vec![byte; 1 << chance.below(24)], b"")
            }
        });
    }
    if chance.below(2) == 0 {
        tar = mangled(&tar, chance);
    }
    tar.resize(tar.len() + 1024, 0);
    packed(tar, chance)
}

/// 16 MiB of zeros, compressed.
static ZEROS: OnceLock<Vec<u8>> = OnceLock::new();

/// As it is, compressed, twice compressed, followed by a gigabyte of zeros, or cut.
fn packed(tar: Vec<u8>, chance: &mut Chance) -> Vec<u8> {
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 1).unwrap();
    match chance.below(8) {
        0 | 1 => tar,
        2 => by_gzip(&tar),
        3 => zstd(&zstd(&tar)),
        4 => {
            let head = [&tar[..tar.len() - 1024], &header(b"proc/net/dev", FILE, 1 << 30, b"")].concat();
            // Frames one after the other are one stream: a gigabyte from a few kilobytes.
            let zeros = ZEROS.get_or_init(|| zstd(&vec![0; 16 << 20]));
            [zstd(&head), zeros.repeat(64)].concat()
        }
        5 => {
            let mut whole = zstd(&tar);
            whole.truncate(chance.below(whole.len()));
            whole
        }
        6 => mangled(&zstd(&tar), chance),
        _ => zstd(&tar),
    }
}

fn by_gzip(bytes: &[u8]) -> Vec<u8> {
    let mut child = Command::new("gzip")
        .arg("-1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("gzip runs");
    let (mut feed, bytes) = (child.stdin.take().unwrap(), bytes.to_vec());
    let writer = std::thread::spawn(move || feed.write_all(&bytes));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    output.stdout
}
