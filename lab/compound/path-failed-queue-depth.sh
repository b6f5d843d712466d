# One of two paths of a LUN has failed, which slows nothing; the other takes one request at a time.
# A good tool names the queue depth as the cause, and the failed path as a finding.
# expect-layer: storage
# expect-primary: queue.?depth|one-in-flight|request-queue
# expect-primary-not: path.?failed|suspend
# expect-any: path.*(fail|offline|down|lost|dead|fault)
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

timed_lun 16 add_host=2 vpd_use_hostno=0 dev_size_mb=384 >/dev/null
multipathed 'path_grouping_policy multibus' 'no_path_retry 5' 'path_checker tur' 'skip_kpartx yes'
on_data /dev/mapper/mpatha
before=$(parallel_iops)
echo offline >/sys/block/sdb/device/state
sleep 4
failed_only=$(parallel_iops)
echo 1 >/sys/block/sda/device/queue_depth
both=$(parallel_iops)
multipath -ll
truth 'IOPS, failed path only' "$failed_only" 700 1e6
truth 'IOPS, both' "$both" 60 140
truth 'IOPS before over both' "$(ratio "$before" "$both")" 4 100
proven
ask db assess --path /data --quick --no-store
