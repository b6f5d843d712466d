//! The crate as its users see it: a live host and captured trees.

mod live;
