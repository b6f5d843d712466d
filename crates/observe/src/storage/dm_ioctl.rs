//! Asks device-mapper for the table and the status of maps (`linux/dm-ioctl.h`). Both questions only read:
//! status is requested without a flush, which would commit a thin pool's metadata.

use super::dm_target::{Answer, target};
use crate::ioctl::{DM_HEAD_BYTES, device_mapper_table};
use crate::root::gap_reason;
use fullwire_model::host::DmTarget;
use fullwire_model::{Gap, GapReason};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;

const CONTROL: &str = "/dev/mapper/control";

// Flags of a question and its answer.
const STATUS_TABLE: u32 = 1 << 4;
const BUFFER_FULL: u32 = 1 << 8;
const NO_FLUSH: u32 = 1 << 11;
/// The kernel wipes its copies of the buffer: a table may hold a key.
const SECURE_DATA: u32 = 1 << 15;

/// Interface version: 4.0.0 is understood by every kernel since 2.6.
const VERSION: u32 = 4;

// Where the head of a question has its fields.
const DATA_SIZE_AT: usize = 12;
const DATA_START_AT: usize = 16;
const TARGET_COUNT_AT: usize = 20;
const FLAGS_AT: usize = 28;
const DEVICE_AT: usize = 40;

/// Bytes in front of each target's parameters: start, length, status, offset of the next, kind.
const TARGET_BYTES: usize = 40;

/// The answer for a map of this many bytes is waited for; a larger one is not.
const FIRST_BUFFER: usize = 16 << 10;
const LAST_BUFFER: usize = 4 << 20;

/// Targets of one map.
const TARGETS_LIMIT: usize = 4096;

/// Table and status of each map, by `MAJOR:MINOR`. A map that went away meanwhile is missing.
pub(super) fn tables(numbers: &[String]) -> Result<BTreeMap<String, Answer>, Gap> {
    let control = File::open(CONTROL).map_err(|error| {
        let reason = gap_reason(&error);
        let advice = if reason == GapReason::Denied { "; root may" } else { "" };
        Gap::new("device-mapper tables", reason, format!("cannot open {CONTROL}: {error}{advice}"))
    })?;
    let mut maps = BTreeMap::new();
    for number in numbers {
        let Some(device) = device_number(number) else { continue };
        let table = ask(&control, device, STATUS_TABLE | NO_FLUSH);
        if let (Ok(table), Ok(status)) = (table, ask(&control, device, NO_FLUSH)) {
            maps.insert(number.clone(), [table, status]);
        }
    }
    Ok(maps)
}

/// The status text of each target of these maps.
pub(super) fn statuses(numbers: &[String]) -> io::Result<Vec<String>> {
    let control = File::open(CONTROL)?;
    let devices = numbers.iter().filter_map(|number| device_number(number));
    let targets = devices.filter_map(|device| ask(&control, device, NO_FLUSH).ok()).flatten();
    Ok(targets.map(|target| target.parameters).collect())
}

/// `MAJOR:MINOR` as the kernel's huge encoding has it.
fn device_number(number: &str) -> Option<u64> {
    let (major, minor) = number.split_once(':')?;
    let (major, minor): (u64, u64) = (major.parse().ok()?, minor.parse().ok()?);
    Some((minor & 0xff) | (major << 8) | ((minor & !0xff) << 12))
}

fn ask(control: &File, device: u64, flags: u32) -> io::Result<Vec<DmTarget>> {
    let mut size = FIRST_BUFFER;
    loop {
        let mut buffer = question(device, flags | SECURE_DATA, size);
        device_mapper_table(control, &mut buffer)?;
        let full = word(&buffer, FLAGS_AT).unwrap_or_default() & BUFFER_FULL != 0;
        if !full || size >= LAST_BUFFER {
            return Ok(answer(&buffer));
        }
        size *= 4;
    }
}

