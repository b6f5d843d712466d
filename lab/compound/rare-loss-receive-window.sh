# Every 10000th packet is lost, which counters show and a stream at 10 ms hardly feels as long as it is bound to 25 Mbit/s by the
# peer's receive buffer of 64 KiB.
# A good tool names the window as the cause, not the loss.
# expect-layer: network|host
# expect-primary: receive.?(window|buffer)|rmem|buffers-below-bdp
# expect-primary-not: loss|reorder
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 10
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 300 20000
lossy router eth0 10000
truth 'iperf3, loss only, Mbit/s' "$(stream_to 10.0.2.1 -t 8)" 70 20000
truth 'its retransmits' "$(bulk_field 's["retransmits"]')" 1 10000
set_on peer net.ipv4.tcp_rmem='4096 65536 65536'
truth 'iperf3, both, Mbit/s' "$(stream_to 10.0.2.1)" 8 60
lossless router eth0
truth 'iperf3, window only, Mbit/s' "$(stream_to 10.0.2.1)" 8 60
lossy router eth0 10000

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
