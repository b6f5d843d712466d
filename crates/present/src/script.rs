//! The plan of a run as a script that a person reads and runs: fullwire itself changes nothing.

mod ansible;
mod shell;

pub use ansible::ansible;
pub use shell::shell;

use fullwire_model::assessment::{Finding, Step};

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
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    clean.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the machine that runs a step is called, and whether it is another one.
fn place(step: &Step) -> String {
    one_line(&step.on)
}
