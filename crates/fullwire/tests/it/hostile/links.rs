//! A directory that another user exchanged for a link: none of root's files lies where that user wants it.

use crate::skips::skipped;
use crate::tool::{Desk, PROGRAM, serve, stderr, stdout};
use std::os::unix::fs::{chown, lchown, symlink};

const NOBODY: u32 = 65_534;

/// Each command that makes a file, with the words before its path.
const WRITERS: [(&[&str], &str); 7] = [
    (&["check", "--window", "0s", "--no-store", "--html"], "out.html"),
    (&["check", "--window", "0s", "--no-store", "--json-file"], "out.json"),
    (&["check", "--window", "0s", "--store"], "runs.db"),
    (&["capture", "-o"], "out.tar.zst"),
    (&["export", "--openmetrics", "-o"], "out.prom"),
    (&["report", "last", "-o"], "report.html"),
    (&["record", "--for", "1s", "-o"], "out.fwr"),
];

#[test]
fn no_file_of_root_lies_where_another_user_s_link_leads() {
    if !rustix::process::geteuid().is_root() {
        return skipped("needs root");
    }
    let desk = Desk::new();
    assert!(desk.run(&["check", "--window", "0s", "--fail-on", "never"]).status.success());
    let (secret, home) = (desk.work.path().join("secret"), desk.work.path().join("home"));
    for folder in [&secret, &home] {
        std::fs::create_dir(folder).unwrap();
    }
    chown(&home, Some(NOBODY), None).unwrap();
    let link = home.join("exchanged");
    symlink(&secret, &link).unwrap();
    lchown(&link, Some(NOBODY), None).unwrap();
    for (before, name) in WRITERS {
        let run = |folder: &std::path::Path| {
            let path = folder.join(name).display().to_string();
            let words = [before, &[path.as_str()]].concat();
            desk.run(&words)
        };
        let refused = run(&link);
        let left: Vec<_> =
            std::fs::read_dir(&secret).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert!(left.is_empty(), "{before:?} left {left:?}");
        assert!(stderr(&refused).contains("link of another user"), "{before:?}: {}", stderr(&refused));
        // By its own path the same is done.
        let done = run(&secret);
        assert!(secret.join(name).exists(), "{before:?}: {}", stderr(&done));
        std::fs::remove_dir_all(&secret).unwrap();
        std::fs::create_dir(&secret).unwrap();
    }
    // The file that `disk` measures on has no name: where it was is not seen afterwards.
    let refused = desk.run(&["disk", link.to_str().unwrap(), "--size", "16M", "--duration", "100ms"]);
    assert!(stderr(&refused).contains("link of another user"), "{}", stderr(&refused));
}

/// A link as the last part of the name, and what root's own directory of recordings keeps.
#[test]
fn no_store_and_no_recordings_of_root_are_where_the_link_of_another_user_leads() {
    if !rustix::process::geteuid().is_root() {
        return skipped("needs root");
    }
    let desk = Desk::new();
    let place = desk.work.path();
    let (empty, recordings) = (place.join("empty"), place.join("recordings"));
    std::fs::write(&empty, "").unwrap();
    std::fs::create_dir(&recordings).unwrap();
    let aged = ["20250101-000000.fwr", "20250102-000000b.fwr", "kept.fwr", "20250101.fwr"];
    for name in aged {
        let file = std::fs::File::create(recordings.join(name)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    }
    let linked = |name: &str, target: &std::path::Path| {
        let link = place.join(name);
        symlink(target, &link).unwrap();
        lchown(&link, Some(NOBODY), None).unwrap();
        link.display().to_string()
    };
    let (store, directory) = (linked("store", &empty), linked("directory", &recordings));
    for words in [
        vec!["check", "--window", "0s", "--store", &store],
        vec!["history", "delete", "last", "--store", &store],
        vec!["record", "--for", "1s", "--keep", "1d", "--dir", &directory],
        vec!["watch", "--record", "--count", "1", "--dir", &directory],
    ] {
        let refused = desk.run(&words);
        assert!(stderr(&refused).contains("link of another user"), "{words:?}: {}", stderr(&refused));
    }
    assert_eq!(std::fs::read(&empty).unwrap(), b"", "nothing was written to it");
    assert!(aged.iter().all(|name| recordings.join(name).exists()), "nothing was removed");
    // By its own path what a recorder made is too old, and what somebody put there is kept.
    let own = recordings.display().to_string();
    let done = desk.run(&["record", "--for", "1s", "--keep", "1d", "--dir", &own]);
    assert!(done.status.success(), "{}", stderr(&done));
    let left = aged.map(|name| recordings.join(name).exists());
    assert_eq!(left, [false, false, true, true]);
}

#[test]
fn a_responder_of_root_writes_in_no_directory_that_a_link_of_another_user_names() {
    if !rustix::process::geteuid().is_root() {
        return skipped("needs root");
    }
    let desk = Desk::new();
    let link = desk.work.path().join("link");
    symlink(desk.state(), &link).unwrap();
    lchown(&link, Some(NOBODY), None).unwrap();
    let listen = crate::tool::free_address();
    let output = desk.run(&["serve", "--open", "--listen", &listen, "--write-dir", link.to_str().unwrap()]);
    assert!(
        !output.status.success() && stderr(&output).contains("link of another user"),
        "{}",
        stderr(&output)
    );
    let (_running, _) = serve(&desk, &["--open", "--write-dir", desk.state().to_str().unwrap()]);
}

/// mount(8) follows what is put in the place of a directory on the way, whichever of them another user owns.
#[test]
fn prove_mounts_nothing_where_another_user_leads() {
    let desk = Desk::new();
    if !rustix::process::geteuid().is_root() {
        return skipped("needs root");
    }
    let script = "
truncate -s 256M image
mkfs.ext4 -q image
mkdir -p home/own/data
mount -o loop,strictatime image home/own/data
\"$0\" disk home/own/data --size 16M --duration 100ms --fail-on never > /dev/null
plan() { \"$0\" prove --finding mount-atime --run last --dry-run 2>&1; }
plan
for led in home home/own; do
    chown 65534 $led
    ! plan
    chown 0 $led
done
chown 65534 home/own/data
plan > /dev/null
";
    let output = desk.program("unshare").args(["-m", "sh", "-eu", "-c", script, PROGRAM]).output().unwrap();
    let said = stdout(&output);
    assert!(output.status.success(), "{said}{}", stderr(&output));
    assert!(said.contains("remount,rw,noatime"), "root's own way is not refused: {said}");
    assert_eq!(said.matches("in the place of a directory above").count(), 2, "{said}");
}
