# Each flush of the disk's cache takes 20 to 30 ms, so each commit waits as long. Another volume of the same group has a snapshot, which
# makes the writes to that volume slow and to the data none.
# A good tool names the flush, not the snapshot.
# expect-layer: storage
# expect-primary: flush|fdatasync|fsync|commit|durab
# expect-primary-not: snapshot
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

need dm_snapshot
loop=$(sparse a)
disk=$(lun a "$(mapped flush "$loop" delay "0 $loop 0 0 $loop 0 20")")
vgcreate -qq -y data "$disk"
lvcreate -qq -y -n wanted -L 2G data
lvcreate -qq -y -n other -L 512M data
on_data /dev/data/wanted
commits() { measure --directory=/data --rw=write --bs=4k --overwrite=1 --fdatasync=1; }
other_writes() { measure --filename=/dev/data/other --size=256m --rw=randwrite --bs=4k | cut -d' ' -f1; }
read -r _ _ flush_only < <(commits)
plain=$(other_writes)
lvcreate -qq -y -s -n before_upgrade -L 512M data/other
copied=$(other_writes)
read -r _ fetched _ < <(measure --directory=/data --rw=randread)
read -r _ _ both < <(commits)
lvs -o lv_name,origin,segtype

truth 'snapshots' "$(lvs --noheadings -o origin | grep -c other)" 1 1
truth 'writes a second to the other volume, before over after the snapshot' "$(ratio "$plain" "$copied")" 1.5 1e5
truth 'random 8 KiB read of the data, µs' "$fetched" 1 3000
truth 'fdatasync, slow flush only, µs' "$flush_only" 15000 100000
truth 'fdatasync, both, µs' "$both" 15000 100000
proven
ask db assess --path /data --quick --no-store
