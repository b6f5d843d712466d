# The disk of a database takes 100 ms for each request for half a minute, as when an array rebuilds.
. ./lib.sh
. ./disks.sh
. ./parts.sh
need dm_delay

below=$(sparse data 2G)
table() { echo "0 $(blockdev --getsz "$below") $*"; }
switch() { dmsetup load slow --table "$(table "$@")"; dmsetup suspend --nolockfs slow; dmsetup resume slow; }
dmsetup create slow --table "$(table linear "$below" 0)"
on_data /dev/mapper/slow xfs
postgres /data
work
recorded
fault device-wait-long '^(dm-0|slow)$' switch delay "$below" 0 100
steady 30
truth 'a direct read, us' "$(measure --filename=/dev/mapper/slow --rw=randread | cut -d' ' -f2)" 80000 300000
over switch linear "$below" 0
kept
