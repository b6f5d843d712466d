//! What to do about a finding: steps with their conditions, so that a program can sort, guard and undo them.

use serde::{Deserialize, Serialize};

/// Where a step is done when it is done on the host that was judged.
pub const HERE: &str = "here";

/// What to do about a finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Advice {
    /// Why it matters.
    pub why: String,
    /// What to do, in the order in which it is done.
    pub steps: Vec<Step>,
    /// What gain to expect, and how to prove it.
    pub expect: String,
}

impl Advice {
    /// The steps of one phase, in order.
    pub fn phase(&self, phase: Phase) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(move |step| step.phase == phase)
    }
}

/// One step of a remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// When it belongs.
    pub phase: Phase,
    /// `here`, or the target of the peer on which it is done.
    pub on: String,
    /// A command that root can paste and run as it is; `None`: `text` says what a person does.
    pub run: Option<String>,
    /// What the step does, or what to do.
    pub text: String,
    /// What it costs those who use the host meanwhile.
    pub risk: Risk,
    /// What must be true before it.
    pub needs: Vec<String>,
}

impl Step {
    /// It is done on the host that was judged.
    pub fn is_here(&self) -> bool {
        self.on == HERE
    }
}

/// When a step belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Finds or removes the cause.
    Now,
    /// Keeps the change after a reboot.
    Persist,
    /// Takes it back.
    Undo,
}

/// What a step costs those who use the host meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Risk {
    /// Nothing.
    Online,
    /// A break of seconds: a link that resets, a queue that is emptied.
    Interrupts,
    /// The database or the file system must be stopped, or the host restarted.
    Downtime,
}

/// The text as one word of a POSIX shell: names come from the host, from archives and from users of the host.
pub fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:@%+=,-".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
