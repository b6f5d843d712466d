# Somebody left a netem delay of 10 ms on the database host's interface, and tcp_window_scaling is 0. A window of 64 KiB would be
# enough without the delay, and the delay would cost little without the window: together 50 Mbit/s.
# A good tool names both: the rate is the one divided by the other.
# expect-layer: network|host
# expect-primary: window.?scal|netem
# expect-cause: window.?scal
# expect-cause: netem
# expect-not: packet.loss
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

pair
tuned db peer
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.0.2)" 500 20000
netem db eth0 delay 10ms
truth 'ping round trip, ms' "$(rtt_ms db 10.0.0.2)" 10 14
truth 'iperf3, delay only, Mbit/s' "$(stream_to 10.0.0.2 -t 8)" 120 20000
set_on db net.ipv4.tcp_window_scaling=0
truth 'iperf3, both, Mbit/s' "$(stream_to 10.0.0.2)" 15 60
on db tc qdisc del dev eth0 root
truth 'iperf3, no window scaling only, Mbit/s' "$(stream_to 10.0.0.2)" 300 20000
netem db eth0 delay 10ms

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --quick --no-store
