//! What databases themselves report in their logs.

rules! {
    database_log_trouble,
}
