//! Lists of mounts in their three forms.
#![no_main]

use fullwire_observe::parse::{parse_mount_list, parse_mountinfo, parse_mounts};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut gaps = Vec::new();
    parse_mountinfo(text, "fuzz", &mut gaps);
    parse_mounts(text, "fuzz", &mut gaps);
    parse_mount_list(text, "fuzz", &mut gaps);
    assert!(gaps.len() < 20);
});
