# The peer's tcp_rmem ends at 64 KiB, on a line of 100 Mbit/s with a round trip of 20 ms: some 13 Mbit/s.
# A good tool names the peer's receive buffer, the command for the peer, and promises the line.
# expect-layer: network|host
# expect-primary: receive.?(window|buffer)|rmem|buffers-below-bdp
# expect-healed: 0.75..1.15
# expect-value: paths.*.measured 10e6..13.2e6
# commands: assess --expect
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 20 100mbit
truth 'ping round trip, ms' "$(rtt_ms db 10.0.2.1)" 20 24
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 80 102
set_on peer net.ipv4.tcp_rmem='4096 65536 65536'
truth 'iperf3 now, Mbit/s' "$(stream_to 10.0.2.1)" 5 35

proven
respond peer
healing db assess --peer 10.0.2.1:5555 --expect 100Mbit --quick --no-store -- stream_to 10.0.2.1
