# One of the two links of a bond is down for twenty seconds; the other one carries the clients.
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
tuned db peer
on_data "$(sparse data 2G)" xfs
postgres /data
work peer 10.0.0.1 12
recorded
fault 'bond-(slave-down|link-failures)|nic-no-carrier' 'bond0|eth1' on peer ip link set eth1 down
steady 20
truth 'links down' "$(slaves_down)" 1 1
over on peer ip link set eth1 up
kept
