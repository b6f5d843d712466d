//! Documents and drawings of runs made by hand or filled in every field. How real runs look is tested where the
//! rules are at hand: in `crates/fullwire/tests`.

mod comparison;
mod demo;
mod html;
mod json;
mod judged;
mod mesh;
mod names;
#[cfg(feature = "schema")]
mod schema;
mod script;
mod terminal;
