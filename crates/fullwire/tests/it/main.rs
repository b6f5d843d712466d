//! Tests of the executable as its users meet it: arguments in, documents and exit status out.

mod assess;
mod audit;
mod documents;
mod kept;
mod namespace;
mod stop;
mod tool;
mod usage;
