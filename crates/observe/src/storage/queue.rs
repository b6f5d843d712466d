//! `/sys/block/X/queue` (the kernel's ABI/stable/sysfs-block).

use super::diskstats::SECTOR_BYTES;
use crate::Root;
use fullwire_model::host::Queue;

const KIB: u64 = 1024;

/// Reads a device's request-queue attributes; `None` when it has no queue directory.
pub(crate) fn read_queue(root: &Root, device: &str) -> Option<Queue> {
    let path = format!("{device}/queue");
    let present = root.try_list(&path).ok()?;
    let read = Attributes { root, path, present };
    let scheduler = read.text("scheduler").unwrap_or_default();
    let (in_use, schedulers) = schedulers(&scheduler);
    Some(Queue {
        scheduler: in_use,
        schedulers,
        nr_requests: read.number("nr_requests"),
        max_request_bytes: read.times("max_sectors_kb", KIB),
        max_hw_request_bytes: read.times("max_hw_sectors_kb", KIB),
        max_segments: read.number("max_segments"),
        max_segment_bytes: read.number("max_segment_size"),
        chunk_bytes: read.times("chunk_sectors", SECTOR_BYTES),
        logical_block_bytes: read.number("logical_block_size"),
        physical_block_bytes: read.number("physical_block_size"),
        minimum_io_bytes: read.number("minimum_io_size"),
        optimal_io_bytes: read.number("optimal_io_size"),
        alignment_offset_bytes: root.number(&format!("{device}/alignment_offset")),
        read_ahead_bytes: read.times("read_ahead_kb", KIB),
        rotational: read.flag("rotational"),
        write_cache: read.text("write_cache"),
        fua: read.flag("fua"),
        iostats: read.flag("iostats"),
        rq_affinity: read.number("rq_affinity"),
        nomerges: read.number("nomerges"),
        add_random: read.flag("add_random"),
        wbt_lat_us: read.number("wbt_lat_usec"),
        io_poll: read.flag("io_poll"),
        discard_max_bytes: read.number("discard_max_bytes"),
        hardware_queues: hardware_queues(root, device),
    })
}

/// A queue's attributes; those that this kernel lacks cost nothing.
struct Attributes<'a> {
    root: &'a Root,
    path: String,
    present: Vec<String>,
}

impl Attributes<'_> {
    fn text(&self, name: &str) -> Option<String> {
        self.present.binary_search_by(|present| present.as_str().cmp(name)).ok()?;
        self.root.attribute(&format!("{}/{name}", self.path))
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    fn times(&self, name: &str, factor: u64) -> Option<u64> {
        self.number(name)?.checked_mul(factor)
    }

    fn flag(&self, name: &str) -> Option<bool> {
        match self.text(name)?.as_str() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        }
    }
}

/// `[mq-deadline] kyber none`: the one in brackets is in use; alone without brackets it is, too.
pub(crate) fn schedulers(text: &str) -> (Option<String>, Vec<String>) {
    let names: Vec<&str> = text.split_whitespace().collect();
    let bracketed = names.iter().find_map(|name| name.strip_prefix('[')?.strip_suffix(']'));
    let in_use = bracketed.or(if let [only] = names.as_slice() { Some(*only) } else { None });
    let all = names.iter().map(|name| name.trim_matches(['[', ']']).to_owned()).collect();
    (in_use.map(str::to_owned), all)
}

/// `mq` holds one directory for each hardware queue.
fn hardware_queues(root: &Root, device: &str) -> Option<u64> {
    let queues = root.try_list(&format!("{device}/mq")).ok()?;
    (!queues.is_empty()).then_some(queues.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_in_use_is_in_brackets() {
        let (in_use, all) = schedulers("[none] mq-deadline kyber ");
        assert_eq!((in_use.as_deref(), all.len()), (Some("none"), 3));
        assert_eq!(schedulers("none").0.as_deref(), Some("none"));
        assert_eq!(schedulers("").0, None);
    }
}
