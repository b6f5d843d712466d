//! The crate as its users see it: a live host and captured trees.

mod capture;
mod databases;
mod large;
mod live;
mod namespace;
mod rough;
mod samples;
mod sosreport;
mod tree;
