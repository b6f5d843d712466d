//! What to do about a finding: steps with their conditions, so that a program can sort, guard and undo them.

use super::ShellCommand;
use fullwire_record::record;
use serde::{Deserialize, Serialize};

/// Where a step is done when it is done on the host that was judged.
pub const HERE: &str = "here";

/// What to do about a finding.
#[record(Eq)]
pub struct Advice {
    /// Why it matters.
    pub why: String,
    /// What to do, in the order in which it is done: now, so that it lasts, and how to take it back.
    pub steps: Vec<Step>,
    /// What gain to expect, and how to prove it.
    pub expect: String,
}

impl Advice {
    /// The steps of one phase, in order.
    pub fn phase(&self, phase: Phase) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(move |step| step.phase == phase)
    }

    /// What a step costs, now or at the next boot: what lasts brings about then what the other steps bring about now.
    pub fn risk_of(&self, step: &Step) -> Risk {
        let others = self.steps.iter().filter(|other| other.phase != Phase::Undo).map(Step::risk);
        if step.phase == Phase::Persist { others.fold(step.risk(), Risk::max) } else { step.risk() }
    }
}

/// One step of a remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "StepForm", into = "StepForm")]
pub struct Step {
    /// When it belongs.
    pub phase: Phase,
    /// `here`, or the target of the peer on which it is done.
    pub on: String,
    /// A command that root can paste and run as it is; `None`: `text` says what a person does.
    pub run: Option<ShellCommand>,
    /// What the step does, or what to do.
    pub text: String,
    /// What it does to the host; what it costs follows from it.
    pub kind: StepKind,
    /// What stands still meanwhile (`eth0`, `the database`); empty: nothing.
    pub interrupts: String,
    /// What must be true before it, by the status of a command.
    pub checks: Vec<Check>,
    /// What must be true before it and only a person can tell.
    pub needs: Vec<String>,
    /// Succeeds once the step has taken effect; of what keeps a change: once the next boot will have it.
    pub read_back: Option<ShellCommand>,
    /// Files that the command changes; a name that ends in a slash is a directory, of which all files may change.
    pub writes: Vec<String>,
    /// Of a step that takes back: the phases of which it takes back what was done.
    pub undoes: Vec<Phase>,
    /// What it wants of the drive behind a disk; no document has it.
    pub drive: Option<OfDrive>,
}

impl Step {
    /// A step here that a person takes, and that costs nothing.
    pub fn by_hand(phase: Phase, text: impl Into<String>) -> Self {
        Self {
            phase,
            on: HERE.to_owned(),
            run: None,
            text: text.into(),
            kind: StepKind::Set,
            interrupts: String::new(),
            checks: Vec::new(),
            needs: Vec::new(),
            read_back: None,
            writes: Vec::new(),
            undoes: if phase == Phase::Undo { vec![Phase::Now, Phase::Persist] } else { Vec::new() },
            drive: None,
        }
    }

    /// It is done on the host that was judged.
    pub fn is_here(&self) -> bool {
        self.on == HERE
    }

    /// What it costs those who use the host meanwhile.
    pub fn risk(&self) -> Risk {
        self.kind.risk()
    }

    /// The command, if it may be run.
    pub fn command(&self) -> Option<&ShellCommand> {
        self.run.as_ref().filter(|run| !run.is_refused())
    }
}

/// What a step wants of a drive: behind a unit of an array, or a guest's disk, is none that this host could ask or replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfDrive {
    /// That it tells what it counted (SMART).
    Asked,
    /// That a new one takes its place.
    Replaced,
}

/// Something that must be true, and the command that tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    /// Succeeds if it is true; reads only.
    pub run: ShellCommand,
    /// What must be true.
    pub text: String,
}

/// When a step belongs.
#[record(PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Finds or removes the cause.
    Now,
    /// Keeps the change after a reboot.
    Persist,
    /// Takes it back.
    Undo,
}

