//! What a device is called so that no one takes it for another: its world-wide name or serial number, and its size.

use crate::disk::target;
use std::fs;

fn attribute(name: &str, file: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/sys/class/block/{name}/{file}")).ok()?;
    let words: Vec<&str> = text.split_whitespace().collect();
    Some(words.join("_")).filter(|text| !text.is_empty() && text.len() < 256)
}

/// `NAME-BYTES`, one word that a person can type or copy. The name is the first of these that sysfs knows: the unit's
/// world-wide name, its serial number, its device-mapper UUID, its array's UUID, the file behind a loop device; else
/// the place where it is plugged in.
pub(crate) fn identity(name: &str, number: &str) -> String {
    let known = ["wwid", "device/wwid", "serial", "device/serial", "dm/uuid", "md/uuid", "partition_uuid"];
    let by_name = known.iter().find_map(|file| attribute(name, file));
    let by_file = || attribute(name, "loop/backing_file").map(|file| format!("loop:{file}"));
    let by_place = || {
        let place = fs::canonicalize(format!("/sys/class/block/{name}")).ok()?;
        let place = place.strip_prefix("/sys/devices").unwrap_or(&place).display().to_string();
        Some(place.trim_start_matches('/').to_owned())
    };
    let what = by_name.or_else(by_file).or_else(by_place).unwrap_or_else(|| name.to_owned());
    let part = attribute(name, "partition").map(|number| format!("-part{number}")).unwrap_or_default();
    let size = target::device_size(number).unwrap_or(0);
    format!("{what}{part}-{size}")
}
