# A LUN has two paths that share the load, each takes 4 requests at a time of 8 ms. One path was set offline for a switch upgrade
# and never set running again: half the depth, half the rate.
# A good tool names the path, the command that brings it back, and promises twice the rate.
# expect-layer: storage
# expect-primary: path|queue.?depth
# expect-any: path.*(fail|offline|down|lost|dead|fault)
# expect-healed: 0.6..1.4
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

timed_lun 4 add_host=2 vpd_use_hostno=0
multipathed 'path_grouping_policy multibus' 'path_selector "round-robin 0"' 'no_path_retry 5' 'path_checker tur'
on_data /dev/mapper/mpatha
paths() { dmsetup status mpatha | grep -oE "[0-9]+:[0-9]+ $1" | wc -l; }
truth 'active paths, before' "$(paths A)" 2 2
before=$(parallel_iops)
echo offline >/sys/block/sdb/device/state
sleep 4
now=$(parallel_iops)
echo running >/sys/block/sdb/device/state
sleep 4
again=$(parallel_iops)
echo offline >/sys/block/sdb/device/state
sleep 4
truth 'failed paths' "$(paths F)" 1 1
truth 'IOPS before' "$before" 500 1050
truth 'IOPS, before over now' "$(ratio "$before" "$now")" 1.5 2.6
truth 'IOPS with the path running again, over now' "$(ratio "$again" "$now")" 1.5 2.6
proven
healing db assess --path /data --quick --no-store -- parallel_iops
