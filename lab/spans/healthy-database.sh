# Five minutes of transactions, checkpoints and vacuums, with clients over a clean line: nothing is wrong.
# lab: LAB_TIMEOUT=900
. ./lib.sh
. ./disks.sh
. ./parts.sh

pair
tuned db peer
netem peer eth0 delay 1ms
on_data "$(sparse data 2G)" xfs
postgres /data
work peer 10.0.0.1 20
recorded 300
kept
