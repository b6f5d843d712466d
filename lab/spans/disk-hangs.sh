# The disk of a database completes nothing for a quarter of a minute: its map is suspended while requests are in flight.
. ./lib.sh
. ./disks.sh
. ./parts.sh
need dm_delay

on_data "$(mapped data "$(sparse data 2G)" linear)" xfs
postgres /data
work
recorded
fault 'device-(stalled|suspended)' '^(dm-0|data)$' dmsetup suspend --nolockfs --noflush data
steady 15
over dmsetup resume data
kept
