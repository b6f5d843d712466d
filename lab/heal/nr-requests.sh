# The I/O scheduler of the LUN may queue 4 requests (nr_requests), of a device that works on 32 at a time, 8 ms each.
# A good tool names the setting, the command that raises it, and promises the rate of a longer queue.
# expect-layer: storage
# expect-primary: queue|nr.?requests
# expect-healed: 0.6..1.4
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

disk=$(timed_lun 32)
queue=/sys/block/${disk#/dev/}/queue
echo mq-deadline >"$queue/scheduler"
on_data "$disk"
before=$(parallel_iops)
echo 4 >"$queue/nr_requests"
now=$(parallel_iops)
truth 'nr_requests' "$(<"$queue/nr_requests")" 4 4
truth 'IOPS before' "$before" 1200 4100
truth 'IOPS, before over now' "$(ratio "$before" "$now")" 2.5 40
proven
healing db assess --path /data --quick --no-store -- parallel_iops
