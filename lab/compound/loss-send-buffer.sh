# The path of 20 ms loses one packet in 50, and the sender's buffer of 1 MiB would be too small for the line if the loss did not hold
# the stream far below it.
# A good tool names the loss as the cause.
# expect-layer: network|host
# expect-primary: loss|lost
# expect-primary-not: send.?buffer|wmem
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 20
set_on db net.ipv4.tcp_wmem='4096 65536 1048576'
truth 'iperf3, buffer only, Mbit/s' "$(stream_to 10.0.2.1)" 60 1000
lossy router eth0 50
truth 'iperf3, both, Mbit/s' "$(stream_to 10.0.2.1)" 0.5 30

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
