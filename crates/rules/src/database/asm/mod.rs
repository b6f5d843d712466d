//! ASM: disk groups, disks, rebalancing, from a listing of its views.

rules! {
    asm_allocation_unit,
    asm_disk_errors,
    asm_disk_hung,
    asm_disk_offline,
    asm_disk_sizes,
    asm_disk_slow,
    asm_failure_groups_shared,
    asm_group_full,
    asm_mirror_space,
    asm_rebalance,
    asm_uneven_fill,
}
