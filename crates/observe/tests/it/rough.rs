//! Input that makes no sense, archives that lie, captures that must keep a secret.

use crate::tree::Tree;
use fullwire_observe::{Ask, CountersAsk, Root, capture, counters, host, parse};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("written");
}

/// Text that is nearly right: lines of real files, cut, joined and with other words.
fn mangled() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[ -~]{0,12}",
        Just("device a:/b mounted on /c with fstype nfs statvers=1.1".to_owned()),
        Just("xprt: tcp 1 2 3".to_owned()),
        Just("mpatha (36) dm-1 A,B".to_owned()),
        Just("size=1G features='1 queue_if_no_path' hwhandler='1 alua' wp=rw".to_owned()),
        Just("|-+- policy='service-time 0' prio=50 status=active".to_owned()),
        Just("| `- 1:0:0:0 sdb 8:16 active i/o pending running".to_owned()),
        Just("22 1 8:1 / / rw - ext4 /dev/sda1 rw".to_owned()),
        Just("a: 0 8 multipath 18446744073709551615 1".to_owned()),
        Just("KNAME=\"sda\" SIZE=\"1é\"".to_owned()),
        Just("md0 : active raid1 sdb[1](F) sda[".to_owned()),
        Just("8 0 sda 18446744073709551615 1 1 1 1 1 1 1 1 1 1".to_owned()),
        Just("defaults {".to_owned()),
        Just("\\134\\04".to_owned()),
    ];
    proptest::collection::vec((word, prop_oneof![Just("\n"), Just(" "), Just("\t"), Just("")]), 0..40)
        .prop_map(|words| words.into_iter().map(|(word, end)| word + end).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_makes_a_parser_panic(text in mangled()) {
        let gaps = &mut Vec::new();
        parse::parse_diskstats(&text, "x", gaps);
        parse::parse_dmsetup(&text, "x", gaps);
        parse::parse_log(&text);
        parse::parse_lsblk_pairs(&text);
        parse::parse_mdstat(&text);
        parse::parse_mount_list(&text, "x", gaps);
        parse::parse_mountinfo(&text, "x", gaps);
        parse::parse_mounts(&text, "x", gaps);
        parse::parse_mountstats(&text, "x", gaps);
        parse::parse_multipath(&text, "x", gaps);
        parse::parse_multipath_config(&text);
        parse::parse_multipathd_json(&text, "x", gaps);
        parse::parse_swaps(&text, "x", gaps);
        prop_assert!(gaps.len() < 100, "a bounded number of gaps: {}", gaps.len());
        prop_assert!(gaps.iter().all(|gap| gap.detail.starts_with("x:")), "each names its file: {gaps:?}");
    }

    /// Samples of OSWatcher between which anything stands: a span of less than a day, or none.
    #[test]
    fn no_archive_of_oswatcher_makes_a_window_panic(
        samples in proptest::collection::vec(
            prop_oneof![
                "zzz \\*\\*\\*[A-Z]{0,3} [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,3}( [AP]M)?\n",
                "(Ip|Tcp|TcpExt)?:\n( {4}[0-9]{0,25} (segments sent out|packet reassembles failed)\n){0,3}",
                mangled(),
            ],
            0..12,
        ),
    ) {
        let tree = Tree::new();
        tree.file("/oswnetstat/h_netstat_1.dat", &samples.concat());
        if let Some(window) = tree.root().window() {
            let span_ns = window.to.monotonic_ns - window.from.monotonic_ns;
            prop_assert!(span_ns > 0 && span_ns < 86_400_000_000_000);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))] // each reads a whole host

    #[test]
    fn a_tree_of_rubbish_is_read_with_gaps(texts in proptest::collection::vec(mangled(), 6)) {
        let paths = ["proc/diskstats", "proc/self/mountinfo", "proc/self/mountstats", "proc/mdstat",
            "sos_commands/multipath/multipath_-ll", "sos_commands/block/lsblk_-O_-P"];
        let mut archive = tar::Builder::new(Vec::new());
        for (path, text) in paths.iter().zip(&texts) {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            archive.append_data(&mut header, path, text.as_bytes()).expect("packed");
        }
        let root = Root::archive(&archive.into_inner().expect("finished")).expect("a tree");
        let own = host(&root, &Ask::default());
        prop_assert!(own.captured && !own.gaps.is_empty());
        counters(&root, &CountersAsk::default());
    }
}

/// What a transfer, an editor or a dying host does to a file.
#[derive(Debug, Clone)]
enum Damage {
    Cut(prop::sample::Index),
    Byte(prop::sample::Index, u8),
    Twice(prop::sample::Index),
    NumbersGrown,
    Empty,
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        any::<prop::sample::Index>().prop_map(Damage::Cut),
        (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Byte(at, byte)),
        any::<prop::sample::Index>().prop_map(Damage::Twice),
        Just(Damage::NumbersGrown),
        Just(Damage::Empty),
    ]
}

