# queue_depth of the LUN is 1, of a device that works on 32 requests at a time, 8 ms each.
# A good tool names the setting, the command that raises it, and promises the rate of the depth that it advises.
# expect-layer: storage
# expect-primary: queue.?depth|one-in-flight|request-queue
# expect-healed: 0.6..1.4
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

disk=$(timed_lun 32)
on_data "$disk"
before=$(parallel_iops)
echo 1 >"/sys/block/${disk#/dev/}/device/queue_depth"
now=$(parallel_iops)
truth 'IOPS before' "$before" 1200 4100
truth 'IOPS now' "$now" 70 130
proven
healing db assess --path /data --quick --no-store -- parallel_iops
