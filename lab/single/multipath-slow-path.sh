# Two paths to one LUN, used in turn; every request over the second takes 20 to 30 ms (a bad cable, a busy port). A good tool names the slow
# path of the map and not the disk.
# expect-layer: storage
# expect-any: path
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

loop=$(sparse a)
fast=$(lun a "$loop" same)
second=$(losetup --direct-io=on --show -f /a.img)
slow=$(lun b "$(mapped slow "$second" delay 20)" same)
multipathed 'path_grouping_policy multibus' 'path_selector "round-robin 0"' 'rr_min_io_rq 1'
on_data /dev/mapper/mpatha
before_fast=$(ios "$fast") before_slow=$(ios "$slow")
read -r _ latency _ < <(measure --directory=/data --rw=randread)
truth 'share of the reads over the slow path' "$(ratio $(($(ios "$slow") - before_slow)) $(($(ios "$slow") - before_slow + $(ios "$fast") - before_fast)))" 0.3 0.7
truth 'random 8 KiB read, µs' "$latency" 6000 40000

proven
ask db assess --path /data --quick --no-store
