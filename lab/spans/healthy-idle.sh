# Two disks, a bond and a multipath map, and hardly any work for three minutes: nothing is wrong.
. ./lib.sh
. ./disks.sh
. ./parts.sh
modprobe bonding max_bonds=0

host peer
wire db eth0 peer eth0
wire db eth1 peer eth1
bond db 'active-backup miimon 100' eth0 eth1
bond peer 'active-backup miimon 100' eth0 eth1
addr db bond0 10.0.0.1/24
addr peer bond0 10.0.0.2/24
lun data "$(sparse data 2G)" >/dev/null
path_to data >/dev/null
multipathed 'path_grouping_policy multibus' 'no_path_retry 5' 'path_checker tur'
on_data /dev/mapper/mpatha xfs
postgres /data
work peer 10.0.0.1 1
recorded 180
kept
