//! Tests of the executable as its users meet it: arguments in, documents and exit status out.

mod assess;
mod audit;
mod browser;
mod compare;
mod contract;
mod crowd;
mod documents;
mod export;
mod golden;
mod guide;
mod hosts;
mod imports;
mod interrupts;
mod keeping;
mod kept;
mod live;
mod mesh;
mod needs;
mod path;
mod redo_day;
mod relay;
#[path = "../../../../tests/samples.rs"]
mod samples;
mod scrape;
mod script;
mod ssh;
mod stop;
mod strange;
mod strangers;
mod tool;
mod tun;
mod unit;
mod usage;
mod wire;
