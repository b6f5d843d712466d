# The sender's buffer is 64 KiB at a round trip of 20 ms: 10 to 20 Mbit/s. The path also loses one packet in 5000, which this stream hardly meets.
# A good tool names the buffer as the cause.
# expect-layer: network|host
# expect-primary: send.?buffer|wmem|buffers-below-bdp
# expect-primary-not: loss
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 20
lossy router eth0 5000
truth 'iperf3, loss only, Mbit/s' "$(stream_to 10.0.2.1 -t 8)" 30 20000
set_on db net.ipv4.tcp_wmem='4096 16384 65536'
truth 'iperf3, both, Mbit/s' "$(stream_to 10.0.2.1)" 2 28

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
