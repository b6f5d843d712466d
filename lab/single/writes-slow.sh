# The disk reads fast and takes 20 to 30 ms for each write (a RAID 6 without a write cache). A good tool says that writes are bound by the
# device and that reads are not.
# expect-layer: storage
# expect-any: write|device|slow|redo|commit
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

loop=$(sparse a)
on_data "$(lun a "$(mapped slow "$loop" delay "0 $loop 0 20")")"
read -r _ fetched _ < <(measure --directory=/data --rw=randread)
read -r _ written _ < <(measure --directory=/data --rw=randwrite --overwrite=1)
truth 'random 8 KiB read, µs' "$fetched" 1 3000
truth 'random 8 KiB write, µs' "$written" 15000 100000

proven
ask db assess --path /data --quick --no-store
