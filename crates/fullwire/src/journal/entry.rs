//! A step that changes something, as the journal tells of it, and what takes it back.

use crate::remedy::files::Saved;
use fullwire_model::assessment::StepKind;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What takes a step back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Undo {
    /// What it does, or what a person does.
    pub(crate) text: String,
    /// The command; `None`: a person does it.
    pub(crate) run: Option<String>,
    /// Succeeds where there is nothing to take back.
    pub(crate) is_back: Option<String>,
    /// What it does to the host, and what stands still meanwhile.
    #[serde(default)]
    pub(crate) kind: StepKind,
    #[serde(default)]
    pub(crate) interrupts: String,
    /// Each succeeds if it may be done.
    #[serde(default)]
    pub(crate) checks: Vec<String>,
}

impl Undo {
    /// A command.
    pub(crate) fn command(run: &str) -> Self {
        Self { run: Some(run.to_owned()), ..Self::default() }
    }

    /// As it is told.
    pub(crate) fn shown(&self) -> String {
        self.run.clone().unwrap_or_else(|| format!("by hand: {}", self.text))
    }
}

/// How far a step came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Progress {
    /// It was begun; nobody knows how far it came.
    Begun,
    Done,
    Failed,
    /// Taking it back was begun; nobody knows how far that came.
    Undoing,
    Undone,
}

/// A step as the journal tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The finding, or what the change is called.
    pub(crate) of: String,
    pub(crate) text: String,
    pub(crate) run: Vec<String>,
    /// What takes it back, with the values that were there before.
    pub(crate) undo: Vec<Undo>,
    /// What it changes: files, and directories whose files it may make.
    pub(crate) writes: Vec<String>,
    /// Files that it changes, as they were before.
    pub(crate) before: Vec<Saved>,
    /// As it left them; `None`: not known.
    pub(crate) after: Option<Vec<Saved>>,
    /// When it, or what takes it back, was last begun: what a command of it was killed over was written soon after.
    pub(crate) begun: Timestamp,
    pub(crate) progress: Progress,
    /// The next start of the host takes it back, and gives its devices other names.
    #[serde(default)]
    pub(crate) until_boot: bool,
    /// What tells the device apart that it was done to.
    #[serde(default)]
    pub(crate) device: String,
    /// The host was started anew since, which took it back; what keeps the finding's change may have made it again.
    #[serde(default)]
    pub(crate) restarted: bool,
    /// It is to stay.
    pub(crate) kept: bool,
}

impl Entry {
    /// A step that is about to be done.
    pub(crate) fn new(of: &str, text: &str, run: &[String], undo: Vec<Undo>) -> Self {
        Self {
            of: of.to_owned(),
            text: text.to_owned(),
            run: run.to_vec(),
            undo,
            writes: Vec::new(),
            before: Vec::new(),
            after: None,
            begun: Timestamp::now(),
            progress: Progress::Begun,
            until_boot: false,
            device: String::new(),
            restarted: false,
            kept: false,
        }
    }

    /// It may be in effect.
    pub(crate) fn is_in_effect(&self) -> bool {
        self.progress != Progress::Undone
    }

    /// It is in effect, and it or what takes it back did not come to its end.
    pub(crate) fn is_left(&self) -> bool {
        self.is_in_effect() && (!self.kept || self.progress == Progress::Undoing)
    }
}
