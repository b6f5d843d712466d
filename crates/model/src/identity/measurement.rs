//! What a measurement is called: the question that it asks of its path, and which of the same questions it is.

use crate::PathName;
use crate::disk::{DiskResult, DiskStepResult, Operation, Pattern, SmallFilesPlan, Sync};
use crate::net::{NetMode, NetResult};
use crate::quantity::block_label;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;

/// What two measurements of a path differ by when they ask different things of it. Two runs of one plan have the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Question {
    /// `async`, `async 8 streams`, `async reverse`, `async buffers 256k`, `sync`, `sync write`, `rtt`, `udp`.
    Net {
        /// How messages flow.
        mode: NetMode,
        /// The peer writes each message to disk.
        write: bool,
        /// Connections, at least 1.
        streams: u32,
        /// Socket buffers requested, bytes; 0: autotuning.
        sockbuf_bytes: u64,
        /// The peer sends.
        reverse: bool,
    },
    /// `quick random read 8k depth 1`, `pg-wal sequential write 8k depth 1 fdatasync`, `custom random read 8k depth 1 within 64M`.
    Disk {
        /// The profile that it belongs to.
        profile: String,
        /// Where I/Os go.
        pattern: Pattern,
        /// What an I/O does.
        operation: Operation,
        /// Bytes of one I/O.
        block_bytes: u64,
        /// I/Os in flight of all threads together.
        in_flight: u64,
        /// How a write is made durable, and whether it bypasses the page cache; nothing of a read.
        sync: Option<(Sync, bool)>,
        /// Bytes of the target that are used; 0: all.
        working_set_bytes: u64,
    },
    /// Small files created, looked at and deleted.
    SmallFiles(SmallFilesPlan),
    /// bonnie++'s table.
    Bonnie,
}

impl Question {
    /// The same with one stream or one I/O in flight: what measurements share that differ by these alone.
    #[must_use]
    pub fn alone(mut self) -> Self {
        match &mut self {
            Self::Net { streams, .. } => *streams = 1,
            Self::Disk { in_flight, .. } => *in_flight = 1,
            Self::SmallFiles(_) | Self::Bonnie => {}
        }
        self
    }

    /// The same with this host sending, of a question in which the peer sends.
    pub fn forward(&self) -> Option<Self> {
        let mut forward = self.clone();
        match &mut forward {
            Self::Net { reverse, .. } if *reverse => *reverse = false,
            _ => return None,
        }
        Some(forward)
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Net { mode, write, streams, sockbuf_bytes, reverse } => {
                f.write_str(mode.name())?;
                f.write_str(if *write { " write" } else { "" })?;
                if *streams > 1 {
                    write!(f, " {streams} streams")?;
                }
                if *sockbuf_bytes > 0 {
                    write!(f, " buffers {}", block_label(*sockbuf_bytes))?;
                }
                f.write_str(if *reverse { " reverse" } else { "" })
            }
            Self::Disk { profile, pattern, operation, block_bytes, in_flight, sync, working_set_bytes } => {
                let operation = pattern.of(operation.name());
                let block = block_label(*block_bytes);
                write!(f, "{profile} {operation} {block} depth {in_flight}")?;
                f.write_str(sync.map_or("", |(sync, direct)| sync.suffix(direct)))?;
                if *working_set_bytes > 0 {
                    write!(f, " within {}", block_label(*working_set_bytes))?;
                }
                Ok(())
            }
            Self::SmallFiles(plan) => f.write_str(&plan.label()),
            Self::Bonnie => f.write_str("bonnie"),
        }
    }
}

impl NetResult {
    /// What it asks of its path.
    pub fn question(&self) -> Question {
        Question::Net {
            mode: self.mode,
            write: self.plan.write,
            streams: self.streams.max(1),
            sockbuf_bytes: self.plan.sockbuf_bytes,
            reverse: self.reverse,
        }
    }

    /// The question in words.
    pub fn label(&self) -> String {
        self.question().to_string()
    }
}

impl DiskStepResult {
    /// What it asks of its path.
    pub fn question(&self) -> Question {
        Question::Disk {
            profile: self.profile.clone(),
            pattern: self.pattern,
            operation: self.operation,
            block_bytes: self.block_bytes,
            in_flight: u64::from(self.queue_depth.max(1)) * u64::from(self.threads.max(1)),
            sync: (self.operation != Operation::Read).then_some((self.sync, self.direct)),
            working_set_bytes: self.working_set_bytes,
        }
    }

    /// The question in words.
    pub fn label(&self) -> String {
        self.question().to_string()
    }
}

/// A measurement's question in words, numbered where a path was asked the same several times (`async #2`): unique within the
/// path, and the same in two runs of one plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct MeasurementId(String);

impl MeasurementId {
    /// Of a question that was asked of the path so many times before.
    pub fn numbered(question: &Question, before: usize) -> Self {
        Self(if before == 0 { question.to_string() } else { format!("{question} #{}", before + 1) })
    }

    /// Of a figure that was recorded and not measured (`recorded reads`).
    pub fn of_recording(figure: &str) -> Self {
        Self(format!("recorded {figure}s"))
    }

    /// Of an experiment, which is no part of a plan.
    pub fn of_experiment(question: &Question, what: &str) -> Self {
        Self(format!("{question}, tried: {what}"))
    }

    /// No single measurement: all of a path, or that of a probe that failed.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for MeasurementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Counts how often each path was asked each question.
#[derive(Default)]
pub struct Asked<'a>(HashMap<(&'a PathName, String), usize>);

impl<'a> Asked<'a> {
    /// The name of one more measurement of a path.
    pub fn again(&mut self, target: &'a PathName, question: &Question) -> MeasurementId {
        let before = self.0.entry((target, question.to_string())).or_default();
        *before += 1;
        MeasurementId::numbered(question, *before - 1)
    }
}

impl DiskResult {
    /// The steps in their order, each with its name.
    pub fn measurements(&self) -> impl Iterator<Item = (MeasurementId, &DiskStepResult)> {
        let mut asked = Asked::default();
        self.steps.iter().map(move |step| (asked.again(&self.target, &step.question()), step))
    }

    /// The name of one of its steps.
    pub fn name_of(&self, step: &DiskStepResult) -> MeasurementId {
        let question = step.question();
        let same = self.steps.iter().filter(|one| one.question() == question);
        let own = (step.probe, step.member);
        MeasurementId::numbered(&question, same.take_while(|one| (one.probe, one.member) != own).count())
    }
}
