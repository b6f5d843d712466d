# The file system of the data went read-only. A good tool says so and does not call the disk slow.
# expect-any: read.?only
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

on_data "$(lun a "$(sparse a)")" ext4
mkdir /data/oradata
mount -o remount,ro /data
touch /data/x 2>/dev/null && not_in_effect 'writable'
truth 'read-only mounts' "$(grep -c ' /data ext4 ro' /proc/mounts)" 1 1

proven
ask db assess --path /data --quick --no-store
