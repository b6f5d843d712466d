//! The end of a command: judged, shown, then kept. What cannot be kept was measured all the same.

use crate::cli::{FailOn, KeepArgs};
use crate::output::Show;
use crate::output::verbose;
use crate::session::store::open_store;
use crate::signals;
use anyhow::Result;
use fullwire_model::Run;
use fullwire_model::assessment::Assessment;
use fullwire_present::Report;
use serde::Serialize;
use std::process::ExitCode;

/// Exit status when nothing could be measured.
const NOTHING: u8 = 3;

/// What an interrupted run says of itself.
pub(crate) const INTERRUPTED: &str = "interrupted: what was measured until then is shown";

/// A run that is over, and what is concluded from it.
pub(crate) struct Outcome {
    pub(crate) run: Run,
    pub(crate) assessment: Assessment,
    interrupted: bool,
}

/// A document with a word about its end: `interrupted` is there only when it is true.
#[derive(Serialize)]
struct Marked<'a, D> {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    interrupted: bool,
    #[serde(flatten)]
    document: &'a D,
}

impl Outcome {
    pub(crate) fn new(run: Run, assessment: Assessment, interrupted: bool) -> Self {
        Self { run, assessment, interrupted }
    }

    /// What the terminal draws. Whether the run could be kept is not known yet: [`Self::keep`] tells its id.
    pub(crate) fn report(&self) -> Report<'_> {
        let mut report = self.page();
        report.title.run_id = "";
        report
    }

    /// What a page draws.
    pub(crate) fn page(&self) -> Report<'_> {
        Report::new(&self.run, &self.assessment)
    }

    /// Shows the command's document, or its text.
    pub(crate) fn show<D: Serialize>(
        &self,
        show: &Show,
        document: &D,
        text: impl FnOnce() -> String,
    ) -> Result<()> {
        show.result(&Marked { interrupted: self.interrupted, document }, || self.told(show, text()))
    }

    /// Shows several documents as a list.
    pub(crate) fn show_all<D: Serialize>(
        &self,
        show: &Show,
        documents: &[D],
        text: impl FnOnce() -> String,
    ) -> Result<()> {
        let marked = |document| Marked { interrupted: self.interrupted, document };
        show.result(&documents.iter().map(marked).collect::<Vec<_>>(), || self.told(show, text()))
    }

    /// With what `--verbose` adds.
    fn told(&self, show: &Show, text: String) -> String {
        let text = self.marked(text);
        if show.verbose() { text + &verbose::details(&self.assessment) } else { text }
    }

    /// A reader must not take a part for the whole: it is said first.
    pub(crate) fn marked(&self, text: String) -> String {
        if self.interrupted { format!("{INTERRUPTED}\n\n{text}") } else { text }
    }

    /// Keeps the run unless told otherwise. It has been shown: a store that cannot be written is a warning.
    pub(crate) fn keep(&self, keep: &KeepArgs, show: &Show) {
        if keep.no_store {
            return;
        }
        let kept = open_store(keep.store.as_deref()).and_then(|mut store| Ok(store.keep(&self.run)?));
        match kept {
            Ok(()) => {
                let id = &self.run.run_id;
                show.note(&format!("kept as {id}; HTML: fullwire report {id} -o report.html"));
            }
            Err(error) => Show::warn(&format!(
                "not kept: {} (--no-store keeps nothing and says nothing)",
                crate::sentence(&error)
            )),
        }
    }

    /// The exit status by the judgement; an interrupted command has a status that says so.
    pub(crate) fn exit_code(&self, fail_on: FailOn) -> ExitCode {
        ExitCode::from(if self.interrupted { signals::INTERRUPTED } else { self.judged(fail_on) })
    }

    /// As [`Self::exit_code`], for a command that was to measure: 3 when it could not.
    pub(crate) fn exit_code_of_probes(&self, fail_on: FailOn) -> ExitCode {
        let run = &self.run;
        let nothing = run.net.is_empty() && run.mtu.is_empty() && run.disk.is_empty();
        if nothing && (self.interrupted || self.judged(fail_on) == 0) {
            return ExitCode::from(NOTHING);
        }
        self.exit_code(fail_on)
    }

    fn judged(&self, fail_on: FailOn) -> u8 {
        u8::from(self.assessment.findings.iter().any(|finding| fail_on.reached_by(finding.severity)))
    }
}
