# A forgotten LVM snapshot of the data volume: each first write copies the old block first. A good tool names the snapshot.
# expect-layer: storage
# expect-any: snapshot|copy.on.write
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host
need dm_snapshot

disk=$(lun a "$(mapped slow "$(sparse a)" delay 10)")
pvcreate -q "$disk"
vgcreate -q vg "$disk"
lvcreate -qq -n data -L 1G vg
on_data /dev/vg/data
read -r plain _ < <(measure --directory=/data --rw=randwrite --overwrite=1)
lvcreate -qq -s -n backup -L 1G vg/data
read -r copied _ < <(measure --directory=/data --rw=randwrite --overwrite=1)
truth 'writes a second, without over with the snapshot' "$(ratio "$plain" "$copied")" 1.3 1000

proven
ask db assess --path /data --quick --no-store
