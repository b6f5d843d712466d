# The peer's tcp_rmem ends at 64 KiB and the peer is 10 ms away: some 25 Mbit/s. The database host's own interface is shaped to
# 200 Mbit/s, which nobody notices before the window is larger.
# A good tool names the receive window as the cause, and the shaper as what comes next.
# expect-layer: network|host
# expect-primary: receive.?(window|buffer)|rmem|buffers-below-bdp
# expect-next: qdisc|tbf|shaper
# expect-not: packet.loss|reorder
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 10
truth 'ping round trip, ms' "$(rtt_ms db 10.0.2.1)" 10 14
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 300 20000
shape db eth0 200mbit
truth 'iperf3, shaper only, Mbit/s' "$(stream_to 10.0.2.1)" 165 203
set_on peer net.ipv4.tcp_rmem='4096 65536 65536'
truth 'iperf3, both, Mbit/s' "$(stream_to 10.0.2.1)" 8 60
truth 'its retransmits' "$(bulk_field 's["retransmits"]')" 0 5
on db tc qdisc del dev eth0 root
truth 'iperf3, window only, Mbit/s' "$(stream_to 10.0.2.1)" 8 60
shape db eth0 200mbit

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
