//! System V IPC and shared memory.

rules! {
    dev_shm_small,
    remove_ipc,
    semaphores,
    shm_all,
    shm_all_below_max,
    shm_max,
    shm_orphaned,
    shm_segments,
}
