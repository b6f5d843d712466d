//! Multipath maps as text and as JSON, tables of device-mapper, multipath.conf.
#![no_main]

use fullwire_observe::parse::{
    parse_dmsetup, parse_multipath, parse_multipath_config, parse_multipathd_json,
};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut gaps = Vec::new();
    parse_multipath(text, "fuzz", &mut gaps);
    parse_multipathd_json(text, "fuzz", &mut gaps);
    parse_dmsetup(text, "fuzz", &mut gaps);
    parse_multipath_config(text);
    assert!(gaps.len() < 20);
});
