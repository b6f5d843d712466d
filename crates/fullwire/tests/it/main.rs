//! Tests of the executable as its users meet it: arguments in, documents and exit status out.

mod assess;
mod audit;
mod crowd;
mod documents;
mod hosts;
mod kept;
mod path;
mod relay;
mod ssh;
mod stop;
mod tool;
mod tun;
mod usage;
mod wire;