impl Damage {
    fn apply(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        if bytes.is_empty() {
            return bytes;
        }
        match self {
            Self::Cut(at) => bytes.truncate(at.index(bytes.len())),
            Self::Byte(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Self::Twice(at) => bytes.extend_from_within(at.index(bytes.len())..),
            Self::NumbersGrown => {
                let text = String::from_utf8_lossy(&bytes).replace('1', "18446744073709551615");
                bytes = text.into_bytes();
            }
            Self::Empty => bytes.clear(),
        }
        bytes
    }
}

/// The files of a captured host of the lab.
fn captured(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fullwire/tests/hosts");
    let packed = fs::read(folder.join(format!("{name}.tar.zst"))).expect("the capture is there");
    let plain = zstd::decode_all(packed.as_slice()).expect("zstd");
    let mut files = Vec::new();
    for entry in tar::Archive::new(plain.as_slice()).entries().expect("tar") {
        let mut entry = entry.expect("an entry");
        let path = entry.path().expect("a path").to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut bytes).expect("read");
        files.push((path, bytes));
    }
    files
}

fn packed(files: impl Iterator<Item = (String, Vec<u8>)>) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        archive.append_data(&mut header, path, bytes.as_slice()).expect("packed");
    }
    archive.into_inner().expect("finished")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))] // each reads a whole host

    /// Every reader meets every file that it reads, damaged.
    #[test]
    fn a_damaged_host_is_read_as_far_as_it_goes(
        name in prop::sample::select(vec!["multipath-degraded", "bond-802.3ad", "nfs-healthy", "raid-degraded"]),
        damages in proptest::collection::vec(damage(), 64),
    ) {
        let files = captured(name);
        let damaged = files.into_iter().zip(damages.iter().cycle()).map(|((path, bytes), damage)| {
            let bytes = damage.apply(bytes);
            (path, bytes)
        });
        let root = Root::archive(&packed(damaged)).expect("a tree");
        let own = host(&root, &Ask::default());
        prop_assert!(own.captured);
        prop_assert!(own.gaps.iter().all(|gap| !gap.subject.is_empty()), "{:?}", own.gaps);
        counters(&root, &CountersAsk::default());
    }
}

#[test]
fn what_the_archive_claims_is_not_believed() {
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(3);
    header.as_old_mut().name[..14].copy_from_slice(b"../../etc/evil");
    header.set_cksum();
    archive.append(&header, &b"bad"[..]).expect("packed");
    let mut header = tar::Header::new_gnu();
    header.set_size(1 << 40); // and nothing behind it
    header.set_path("proc/stat").expect("set");
    header.set_cksum();
    let mut bytes = archive.into_inner().expect("finished");
    bytes.truncate(1024);
    bytes.extend(header.as_bytes());
    bytes.extend(b"cpu 1 2 3\n");
    let root = Root::archive(&bytes);
    assert!(root.is_err() || root.is_ok_and(|root| !root.exists("/etc/evil")));
    assert!(Root::archive(b"no archive at all").is_err());
    assert!(Root::archive(&[0x1f, 0x8b, 8, 0]).is_err());
}

#[test]
fn a_capture_holds_no_secret_and_no_name() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let files = [
        ("proc/sys/kernel/hostname", "dbprod17\n"),
        (
            "proc/self/mountinfo",
            "22 1 0:31 / /d rw - cifs //filer9.example.com/x rw,username=u,password=hunter2\n",
        ),
        ("proc/cmdline", "ro rd.iscsi.password=hunter2 host=dbprod17\n"),
        ("etc/hosts", "10.0.0.9 filer9.example.com filer9\n"),
        ("etc/multipath.conf", "defaults {\n user_friendly_names yes\n}\n# hunter2\n"),
    ];
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().expect("below")).expect("made");
        write(&path, text);
    }
    let root = Root::tree(directory.path()).expect("a tree");
    let mut packed = Vec::new();
    let options = fullwire_observe::CaptureOptions { anonymise: true, ..Default::default() };
    let report = capture(&root, &options, &mut packed).expect("captured");
    let plain = zstd::decode_all(packed.as_slice()).expect("zstd");
    let plain = String::from_utf8_lossy(&plain);
    for secret in ["hunter2", "dbprod17", "filer9"] {
        assert!(!plain.contains(secret), "{secret} left the host");
    }
    let back = host(&Root::archive(&packed).expect("a tree"), &Ask::default());
    assert_eq!(back, report.host);
    assert!(back.hostname.starts_with("host-"), "{}", back.hostname);
    assert_eq!(back.multipath_config.expect("kept").settings["user_friendly_names"], "yes");
}

/// Numbers that no kernel gives.
#[test]
fn error_numbers_of_a_capture_may_be_anything() {
    for errno in [0, -1, 4095, 4096, i32::MAX, i32::MIN] {
        let notes = format!(
            r#"{{"format":"fullwire.capture/1","unreadable":{{"/proc/diskstats":{errno},"/proc/stat":{errno}}},
                "unlistable":{{"/proc":{errno},"/sys/class/net":{errno}}}}}"#
        );
        let files = [
            ("fullwire/notes.json".to_owned(), notes.into_bytes()),
            ("proc/stat".to_owned(), b"cpu 1".to_vec()),
        ];
        let root = Root::archive(&packed(files.into_iter())).expect("a tree");
        assert!(host(&root, &Ask::default()).gap_about("/proc").is_some(), "{errno}");
        assert!(
            counters(&root, &CountersAsk::default()).gaps.iter().any(|gap| gap.subject == "/proc/diskstats")
        );
    }
}
