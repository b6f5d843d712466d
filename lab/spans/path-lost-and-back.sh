# A database's disk has two paths; one goes offline for half a minute and comes back.
. ./lib.sh
. ./disks.sh
. ./parts.sh

lun data "$(sparse data 2G)" >/dev/null
path_to data >/dev/null
multipathed 'path_grouping_policy multibus' 'path_selector "round-robin 0"' 'no_path_retry 5' 'path_checker tur'
paths() { dmsetup status mpatha | grep -oE "[0-9]+:[0-9]+ $1" | wc -l; }
truth 'active paths' "$(paths A)" 2 2
on_data /dev/mapper/mpatha xfs
postgres /data
work
recorded
state() { echo "$1" >/sys/block/sdb/device/state; }
fault 'multipath-path-(failed|lost)' 'mpatha|sdb|dm-0' state offline
steady 30
truth 'failed paths' "$(paths F)" 1 1
# The checker takes the path back: that is when it is over.
back() { state running; until (($(paths F) == 0)); do sleep 0.1; done; }
over back
kept