/// What a step does to the host.
#[record(Default, PartialOrd, Ord, Hash)]
pub enum StepKind {
    /// Reads only.
    Look,
    /// Writes down in a file of our own what there is.
    Save,
    /// Sets something while everything goes on.
    #[default]
    Set,
    /// Has a service read its configuration again.
    Reload,
    /// Resets a link: it carries nothing for seconds.
    LinkReset,
    /// Stops I/O, traffic or programs for seconds in another way.
    Pause,
    /// Stops a service, or starts it anew.
    Restart,
    /// Unmounts a file system, or needs that nothing uses it.
    Unmount,
    /// Takes the interface down until a person has set it up again.
    LinkDown,
    /// Starts the host anew.
    Reboot,
    /// Work on the hardware with the host or the device out of use.
    Hardware,
}

impl StepKind {
    /// What a step of this kind costs those who use the host meanwhile.
    pub const fn risk(self) -> Risk {
        match self {
            Self::Look | Self::Save | Self::Set | Self::Reload => Risk::Online,
            Self::LinkReset | Self::Pause => Risk::Interrupts,
            Self::Restart | Self::Unmount | Self::LinkDown | Self::Reboot | Self::Hardware => Risk::Downtime,
        }
    }
}

/// What a step costs those who use the host meanwhile.
#[record(PartialOrd, Ord, Hash)]
pub enum Risk {
    /// Nothing.
    Online,
    /// A break of seconds: a link that resets, a queue that is emptied.
    Interrupts,
    /// The database or the file system must be stopped, or the host restarted.
    Downtime,
}

/// A step as a document has it: with the risk, for those who read no kinds.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Step"))]
struct StepForm {
    /// When it belongs.
    phase: Phase,
    /// `here`, or the target of the peer on which it is done.
    on: String,
    /// A command that root can paste and run as it is; null: `text` says what a person does.
    run: Option<ShellCommand>,
    /// What the step does, or what to do.
    text: String,
    /// What it does to the host.
    #[serde(default)]
    kind: StepKind,
    /// What stands still meanwhile (`eth0`, `the database`); empty: nothing.
    #[serde(default)]
    interrupts: String,
    /// What it costs those who use the host meanwhile; follows from `kind`.
    risk: Risk,
    /// What must be true before it, by the status of a command.
    #[serde(default)]
    checks: Vec<Check>,
    /// What must be true before it and only a person can tell.
    needs: Vec<String>,
    /// Succeeds once the step has taken effect; of what keeps a change: once the next boot will have it.
    #[serde(default)]
    read_back: Option<ShellCommand>,
    /// Files that the command changes; a name that ends in a slash is a directory, of which all files may change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    writes: Vec<String>,
    /// Of a step that takes back: the phases of which it takes back what was done.
    #[serde(default)]
    undoes: Vec<Phase>,
}

impl From<Step> for StepForm {
    fn from(step: Step) -> Self {
        let risk = step.risk();
        let Step {
            phase,
            on,
            run,
            text,
            kind,
            interrupts,
            checks,
            needs,
            read_back,
            writes,
            undoes,
            drive: _,
        } = step;
        Self { phase, on, run, text, kind, interrupts, risk, checks, needs, read_back, writes, undoes }
    }
}

impl From<StepForm> for Step {
    fn from(form: StepForm) -> Self {
        let StepForm {
            phase,
            on,
            run,
            text,
            kind,
            interrupts,
            risk: _,
            checks,
            needs,
            read_back,
            writes,
            undoes,
        } = form;
        Self { phase, on, run, text, kind, interrupts, checks, needs, read_back, writes, undoes, drive: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_a_document_is_shown_and_not_run() {
        let mut step = Step::by_hand(Phase::Now, "stop it");
        step.run = Some("umount /u01".into());
        step.kind = StepKind::Unmount;
        assert!(step.command().is_some());
        let text = serde_json::to_string(&step).expect("serialises");
        assert!(text.contains(r#""risk":"downtime""#), "{text}");
        let read: Step = serde_json::from_str(&text).expect("reads");
        assert_eq!(read.run.as_deref(), Some("umount /u01"));
        assert!(read.command().is_none());
        assert_eq!(read.kind, StepKind::Unmount);
    }
}
