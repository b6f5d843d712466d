# The databases talk through a VXLAN of MTU 1500 whose underlay carries 1600, but for one interface of a router: what the peer sends
# in full packets vanishes there. Besides, each 100th packet toward the peer is lost. From the peer nothing arrives; the way there works
# badly. A good tool names the hole, and the loss beside it.
# expect-layer: network
# expect-primary: mtu|black.?hole
# expect-any: loss|retrans
# expect-not: receive.?(window|buffer)|reorder
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh

modprobe vxlan
routed 1600
on router ip link set eth1 mtu 1500
tuned db peer
netem router eth0 delay 2ms
netem router eth1 delay 2ms
ip link add vx0 type vxlan id 7 local 10.0.1.1 remote 10.0.2.1 dstport 4789
on peer ip link add vx0 type vxlan id 7 local 10.0.2.1 remote 10.0.1.1 dstport 4789
addr db vx0 10.9.0.1/24
addr peer vx0 10.9.0.2/24
for end in db peer; do on $end ip link set vx0 mtu 1500 gso_max_segs 1 up; done
pings_lost() { on peer ping -c 20 -i 0.05 -W 1 -M do -s "$1" 10.9.0.1 | awk -F'[, %]+' '/packet loss/ { print $6 }'; }

truth 'small pings from the peer that are lost, %' "$(pings_lost 56)" 0 0
truth 'full ones, %' "$(pings_lost 1472)" 100 100
truth 'iperf3 to the peer, without loss, Mbit/s' "$(bulk db peer 10.9.0.2 -t 5 -O 1)" 120 20000
on router tc qdisc change dev eth1 root netem limit 100000 delay 2ms loss 1%
truth 'iperf3 to the peer, with loss, Mbit/s' "$(bulk db peer 10.9.0.2 -t 5 -O 1)" 4 70

proven
respond peer
ask db assess --peer 10.9.0.2:5555 --quick --no-store
