//! Samples that may not be in the repository: reports and listings of other people's hosts.
//!
//! They are in `../shared` next to it. A test whose sample is absent does nothing; it is named with the sample in the log
//! that `FULLWIRE_SAMPLES_LOG` names, from which `cargo xtask ci` lists what was not run, and it fails where `CI` is
//! `true` (unless `FULLWIRE_NO_SAMPLES=1` says that there are none to be had).

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A file or folder below `../shared`; `None` where it is absent, which is counted. Captures of the lab are our own: they
/// are below the crate's `tests/lab`.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    if path.starts_with("lab/") {
        return Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path);
    if file.exists() {
        return Some(file);
    }
    let is_set = |name: &str, value: &str| std::env::var_os(name).is_some_and(|found| found == value);
    assert!(
        !is_set("CI", "true") || is_set("FULLWIRE_NO_SAMPLES", "1"),
        "the sample {path} is absent: put it into ../shared, or say FULLWIRE_NO_SAMPLES=1"
    );
    let thread = std::thread::current();
    let test = format!("{} {}", env!("CARGO_PKG_NAME"), thread.name().unwrap_or("a test"));
    eprintln!("{test}: not run, sample absent: {path}");
    if let Some(log) = std::env::var_os("FULLWIRE_SAMPLES_LOG") {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(log);
        log.and_then(|mut log| log.write_all(format!("{test}\t{path}\n").as_bytes()))
            .expect("the log can be written");
    }
    None
}
