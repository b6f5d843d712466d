# The spare member of an active-backup bond has no link, which slows nothing. A router on the way drops packets above 1400 bytes and
# says nothing, so that bulk transfers hang.
# A good tool names the black hole as the cause, and the member as a finding.
# expect-layer: network
# expect-primary: mtu|black.?hole
# expect-any: bond
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh
modprobe bonding max_bonds=0

host router peer
wire db eth0 router eth0
wire db eth1 router eth2
wire router eth1 peer eth0
on router ip link add br0 type bridge
on router ip link set eth0 master br0
on router ip link set eth2 master br0
on router ip link set br0 up
bond db 'active-backup miimon 100' eth0 eth1
addr db bond0 10.0.1.1/24
addr router br0 10.0.1.2/24
addr router eth1 10.0.2.2/24
addr peer eth0 10.0.2.1/24
route db 10.0.2.0/24 via 10.0.1.2
route peer 10.0.1.0/24 via 10.0.2.2
set_on router net.ipv4.ip_forward=1
tuned db peer
truth 'iperf3 before, Mbit/s' "$(bulk db peer 10.0.2.1)" 300 20000
on router ip link set eth2 down
on router tc qdisc add dev eth1 clsact
on router tc filter add dev eth1 egress protocol ip u32 match u16 0x0580 0xff80 at 2 action drop
sleep 1
truth 'members down' "$(slaves_down)" 1 1
truth 'loss of 1500-byte pings, %' "$(loss_pct db 10.0.2.1 10 -M do -s 1472)" 100 100
truth 'loss of 1300-byte pings, %' "$(loss_pct db 10.0.2.1 10 -M do -s 1272)" 0 0

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
