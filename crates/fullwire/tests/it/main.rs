//! Tests of the executable as its users meet it: arguments in, documents and exit status out.

mod assess;
mod audit;
mod browser;
mod crowd;
mod documents;
mod golden;
mod hosts;
mod keeping;
mod kept;
mod live;
mod needs;
mod path;
mod redo_day;
mod relay;
mod script;
mod ssh;
mod stop;
mod strangers;
mod tool;
mod tun;
mod unit;
mod usage;
mod wire;
