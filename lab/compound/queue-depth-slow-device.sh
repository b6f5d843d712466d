# The LUN takes two requests at a time, and each takes some 20 ms on a slow disk: the queue depth limits reads in parallel, the disk
# each single one.
# A good tool names both.
# expect-layer: storage
# expect-primary: queue.?depth|device.?slow|device.?latency
# expect-cause: queue.?depth
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

disk=$(lun a "$(mapped slow "$(sparse a)" delay 10)")
on_data "$disk"
depth() { echo "$1" >"/sys/block/${disk#/dev/}/device/queue_depth"; }
depth 64
before=$(parallel_iops)
depth 2
both=$(parallel_iops)
truth 'IOPS before over now' "$(ratio "$before" "$both")" 3 100
truth 'a read alone, us' "$(measure --directory=/data --rw=randread | cut -d' ' -f2)" 8000 60000
proven
ask db assess --path /data --quick --no-store
