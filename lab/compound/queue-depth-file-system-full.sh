# The file system of the data is 92 % full, which alarms and slows nothing yet. What limits the database is a queue of one request on
# a LUN that takes 8 ms.
# A good tool names the queue depth as the cause, and the full file system as a finding.
# expect-layer: storage
# expect-primary: queue.?depth|one-in-flight|request-queue
# expect-primary-not: full|space
# expect-any: full|space
# expect-verdict-not: full-wire
# commands: assess
# lab: LAB_MEM=2G
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

disk=$(timed_lun 32 dev_size_mb=1000)
on_data "$disk"
before=$(parallel_iops)
read -r size free < <(df --output=size,avail -k /data | tail -1)
fallocate -l "$((free - size * 8 / 100))k" /data/old
full_only=$(parallel_iops)
echo 1 >"/sys/block/${disk#/dev/}/device/queue_depth"
both=$(parallel_iops)

truth 'file system, % used' "$(df --output=pcent /data | tail -1 | tr -d ' %')" 91 95
truth 'IOPS, before over full only' "$(ratio "$before" "$full_only")" 0.7 1.4
truth 'IOPS, full only' "$full_only" 1200 1e6
truth 'IOPS, both' "$both" 70 130
proven
ask db assess --path /data --quick --no-store
