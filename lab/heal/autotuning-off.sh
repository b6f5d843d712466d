# tcp_moderate_rcvbuf is 0 on the peer, whose buffers begin at 64 KiB and may grow to 16 MiB but never do. The line carries 100 Mbit/s
# at a round trip of 20 ms. A good tool names the setting, the command for the peer, and promises the line.
# expect-layer: network|host
# expect-primary: autotuning|moderate|receive.?(window|buffer)
# expect-healed: 0.75..1.15
# expect-value: paths.*.measured 10e6..12.6e6
# commands: assess --expect
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 20 100mbit
set_on peer net.ipv4.tcp_rmem='4096 65536 16777216'
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 80 102
set_on peer net.ipv4.tcp_moderate_rcvbuf=0
truth 'iperf3 now, Mbit/s' "$(stream_to 10.0.2.1)" 5 35

proven
respond peer
healing db assess --peer 10.0.2.1:5555 --expect 100Mbit --quick --no-store -- stream_to 10.0.2.1
