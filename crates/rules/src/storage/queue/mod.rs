//! Block queues: depth, scheduler, request size.

rules! {
    queue_completion_cpu,
    queue_depth_limit,
    queue_depth_small,
    queue_iostats_off,
    queue_max_request,
    queue_nomerges,
    queue_read_ahead,
    queue_rotational,
    queue_scheduler,
    queue_write_throttling,
    rate_plateau,
    request_split,
    write_cliff,
}
