# ext4 is mounted data=journal, so everything is written twice and O_DIRECT is not direct; but what a commit waits for is the flush of
# the disk's cache, 20 to 30 ms each. Without data=journal a commit is hardly faster, with a good flush it is many times faster.
# A good tool names the flush (commit) as the cause, data=journal as a finding.
# expect-layer: storage
# expect-primary: flush|sync|commit|redo|durab|log.?writ
# expect-primary-not: data.?journal|journal.?(data|mode)|mount
# expect-any: data=?.?journal|journal
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

loop=$(sparse a)
disk=$(lun a "$(mapped flush "$loop" delay "0 $loop 0 0 $loop 0 0")")
flush() {
    dmsetup suspend --nolockfs flush
    dmsetup load flush --table "0 $(blockdev --getsz "$loop") delay $loop 0 0 $loop 0 0 $loop 0 $1"
    dmsetup resume flush
}
commits() { measure --directory=/data --rw=write --bs=4k --direct=0 --overwrite=1 --fdatasync=1 | cut -d' ' -f1; }
on_data "$disk" ext4
neither=$(commits)
flush 20
slow=$(commits)
umount /data
mount -t ext4 -o data=journal "$disk" /data
both=$(commits)
flush 0
journal=$(commits)
flush 20

truth 'data=journal' "$(grep -c ' /data .*data=journal' /proc/mounts)" 1 1
truth 'commits a second, neither' "$neither" 300 1e5
truth 'commits a second, data=journal only' "$journal" 150 1e5
truth 'commits a second, slow flush only' "$slow" 10 60
truth 'commits a second, both' "$both" 6 60
truth 'gain of a good flush' "$(ratio "$journal" "$both")" 4 1e5
truth 'gain of data=ordered' "$(ratio "$slow" "$both")" 0.5 2.8
proven
ask db assess --path /data --quick --no-store
