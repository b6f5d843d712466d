//! `fullwire array`: the arithmetic of disks and RAID, before anything is bought or measured.

use crate::cli::ArrayArgs;
use crate::output::Show;
use crate::usage;
use anyhow::Result;
use fullwire_model::array::{DiskArray, DiskKind, RaidLevel};
use fullwire_present::format;
use fullwire_present::json::{ArrayDocument, ArrayLevel};
use fullwire_rules::ceiling::storage::queue;
use std::fmt::Write as _;
use std::process::ExitCode;

pub(crate) fn run(args: &ArrayArgs, show: &Show) -> Result<ExitCode> {
    let needed = args.need.unwrap_or(0.0);
    if args.need.is_some() && !(needed.is_finite() && needed > 0.0) {
        return usage::wrong("--need: a number of I/Os per second above 0");
    }
    if args.array.disks.is_none() && args.need.is_none() {
        return usage::wrong("how many disks? Write raid5:8x10k, or give --need for the number of disks");
    }
    let Some(document) = document(args) else {
        return usage::wrong("no figure is known for a disk of this speed");
    };
    show.result(&document, || text(args, &document))?;
    Ok(ExitCode::SUCCESS)
}

fn document(args: &ArrayArgs) -> Option<ArrayDocument> {
    let of = |level: RaidLevel| {
        let array = DiskArray { level, ..args.array };
        let io_per_s = queue::array_io_per_s(&array, args.read_share, args.depth);
        let possible = array.disks.is_none_or(|disks| disks >= level.least_disks());
        Some(ArrayLevel {
            level,
            operations_per_io: queue::operations_per_io(args.read_share, queue::write_penalty(level.name())?),
            io_per_s: io_per_s.filter(|_| possible),
            bytes_per_s: io_per_s.filter(|_| possible).map(|per_s| per_s * args.block as f64),
            latency_ns: io_per_s.zip(args.depth).map(|(per_s, depth)| depth as f64 / per_s * 1e9),
            disks_needed: args.need.and_then(|need| queue::disks_for(&array, need, args.read_share)),
        })
    };
    Some(ArrayDocument {
        schema: "fullwire.array/1",
        array: args.array,
        disk_io_per_s: queue::disk_io_per_s(args.array.disk)?,
        read_share: args.read_share,
        block_bytes: args.block,
        in_flight: args.depth,
        needed_io_per_s: args.need,
        levels: RaidLevel::ALL.into_iter().map(of).collect::<Option<_>>()?,
    })
}

fn text(args: &ArrayArgs, document: &ArrayDocument) -> String {
    let mut text = String::new();
    let mix = format!("{} reads of {}", format::percent(args.read_share), format::size(args.block as f64));
    let depth = args.depth.map_or("all disks busy".to_owned(), |depth| format!("{depth} in flight"));
    let own = document.levels.iter().find(|one| one.level == args.array.level);
    // Writing to a String does not fail.
    if let Some((own, per_s, disks)) = own.and_then(|own| Some((own, own.io_per_s?, args.array.disks?))) {
        let rate = format::rate(own.bytes_per_s.unwrap_or(0.0));
        let each = own.latency_ns.map(|ns| format!(", {} each", format::time(ns))).unwrap_or_default();
        let noun = if disks == 1 { "disk" } else { "disks" };
        let (disks, level) = (format!("{} {noun}", format::count(disks as f64)), own.level.name());
        let per_s = format::count(per_s.round());
        let _ = writeln!(text, "{level} of {disks}, {mix}, {depth}: {per_s} I/Os per second, {rate}{each}.");
    }
    if let Some((need, disks)) = args.need.zip(own.and_then(|own| own.disks_needed)) {
        let (need, disks) = (format::count(need.round()), format::count(disks as f64));
        let _ =
            writeln!(text, "{need} I/Os per second, {mix}: {disks} disks in {}.", args.array.level.name());
    }
    // Of a number of disks what they do, of a demand how many it takes.
    let is_sized = own.is_some_and(|own| own.io_per_s.is_some());
    let heads = if is_sized { format!("{:>16}{:>14}", "I/Os per s", "MB/s") } else { String::new() };
    let _ = writeln!(text, "\n  {:<8}{:>20}{heads}{:>14}", "level", "disk operations/IO", "disks");
    for one in &document.levels {
        let per_s = one.io_per_s.map_or("-".to_owned(), |per_s| format::count(per_s.round()));
        let rate = one.bytes_per_s.map_or("-".to_owned(), |rate| format!("{:.1}", rate / 1e6));
        let does = if is_sized { format!("{per_s:>16}{rate:>14}") } else { String::new() };
        let disks = one.disks_needed.or(args.array.disks).map_or("-".to_owned(), |disks| disks.to_string());
        let _ = writeln!(text, "  {:<8}{:>20.2}{does}{disks:>14}", one.level.name(), one.operations_per_io);
    }
    let _ = writeln!(text, "\n  {}", one_disk(args.array.disk, document.disk_io_per_s));
    text.push_str("  A small write costs 2 disk operations in RAID 1 and 10, 4 in RAID 5, 6 in RAID 6.\n  A controller's write cache does better for as long as it is not full.\n  Sequential I/O is limited by the link instead.\n");
    text
}

/// Where the figure of one disk is from.
fn one_disk(disk: DiskKind, per_s: f64) -> String {
    let per_s = format::count(per_s.floor());
    match disk {
        DiskKind::IoPerS(_) => format!("One disk: {per_s} I/Os per second, as given."),
        DiskKind::Rpm(rpm) => {
            let known = queue::SPINDLES.into_iter().find(|(speed, ..)| *speed == rpm);
            let (_, half_turn_ms, seek_ms) = known.unwrap_or((rpm, 0.0, 0.0));
            let rpm = format::count(rpm.into());
            format!(
                "One disk of {rpm} rpm: {per_s} random I/Os per second\n  = 1 s ÷ ({half_turn_ms} ms rotational latency + {seek_ms} ms seek + 1 ms)."
            )
        }
    }
}
