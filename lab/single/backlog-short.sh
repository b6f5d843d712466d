# The queue between the interface and TCP (net.core.netdev_max_backlog) holds 3 packets: bursts are dropped in the host itself. A good tool
# names the backlog and not the wire.
# expect-layer: network|host
# expect-any: backlog|softnet
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh

routed
tuned db peer
netem router eth0 delay 3ms
truth 'iperf3 before, Mbit/s' "$(bulk db peer 10.0.2.1)" 300 20000
sysctl -qw net.core.netdev_max_backlog=3
drops() { local sum=0 _ dropped; while read -r _ dropped _; do sum=$((sum + 0x$dropped)); done </proc/net/softnet_stat; echo $sum; }
before=$(drops)
truth 'iperf3, Mbit/s' "$(bulk db peer 10.0.2.1)" 0.1 280
truth 'packets that the backlog dropped' "$(($(drops) - before))" 10 10000000

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
