# A healthy host with what healthy hosts have: an interface that is down, a stale route to nowhere, swap that was used long ago, an idle
# second file system that is nearly full and mounted elsewhere, a bond with all members. Nothing is wrong with the path.
# expect-healthy: yes
# allow: full|swap
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host
modprobe bonding max_bonds=0

cables 1
bonded 'active-backup miimon 100'
need dummy
ip link add dummy7 type dummy
ip route add blackhole 192.0.2.0/24
truth 'iperf3, Mbit/s' "$(stream_to 10.0.0.2)" 300 20000
truth 'members down' "$(slaves_down)" 0 0

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --quick --no-store
