# The peer is on the fast network of eth1, but a stale host route sends its traffic through eth0 and a 50 Mbit/s router. Its tcp_rmem
# ends at 256 KiB, which is little but plenty for a round trip of 0.1 ms, and for that router.
# A good tool names the route (or the shaped path behind it) as the cause, and not the buffer.
# expect-layer: network
# expect-primary: route|shaper
# expect-primary-not: receive|buffer|rmem|window
# expect-any: wrong.route|eth1
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

host router peer
wire db eth0 router eth0
wire router eth1 peer eth0
wire db eth1 peer eth1
addr db eth0 10.0.1.1/24
addr router eth0 10.0.1.2/24
addr router eth1 10.0.3.2/24
addr peer eth0 10.0.3.1/24
addr db eth1 10.0.2.1/24
addr peer eth1 10.0.2.2/24
route router 10.0.2.2 via 10.0.3.1
route peer 10.0.1.0/24 via 10.0.3.2
set_on router net.ipv4.ip_forward=1
shape router eth0 50mbit
shape router eth1 50mbit
tuned db peer
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.2)" 300 20000
set_on peer net.ipv4.tcp_rmem='4096 65536 262144'
truth 'iperf3, small buffer only, Mbit/s' "$(stream_to 10.0.2.2)" 300 20000
route db 10.0.2.2 via 10.0.1.2
truth 'route through eth0' "$(ip route get 10.0.2.2 | grep -c 'dev eth0')" 1 1
truth 'iperf3, both, Mbit/s' "$(stream_to 10.0.2.2)" 40 52
set_on peer net.ipv4.tcp_rmem='4096 131072 16777216'
truth 'iperf3, route only, Mbit/s' "$(stream_to 10.0.2.2)" 40 52
set_on peer net.ipv4.tcp_rmem='4096 65536 262144'

proven
respond peer
ask db assess --peer 10.0.2.2:5555 --quick --no-store
