//! Tests of the executable as its users meet it: arguments in, documents and exit status out.

mod assess;
mod audit;
mod documents;
mod kept;
mod path;
mod relay;
mod stop;
mod tool;
mod tun;
mod usage;
mod wire;
