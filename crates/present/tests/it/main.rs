//! Documents and drawings of a kept run and of runs filled in every field. How judged runs look is tested where the rules
//! are at hand: in `crates/fullwire/tests`.

mod comparison;
mod html;
mod json;
mod judged;
mod mesh;
mod names;
#[cfg(feature = "schema")]
mod schema;
mod script;
mod terminal;

use fullwire_model::Run;

/// A kept run of the lab: a peer whose receive window is too small.
fn receive_window() -> Run {
    let text = include_str!("../../../fullwire/tests/runs/receive-window.json");
    serde_json::from_str(text).expect("a kept run")
}
