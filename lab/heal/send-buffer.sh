# tcp_wmem of the database host ends at 64 KiB, on a line of 100 Mbit/s with a round trip of 20 ms.
# A good tool names the send buffer, the command that makes it larger, and promises the line.
# expect-layer: network|host
# expect-primary: send.?buf|sndbuf|wmem|buffers-below-bdp|socket-(held|buffer)
# expect-healed: 0.75..1.15
# expect-value: paths.*.measured 10e6..12.6e6
# commands: assess --expect
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 20 100mbit
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 80 102
set_on db net.ipv4.tcp_wmem='4096 16384 65536'
truth 'iperf3 now, Mbit/s' "$(stream_to 10.0.2.1)" 5 45

proven
respond peer
healing db assess --peer 10.0.2.1:5555 --expect 100Mbit --quick --no-store -- stream_to 10.0.2.1
