//! What is done to a target: the threads of a load, when each I/O begins, where it goes, and what is counted.

pub(crate) mod bonnie;
pub(crate) mod pace;
pub(crate) mod random;
pub(crate) mod run;
pub(crate) mod series;
pub(crate) mod small_files;
pub(crate) mod tally;
pub(crate) mod thread;
pub(crate) mod thread_cpu;
