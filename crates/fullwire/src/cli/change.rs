use crate::complete;
use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCandidates;
use std::path::PathBuf;

/// `fullwire apply`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire apply last --dry-run                    what it would do
  fullwire apply last                              shows it, asks, and does it
  fullwire apply last --finding nic-ring-drops --window
  fullwire apply --undo                            take back all that apply has changed here

The rules run again on this host, and all commands come from that: the run says which
findings are meant. A step that fails or is left out ends its finding and takes it back; the next
finding goes on.
Exit status: 0 all is applied, 1 a finding was left out, 3 one failed.")]
pub(crate) struct ApplyArgs {
    /// A run's id, its first characters, its label, or `last`: the last one of this host itself
    #[arg(add = ArgValueCandidates::new(complete::runs), required_unless_present = "undo")]
    pub(crate) run: Option<String>,
    /// Only this finding; may be repeated [default: all but notes]
    #[arg(long, value_name = "CODE", add = ArgValueCandidates::new(complete::codes))]
    pub(crate) finding: Vec<String>,
    /// Show what would be done, and do nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Do not ask whether to begin; questions that only a person can answer are still asked, or left out without a terminal
    #[arg(long)]
    pub(crate) yes: bool,
    /// Also what interrupts the service or needs it stopped: this is a maintenance window
    #[arg(long)]
    pub(crate) window: bool,
    /// Take back what apply has changed here, the last change first: of this run, or of all
    #[arg(long)]
    pub(crate) undo: bool,
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: in ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
}

/// `fullwire script`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire script last > plan.sh                   read it, then: sh plan.sh [--dry-run]
  fullwire script last --finding receive-window
  fullwire script last --format ansible > plan.yml

Both show the steps and call `fullwire apply`, which alone executes them. Notes (info) are in it
only when named. The playbook does nothing without -e apply=true.")]
pub(crate) struct ScriptArgs {
    /// A run's id, its first characters, its label, or `last`: the last one of this host itself
    #[arg(add = ArgValueCandidates::new(complete::runs))]
    pub(crate) run: String,
    /// Only the steps of this finding; may be repeated [default: all but notes]
    #[arg(long, value_name = "CODE", add = ArgValueCandidates::new(complete::codes))]
    pub(crate) finding: Vec<String>,
    /// A POSIX shell script, or an Ansible playbook
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ScriptFormat,
    /// The store of kept runs [env: `FULLWIRE_STORE`] [default: in ~/.local/state/fullwire]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
}

/// Language of a script.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum ScriptFormat {
    /// Shell.
    #[default]
    Sh,
    /// Ansible playbook.
    Ansible,
}

/// `fullwire clean`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire clean            remove files and directories, show what was interrupted and left changed
  fullwire clean --undo     also take back what was left changed

What `fullwire apply` has done to the end is taken back by `fullwire apply --undo`.")]
pub(crate) struct CleanArgs {
    /// Take back what an interrupted experiment or apply left changed
    #[arg(long)]
    pub(crate) undo: bool,
    /// Also by what interrupts the service or needs it stopped: this is a maintenance window
    #[arg(long, requires = "undo")]
    pub(crate) window: bool,
}
