//! Limits of processes and of the kernel.

rules! {
    aio_max,
    file_max,
    io_uring_disabled,
    limit_files,
    limit_memlock,
    limit_processes,
}
