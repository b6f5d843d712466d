//! What a measured target showed as a whole.

rules! {
    cache_suspected,
    demand_exceeds_storage,
    foreign_load,
    read_again_faster,
    result_unsteady,
    storage_burst,
    storage_stalls,
    target_cached,
    target_in_memory,
    target_no_answer,
    working_set_small,
}
