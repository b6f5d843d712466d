//! The crate as its users see it: a live host and captured trees.

mod capture;
mod live;
