# The database host's interface has MTU 300, the peer's and all between have 1500, and each packet costs the line beyond the router 1500
# bytes more than it has. A good tool names the MTU, the command that raises it, and promises several times the rate.
# expect-layer: network
# expect-primary: mtu|mss
# expect-healed: 0.6..1.3
# expect-value: paths.*.measured 9e6..12.6e6
# commands: assess --expect
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 2
on router tc qdisc add dev eth1 root netem limit 400 rate 200mbit 1500
on router tc qdisc show dev eth1
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 70 102
ip link set eth0 mtu 300
truth 'iperf3 now, Mbit/s' "$(stream_to 10.0.2.1)" 15 35

proven
respond peer
healing db assess --peer 10.0.2.1:5555 --expect 100Mbit --quick --no-store -- stream_to 10.0.2.1
