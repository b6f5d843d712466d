# The database host's route to the peer locks the congestion window at 10 segments, on a line of 100 Mbit/s with a round trip of 20 ms:
# 6 Mbit/s. The kernel copies the lock into its cache of TCP metrics, where it outlives the route: that has to be flushed as well.
# A good tool names the route, the commands that change it, and promises the line.
# expect-layer: network|host
# expect-primary: route.?cwnd|congestion.?window
# expect-healed: 0.75..1.15
# expect-value: paths.*.measured 10e6..12.6e6
# commands: assess --expect
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 20 100mbit
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 80 102
set_on db net.ipv4.tcp_no_metrics_save=0
locked() {
    ip route change 10.0.2.0/24 via 10.0.1.2 cwnd lock 10
    ip tcp_metrics flush
    bulk db peer 10.0.2.1 -t 1 >/dev/null    # its end makes the entry that later streams obey
}
locked
ip tcp_metrics show
truth 'iperf3 now, Mbit/s' "$(stream_to 10.0.2.1)" 3 12
ip route change 10.0.2.0/24 via 10.0.1.2
truth 'iperf3, route changed only, Mbit/s' "$(stream_to 10.0.2.1)" 3 12
ip tcp_metrics flush
truth 'iperf3, cache flushed too, Mbit/s' "$(stream_to 10.0.2.1)" 80 102
locked

proven
respond peer
healing db assess --peer 10.0.2.1:5555 --expect 100Mbit --quick --no-store -- stream_to 10.0.2.1
