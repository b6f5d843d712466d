//! Did both sides ask the same question? Everything of a plan that moves the number must be equal.

use fullwire_model::disk::{Bonnie, DiskResult, DiskStepResult, Pattern, SmallFilesPlan};
use fullwire_model::net::NetResult;

/// What a measurement requested, field by field, in words.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Question {
    fields: Vec<(&'static str, String)>,
    /// Bytes of the target that were used: a file that is laid out within a time limit is never twice the same.
    working_set_bytes: u64,
    /// A stream that ended before the end of its file touched what it moved, however large the file is.
    came_round: bool,
    /// Time and amount: one of the two is what was requested, and that one is equal.
    duration_s: f64,
    bytes: u64,
}

/// Working sets, durations and amounts that differ by more than this factor are different questions.
const ALIKE: f64 = 1.5;

impl Question {
    /// Of a network test.
    pub fn of_net(result: &NetResult) -> Self {
        let plan = &result.plan;
        let flag = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        let fields = vec![
            ("mode", word(&result.mode)),
            ("streams", result.streams.to_string()),
            ("message length", plan.length_bytes.to_string()),
            ("duration", format!("{} s", plan.duration_ns as f64 / 1e9)),
            ("amount", plan.duration_bytes.to_string()),
            ("warm-up", format!("{} s", plan.warmup_ns as f64 / 1e9)),
            ("pause", format!("{} ns", plan.delay_ns)),
            ("random length", flag(plan.random_length)),
            ("random pause", flag(plan.random_delay)),
            ("payload", word(&plan.payload)),
            ("remote write", flag(plan.write)),
            ("socket buffer requested", plan.sockbuf_bytes.to_string()),
            ("segment size requested", plan.mss_bytes.to_string()),
            ("reverse", flag(result.reverse)),
            ("both ways", flag(plan.bidir)),
            ("rate", format!("{} bytes/s", plan.rate_bytes_per_s)),
            ("messages in flight", plan.depth.max(1).to_string()),
            ("open loop", format!("{} /s", plan.open_loop_per_s)),
            ("under load", flag(plan.under_load)),
            ("DSCP", plan.dscp.map_or_else(|| "none".into(), |dscp| dscp.to_string())),
            ("congestion control requested", plan.congestion.clone()),
            ("busy polling", format!("{} µs", plan.busy_poll_us)),
            ("zero copy", flag(plan.zerocopy)),
        ];
        Self { fields, ..Self::default() }
    }

    /// Of files to be created, read and deleted.
    pub fn of_small_files(plan: &SmallFilesPlan) -> Self {
        let fields = vec![
            ("pattern", word(&plan.pattern)),
            ("files", plan.files.to_string()),
            ("smallest file", format!("{} bytes", plan.min_bytes)),
            ("largest file", format!("{} bytes", plan.max_bytes)),
            ("threads", plan.threads.to_string()),
        ];
        Self { fields, ..Self::default() }
    }

    /// Of bonnie++'s rows of one file.
    pub fn of_bonnie(table: &Bonnie) -> Self {
        Self { working_set_bytes: table.size_bytes, came_round: true, ..Self::default() }
    }

    /// Of a storage step.
    pub fn of_step(result: &DiskResult, step: &DiskStepResult) -> Self {
        let fields = vec![
            ("operation", word(&step.operation)),
            ("share of reads", step.read_share.map_or_else(|| "none".into(), |share| share.to_string())),
            ("pattern", word(&step.pattern)),
            ("block", format!("{} bytes", step.block_bytes)),
            ("depth", step.queue_depth.to_string()),
            ("threads", step.threads.to_string()),
            ("engine", word(&step.engine)),
            ("direct I/O", if step.direct { "yes" } else { "no" }.into()),
            ("sync", word(&step.sync)),
            ("rate", format!("{} /s", step.rate_per_s)),
            ("working set requested", step.working_set_bytes.to_string()),
        ];
        Self {
            fields,
            working_set_bytes: result.working_set_bytes,
            came_round: step.pattern != Pattern::Sequential || step.bytes > result.working_set_bytes,
            duration_s: step.duration_s,
            bytes: step.bytes,
        }
    }

    /// The first thing in which another question differs, with both values; `None`: it is the same question.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let differs = self.fields.iter().zip(&other.fields).find(|(own, others)| own.1 != others.1);
        if let Some(((name, own), (_, others))) = differs {
            return Some(format!("{name}: {} and {}", said(own), said(others)));
        }
        let apart = |a: f64, b: f64| a > 0.0 && b > 0.0 && (a / b > ALIKE || b / a > ALIKE);
        if (self.came_round || other.came_round)
            && apart(self.working_set_bytes as f64, other.working_set_bytes as f64)
        {
            let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
            return Some(format!(
                "working set: {} and {} (--size makes both equal)",
                mib(self.working_set_bytes),
                mib(other.working_set_bytes)
            ));
        }
        let unequal =
            apart(self.duration_s, other.duration_s) && apart(self.bytes as f64, other.bytes as f64);
        unequal.then(|| format!("duration: {:.1} s and {:.1} s", self.duration_s, other.duration_s))
    }
}

fn said(value: &str) -> &str {
    if value.is_empty() { "none" } else { value }
}

/// A value as documents name it.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::net::{NetMode, NetPlan};

    #[test]
    fn the_first_difference_is_named_with_both_values() {
        let plan = NetPlan { length_bytes: 8192, duration_ns: 10_000_000_000, ..NetPlan::default() };
        let sync = NetResult { mode: NetMode::Sync, streams: 1, plan: plan.clone(), ..NetResult::default() };
        let longer = NetResult { plan: NetPlan { duration_ns: 5_000_000_000, ..plan }, ..sync.clone() };
        let (one, other) = (Question::of_net(&sync), Question::of_net(&longer));
        assert_eq!(one.difference(&one), None);
        assert_eq!(one.difference(&other).as_deref(), Some("duration: 10 s and 5 s"));
    }

    #[test]
    fn a_step_that_ends_by_bytes_may_take_another_time() {
        let result = DiskResult { working_set_bytes: 256 << 20, ..DiskResult::default() };
        let slow = DiskStepResult { duration_s: 9.0, bytes: 1 << 30, ..DiskStepResult::default() };
        let fast = DiskStepResult { duration_s: 3.0, ..slow.clone() };
        let timed = DiskStepResult { bytes: 4 << 30, ..fast.clone() };
        let question = |step| Question::of_step(&result, step);
        assert_eq!(question(&slow).difference(&question(&fast)), None);
        assert!(question(&slow).difference(&question(&timed)).unwrap().starts_with("duration"));
        let larger = DiskResult { working_set_bytes: 1 << 30, ..result.clone() };
        let told = question(&fast).difference(&Question::of_step(&larger, &fast)).unwrap();
        assert_eq!(told, "working set: 256 MiB and 1024 MiB (--size makes both equal)");
        // The log writer of a slow volume gets a smaller file in the time that laying it out may take, and fills none.
        let log = DiskStepResult { bytes: 1 << 20, ..fast.clone() };
        assert_eq!(question(&log).difference(&Question::of_step(&larger, &log)), None);
        let random = DiskStepResult { pattern: Pattern::Random, ..log.clone() };
        assert!(question(&random).difference(&Question::of_step(&larger, &random)).is_some());
    }
}
