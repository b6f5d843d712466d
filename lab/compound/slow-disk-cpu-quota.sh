# The control group of the database gets a tenth of a CPU, and is throttled whenever it computes; the LUN takes 4 requests at a time,
# 20 to 30 ms each. What reads and writes waits for the disk and needs little CPU.
# A good tool names the disk (or its queue) as the cause, not the quota.
# expect-layer: storage
# expect-primary: device|latency|slow|disk|queue
# expect-primary-not: cpu|quota|throttl
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

disk=$(slow_lun a 4)
on_data "$disk"
disk_only=$(parallel_iops)
database_group
cpu_max 10000 100000
before=$(throttled)
both=$(parallel_iops)
throttled_by_disk=$(($(throttled) - before))
before=$(throttled)
timeout 2 sh -c 'while :; do :; done' || true
truth 'periods throttled while it computes' $(($(throttled) - before)) 10 1000
echo "periods throttled while it reads: $throttled_by_disk"
truth 'IOPS, slow disk only' "$disk_only" 90 220
truth 'IOPS, both' "$both" 80 220
truth 'IOPS, slow disk only over both' "$(ratio "$disk_only" "$both")" 0.8 1.25
proven
ask db assess --path /data --quick --no-store
