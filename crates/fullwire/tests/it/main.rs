//! Tests of the executable as its users meet it: arguments in, documents and exit status out.

mod assess;
mod audit;
mod browser;
mod contract;
mod crowd;
mod documents;
mod golden;
mod guide;
mod hosts;
mod interrupts;
mod keeping;
mod kept;
mod needs;
mod path;
mod recording;
mod redo_day;
mod relay;
#[path = "../../../../tests/samples.rs"]
mod samples;
mod screen;
mod script;
mod ssh;
mod stop;
mod strangers;
mod tool;
mod tun;
mod unit;
mod usage;
mod wire;
