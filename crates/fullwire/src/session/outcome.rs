//! The end of a command: judged, shown, then kept. What cannot be kept was measured all the same.

use crate::cli::{FailOn, KeepArgs};
use crate::output::{Show, verbose, write_to};
use crate::session::store::open_store;
use crate::signals;
use anyhow::Result;
use fullwire_model::Run;
use fullwire_model::assessment::{Answer, Assessment, Reply, UserQuestion};
use fullwire_model::disk::DiskResult;
use fullwire_present::{Report, html};
use serde::Serialize;
use std::cell::Cell;
use std::process::ExitCode;

/// Exit status when nothing could be measured, a network test broke, or what was requested could not be written.
pub(crate) const NOT_DONE: u8 = 3;

/// A run that is over, and what is concluded from it.
pub(crate) struct FinishedRun {
    pub(crate) run: Run,
    pub(crate) assessment: Assessment,
    /// What the command itself has to say first.
    pub(crate) answer: Vec<String>,
    interrupted: bool,
    /// A page that was requested could not be written.
    no_page: Cell<bool>,
}

/// A document with a word about its end: `interrupted` is there only when it is true.
#[derive(Serialize)]
struct Marked<'a, D> {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    interrupted: bool,
    #[serde(flatten)]
    document: &'a D,
}

impl FinishedRun {
    pub(crate) fn new(run: Run, assessment: Assessment, interrupted: bool) -> Self {
        Self { run, assessment, answer: Vec::new(), interrupted, no_page: Cell::new(false) }
    }

    /// What the terminal draws. Whether the run could be kept is not known yet: [`Self::keep`] tells its id.
    pub(crate) fn report(&self) -> Report<'_> {
        let mut report = self.page();
        report.title.run_id = "";
        report
    }

    /// What a page draws.
    pub(crate) fn page(&self) -> Report<'_> {
        let mut report = Report::new(&self.run, &self.assessment);
        report.answer.splice(0..0, self.answer.iter().cloned());
        report
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

    /// With what `--verbose` adds.
    fn told(&self, show: &Show, text: String) -> String {
        if !show.verbose() {
            return text;
        }
        verbose::with_details(&text, &self.run, &self.assessment, &self.report())
    }

    /// Writes the page that was requested, and keeps the run unless told otherwise. It has been shown: a store that cannot be
    /// written is a warning.
    pub(crate) fn keep(&self, keep: &KeepArgs, show: &Show) {
        if let Some(path) = &keep.html {
            let page = html::page(&self.page());
            if let Err(error) = write_to(path, &page) {
                Show::warn(&crate::sentence(&error));
                self.no_page.set(true);
            }
        }
        if keep.no_store {
            return;
        }
        let kept = open_store(keep.store.as_deref()).and_then(|mut store| Ok(store.keep(&self.run)?));
        match kept {
            Ok(()) => {
                let id = &self.run.run_id;
                show.note(&format!("kept as {id}; HTML: fullwire report {id} -o report.html"));
            }
            Err(error) => {
                Show::warn(&format!(
                    "not kept: {} (--no-store avoids this warning)",
                    crate::sentence(&error)
                ));
            }
        }
    }

    /// The exit status by the judgement; an interrupted command has a status that says so.
    pub(crate) fn exit_code(&self, fail_on: Option<FailOn>) -> ExitCode {
        ExitCode::from(match self.judged(fail_on) {
            _ if self.interrupted => signals::INTERRUPTED,
            judged if self.broke() && (judged == 0 || self.run.command.name != "assess") => NOT_DONE,
            0 if self.no_page.get() => NOT_DONE,
            judged => judged,
        })
    }

    /// As [`Self::exit_code`], for a command that was to measure: 3 when it could not. `assess` has audited the host all the
    /// same: what it found there counts.
    pub(crate) fn exit_code_of_probes(&self, fail_on: Option<FailOn>) -> ExitCode {
        let run = &self.run;
        let no_mtu = run.mtu.iter().all(|result| result.path_mtu_bytes.is_none());
        let no_disk = run.disk.iter().all(|result| result.steps.is_empty() && is_empty(result));
        let nothing = run.net.is_empty() && no_mtu && no_disk;
        let undone = nothing || self.unmeasured();
        if undone && !self.interrupted && (run.command.name != "assess" || self.judged(fail_on) == 0) {
            return ExitCode::from(NOT_DONE);
        }
        self.exit_code(fail_on)
    }

    /// A network test ended before its time, and not by an interrupt, or carried nothing.
    fn broke(&self) -> bool {
        self.run.net.iter().any(|result| result.broke_after_s.is_some())
            || (!self.run.net.is_empty() && self.unmeasured())
    }

    /// Something that was asked for could not be measured: the first line says so.
    fn unmeasured(&self) -> bool {
        let open = |one: &Answer| (one.question, one.answer) == (UserQuestion::Complete, Reply::Broken);
        self.assessment.answers.iter().any(open)
    }

    fn judged(&self, fail_on: Option<FailOn>) -> u8 {
        let fail_on = FailOn::of(fail_on, &self.run.command.name);
        u8::from(self.assessment.findings.iter().any(|finding| fail_on.reached_by(finding.severity)))
    }
}

/// Neither small files nor bonnie's table, which have no steps.
fn is_empty(result: &DiskResult) -> bool {
    result.small_files.is_empty() && result.bonnie.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::Command;

    /// A nightly `assess --peer` whose key is missing has failed, though the host was audited and the path MTU found.
    #[test]
    fn what_was_asked_for_and_not_measured_is_no_success() {
        let of = |question, reply| {
            let mut run =
                Run { command: Command { name: "assess".into(), ..Command::default() }, ..Run::default() };
            run.disk.push(DiskResult {
                steps: vec![fullwire_model::disk::DiskStepResult::default()],
                ..DiskResult::default()
            });
            let answers = vec![Answer { question, answer: reply, ..Answer::default() }];
            FinishedRun::new(run, Assessment { answers, ..Assessment::default() }, false)
                .exit_code_of_probes(None)
        };
        assert_eq!(of(UserQuestion::Complete, Reply::Broken), ExitCode::from(NOT_DONE));
        assert_eq!(of(UserQuestion::Commit, Reply::Measured), ExitCode::SUCCESS);
    }
}
