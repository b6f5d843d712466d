# Three paths to one LUN, shared round-robin. One has failed, which slows nothing. Another takes some 20 ms a request where the third
# takes less than one: half of all requests wait for it.
# A good tool names the slow path as the cause, and the failed one as a finding.
# expect-layer: storage
# expect-primary: slow.?path|path.?slow|leg.?slow|uneven
# expect-primary-not: path.?failed
# expect-any: path.*(fail|offline|down|lost|dead|fault)
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

lun a "$(sparse a)" same
path_to a
lun slow "$(mapped slow "$(sparse a)" delay 10)" same    # the same file again, behind a delay
multipathed 'path_grouping_policy multibus' 'path_selector "round-robin 0"' 'no_path_retry 5' 'path_checker tur' 'skip_kpartx yes'
on_data /dev/mapper/mpatha
paths() { dmsetup status mpatha | grep -oE "[0-9]+:[0-9]+ $1" | wc -l; }
multipath -ll
truth 'active paths, before' "$(paths A)" 3 3
slow_only=$(iops)
echo offline >/sys/block/sdb/device/state
sleep 4
before=("$(ios /dev/sda)" "$(ios /dev/sdc)")
both=$(iops)
on_fast=$(($(ios /dev/sda) - before[0])) on_slow=$(($(ios /dev/sdc) - before[1]))
multipathd fail path sdc >/dev/null
read -r failed_only _ < <(measure --filename=/dev/sda --rw=randread --readonly)
multipathd reinstate path sdc >/dev/null
sleep 2

truth 'active paths' "$(paths A)" 2 2
truth 'failed paths' "$(paths F)" 1 1
truth 'reads on the fast path over reads on the slow one' "$(ratio "$on_fast" "$on_slow")" 0.7 1.4
truth 'IOPS of the fast path alone' "$failed_only" 1000 1e6
truth 'IOPS, slow path only' "$slow_only" 30 400
truth 'IOPS, both' "$both" 30 400
proven
ask db assess --path /data --quick --no-store