fn question(device: u64, flags: u32, size: usize) -> Vec<u8> {
    let mut buffer = vec![0_u8; size];
    let mut put = |at: usize, bytes: &[u8]| buffer[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &VERSION.to_ne_bytes());
    put(DATA_SIZE_AT, &u32::try_from(size).unwrap_or(u32::MAX).to_ne_bytes());
    put(DATA_START_AT, &u32::try_from(DM_HEAD_BYTES).unwrap_or_default().to_ne_bytes());
    put(FLAGS_AT, &flags.to_ne_bytes());
    put(DEVICE_AT, &device.to_ne_bytes());
    buffer
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes)
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_ne_bytes)
}

/// The targets of an answer: a chain, in which each says where the next begins.
fn answer(buffer: &[u8]) -> Vec<DmTarget> {
    let index = |at: usize| word(buffer, at).and_then(|value| usize::try_from(value).ok());
    let (Some(start), Some(count)) = (index(DATA_START_AT), index(TARGET_COUNT_AT)) else {
        return Vec::new();
    };
    let data = buffer.get(start..).unwrap_or_default();
    let mut targets = Vec::new();
    let mut at = 0;
    while targets.len() < count.min(TARGETS_LIMIT) {
        let Some((target, next)) = target_at(data, at) else { break };
        targets.push(target);
        if next <= at {
            break;
        }
        at = next;
    }
    targets
}

fn target_at(data: &[u8], at: usize) -> Option<(DmTarget, usize)> {
    let parameters = text(data.get(at + TARGET_BYTES..)?);
    let kind = text(data.get(at + 24..at + TARGET_BYTES)?);
    let next = usize::try_from(word(data, at + 20)?).ok()?;
    Some((target(long(data, at)?, long(data, at + 8)?, &kind, &parameters), next))
}

/// Up to the first NUL.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer as the kernel lays it out (`dm-ioctl.c`, `retrieve_status`).
    fn laid_out(targets: &[(u64, u64, &str, &str)]) -> Vec<u8> {
        let mut data = Vec::new();
        for (start, length, kind, parameters) in targets {
            let mut one = Vec::new();
            one.extend(start.to_ne_bytes());
            one.extend(length.to_ne_bytes());
            one.extend([0; 8]);
            one.extend(kind.bytes().chain(std::iter::repeat(0)).take(16));
            one.extend(parameters.bytes());
            one.resize((one.len() + 8) & !7, 0);
            let next = u32::try_from(data.len() + one.len()).expect("small");
            one[20..24].copy_from_slice(&next.to_ne_bytes());
            data.extend(one);
        }
        let mut buffer = question(0, 0, DM_HEAD_BYTES);
        let count = u32::try_from(targets.len()).expect("few");
        buffer[TARGET_COUNT_AT..TARGET_COUNT_AT + 4].copy_from_slice(&count.to_ne_bytes());
        buffer.extend(data);
        buffer
    }

    #[test]
    fn walks_the_chain_of_targets() {
        let buffer = laid_out(&[(0, 8, "linear", "8:0 2048"), (8, 16, "crypt", "aes ffff 0 8:16 0")]);
        let targets = answer(&buffer);
        assert_eq!((targets[0].kind.as_str(), targets[0].parameters.as_str()), ("linear", "8:0 2048"));
        assert_eq!((targets[1].start_sectors, targets[1].parameters.as_str()), (8, "aes - 0 8:16 0"));
    }

    #[test]
    fn a_chain_that_leads_nowhere_ends() {
        let mut buffer = laid_out(&[(0, 8, "linear", "8:0 0")]);
        buffer[TARGET_COUNT_AT] = 200;
        buffer[DM_HEAD_BYTES + 20..DM_HEAD_BYTES + 24].copy_from_slice(&0_u32.to_ne_bytes());
        assert_eq!(answer(&buffer).len(), 1);
        assert_eq!(answer(&buffer[..DM_HEAD_BYTES + 10]).len(), 0);
    }

    #[test]
    fn large_minor_numbers_are_spread() {
        assert_eq!(device_number("253:3"), Some(0xfd03));
        assert_eq!(device_number("253:300"), Some(0x10_fd2c));
    }
}
