# An active-backup bond of two links in order on both hosts. Nothing is wrong.
# expect-healthy: yes
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

modprobe bonding max_bonds=0 || not_in_effect 'no bonding'
host peer
wire db eth0 peer eth0
wire db eth1 peer eth1
bond db 'active-backup miimon 100' eth0 eth1
bond peer 'active-backup miimon 100' eth0 eth1
addr db bond0 10.0.0.1/24
addr peer bond0 10.0.0.2/24
tuned db peer
sleep 1
truth 'links up' "$(grep -c 'MII Status: up' /proc/net/bonding/bond0)" 3 3
truth 'iperf3, Mbit/s' "$(bulk db peer 10.0.0.2)" 300 20000

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --quick --no-store
