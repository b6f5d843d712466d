//! Archives that are small and would take hours or all memory. The bounds are counts, where a count is to be had.

use fullwire_observe::{Ask, Root, host};

fn archive(build: impl FnOnce(&mut tar::Builder<Vec<u8>>)) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    build(&mut archive);
    archive.into_inner().expect("finished")
}

fn file(archive: &mut tar::Builder<Vec<u8>>, path: &str, text: &str) {
    let mut header = tar::Header::new_gnu();
    header.set_size(text.len() as u64);
    archive.append_data(&mut header, path, text.as_bytes()).expect("packed");
}

fn link(archive: &mut tar::Builder<Vec<u8>>, path: &str, target: &str) {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    archive.append_link(&mut header, path, target).expect("packed");
}

/// The largest resident size that this process had, bytes.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("our own status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("every process has one");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}

#[test]
fn files_below_thousands_of_directories_are_left_out() {
    let deep = vec!["d"; 2000].join("/");
    let bytes = archive(|archive| {
        file(archive, "proc/stat", "cpu 1 2 3 4\n");
        (0..1000).for_each(|number| file(archive, &format!("{deep}/{number}"), ""));
    });
    let root = Root::archive(&bytes).expect("a tree");
    assert!(root.exists("/proc/stat") && root.list("/").contains(&"proc".to_owned()));
    assert_eq!(root.list("/d"), [] as [String; 0]);
}

#[test]
fn a_link_of_hundreds_of_thousands_of_parts_is_left_out() {
    for parts in [1_000, 20_000, 200_000] {
        let bytes = archive(|archive| {
            file(archive, "proc/stat", "cpu 1 2 3 4\n");
            link(archive, "proc/self/mountinfo", &"a/".repeat(parts));
        });
        match Root::archive(&bytes) {
            Ok(root) => {
                assert!(root.try_read("/proc/self/mountinfo", 9).is_err());
                let target = root.link("/proc/self/mountinfo").unwrap_or_default();
                assert!(target.len() <= 4096, "{} bytes", target.len());
            }
            Err(error) => panic!("what stands before it is worth reading: {error}"),
        }
    }
}

/// The tar crate reads a long name whole before it gives out the entry.
#[test]
fn a_long_name_of_a_gigabyte_is_not_read() {
    let mut bytes = archive(|archive| file(archive, "proc/stat", "cpu 1 2 3 4\n"));
    bytes.truncate(1024);
    let mut header = tar::Header::new_gnu();
    header.set_path("././@LongLink").expect("set");
    header.set_size(1 << 30);
    header.set_entry_type(tar::EntryType::GNULongName);
    header.set_cksum();
    bytes.extend(header.as_bytes());
    // Frames behind one another are one stream (RFC 8878, 3): one of 16 MiB is packed, and not a gigabyte.
    let frame = zstd::encode_all(vec![b'x'; 16 << 20].as_slice(), 1).expect("packed");
    let packed = [zstd::encode_all(bytes.as_slice(), 1).expect("packed"), frame.repeat(64)].concat();
    let before = peak_bytes();
    let root = Root::archive(&packed).expect("what stands before it is worth reading");
    assert!(root.exists("/proc/stat"));
    let grown = peak_bytes().saturating_sub(before);
    assert!(grown < 256 << 20, "{grown} bytes");
}

#[test]
fn names_as_long_as_a_host_has_them_are_read() {
    let path = format!("sys/{}/size", vec!["x".repeat(100); 30].join("/"));
    let big = "y".repeat(1 << 20);
    let bytes = archive(|archive| {
        file(archive, "sos_commands/kernel/dmesg", &big);
        file(archive, &path, "8\n");
        link(archive, "sys/block", &path[4..]);
    });
    let root = Root::archive(&bytes).expect("a tree");
    assert_eq!(root.attribute(&format!("/{path}")).as_deref(), Some("8"));
    assert_eq!(root.try_read("/sos_commands/kernel/dmesg", 2 << 20).expect("read").0.len(), big.len());
}

/// Four disks that are each other's slaves, and fourteen volumes of LVM.
#[test]
fn devices_below_each_other_are_read_once_each() {
    let names: Vec<String> = (0..14).map(|number| format!("dm-{number}")).collect();
    let bytes = archive(|archive| {
        for (number, name) in (0..).zip(&names) {
            let directory = format!("sys/block/{name}");
            file(archive, &format!("{directory}/dev"), &format!("253:{number}\n"));
            file(archive, &format!("{directory}/size"), "8\n");
            file(archive, &format!("{directory}/dm/name"), &format!("vg-{number}\n"));
            file(archive, &format!("{directory}/dm/uuid"), &format!("LVM-{}\n", "x".repeat(64)));
            for slave in names.iter().map(String::as_str).chain(["sda"]) {
                file(archive, &format!("{directory}/slaves/{slave}"), "");
            }
        }
    });
    let read = host(&Root::archive(&bytes).expect("a tree"), &Ask::default());
    assert_eq!(read.disks.len(), names.len());
    assert_eq!(read.logical_volumes.len(), names.len(), "all are looked at");
    for volume in &read.logical_volumes {
        assert_eq!(volume.physical_volumes, ["sda"]);
    }
    assert!(read.stack("dm-0").len() <= names.len());
}

#[test]
fn a_mount_with_tens_of_thousands_of_options_is_cut() {
    let options: Vec<String> = (0..60_000).map(|number| format!("o{number}")).collect();
    let line = format!("22 1 0:31 / /d rw - x /x {}\n", options.join(","));
    let bytes = archive(|archive| file(archive, "proc/self/mountinfo", &line));
    let read = host(&Root::archive(&bytes).expect("a tree"), &Ask::default());
    assert_eq!(read.mounts.len(), 1);
    assert!((100..=4096).contains(&read.mounts[0].options.len()), "{}", read.mounts[0].options.len());
}
