//! MySQL and MariaDB.

rules! {
    mysql_commit_unsafe,
    mysql_doublewrite_off,
    mysql_flush_method,
    mysql_io_capacity,
    mysql_log_waits,
    mysql_native_aio,
    mysql_pool_too_large,
    mysql_redo_small,
    mysql_semi_sync,
}
