# The LUN takes one request at a time, 8 ms each: some 120 IOPS. The control group allows 300, which nobody notices before
# the queue is deeper.
# A good tool names the queue depth as the cause, and io.max as what comes next.
# expect-layer: storage
# expect-primary: queue.?depth|one-in-flight|request-queue
# expect-primary-not: io.?max|cgroup
# expect-next: io.?max|cgroup
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

disk=$(timed_lun 32)
on_data "$disk"
depth() { echo "$1" >"/sys/block/${disk#/dev/}/device/queue_depth"; }
before=$(parallel_iops)
depth 1
depth_only=$(parallel_iops)
database_group
io_max "$disk" riops=300 wiops=300
both=$(parallel_iops)
depth 32
limit_only=$(parallel_iops)
depth 1
truth 'IOPS before' "$before" 1200 1e6
truth 'IOPS, queue depth only' "$depth_only" 70 130
truth 'IOPS, io.max only' "$limit_only" 240 330
truth 'IOPS, both' "$both" 70 130
proven
ask db assess --path /data --quick --no-store
