//! MySQL and MariaDB.

rules! {
    mysql_commit_unsafe,
    mysql_flush_method,
    mysql_log_waits,
    mysql_native_aio,
    mysql_redo_small,
}
