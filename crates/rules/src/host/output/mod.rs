//! What logs and tools' outputs say by themselves, line by line, where there is no host to ask further.

rules! {
    counter_total,
    log_line,
}
