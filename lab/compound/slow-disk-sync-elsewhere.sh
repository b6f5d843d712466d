# The data lie on a disk that takes 20 to 30 ms. Another file system, on another disk, is mounted with `sync` and `strictatime`.
# A good tool names the disk, and never the options of a file system that the data are not on.
# expect-layer: storage
# expect-primary: device|latency|slow|disk|service
# expect-primary-not: mount|sync|atime
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

fast=$(lun b "$(sparse b)")
disk=$(slow_lun a 32)
on_data "$disk" ext4
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$fast"
mkdir /archive
mount -o sync,strictatime "$fast" /archive
written() { measure --directory="$1" --rw=write --bs=4k --direct=0 --runtime=2 | cut -d' ' -f1; }
read -r _ slow _ < <(measure --directory=/data --rw=randread)
read -r _ beside _ < <(measure --directory=/archive --rw=randread)
synced=$(written /archive)
mount -o remount,async /archive
free=$(written /archive)
read -r _ disk_only _ < <(measure --directory=/data --rw=randread)
mount -o remount,sync /archive

truth 'random 8 KiB read, both, µs' "$slow" 15000 60000
truth 'random 8 KiB read, slow disk only, µs' "$disk_only" 15000 60000
truth 'random 8 KiB read on the other file system, µs' "$beside" 1 3000
truth 'buffered writes a second there, without over with sync' "$(ratio "$free" "$synced")" 2 1e5
proven
ask db assess --path /data --quick --no-store
