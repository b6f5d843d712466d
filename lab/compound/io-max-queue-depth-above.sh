# The control group allows 60 I/Os a second. The LUN takes 4 requests at a time of 8 ms each, which would be 500.
# A good tool names io.max as the cause, and the queue depth as what comes next.
# expect-layer: host|storage
# expect-primary: io.?max|cgroup
# expect-next: queue.?depth|request-queue
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
depth 4
depth_only=$(parallel_iops)
database_group
io_max "$disk" riops=60 wiops=60
both=$(parallel_iops)
depth 32
limit_only=$(parallel_iops)
depth 4
truth 'IOPS before' "$before" 1200 1e6
truth 'IOPS, queue depth only' "$depth_only" 250 520
truth 'IOPS, io.max only' "$limit_only" 45 75
truth 'IOPS, both' "$both" 45 75
proven
ask db assess --path /data --quick --no-store
