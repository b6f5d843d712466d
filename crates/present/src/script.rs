//! The plan of a run as a script that a person reads and runs.

mod ansible;
mod shell;

pub use ansible::ansible;
pub use shell::shell;

use fullwire_model::assessment::{Finding, Step, harmless};

/// What a script is made of.
#[derive(Debug, Clone, Copy)]
pub struct Script<'a> {
    /// The run's id.
    pub run_id: &'a str,
    /// The host that was judged.
    pub hostname: &'a str,
    /// The findings whose steps it takes, worst first.
    pub findings: &'a [&'a Finding],
}

/// One line: a name or a text from outside cannot begin another one.
fn one_line(text: &str) -> String {
    harmless(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name of which nothing means anything to a shell, a file system or Ansible.
fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '-' };
    name.chars().map(kept).collect()
}

/// What the machine that runs a step is called, and whether it is another one.
fn place(step: &Step) -> String {
    one_line(&step.on)
}
