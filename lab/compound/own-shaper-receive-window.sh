# The same two faults the other way round: the database host's own interface is shaped to 10 Mbit/s, and the peer's receive
# buffer of 64 KiB would allow some 25 Mbit/s at 10 ms. The window is full all the time (its rest waits in the shaper's queue),
# yet a larger one changes nothing.
# A good tool names the shaper as the cause, and the window as what comes next.
# expect-layer: network
# expect-primary: qdisc|tbf|shaper
# expect-primary-not: receive|buffer|rmem
# expect-next: receive.?(window|buffer)|rmem|buffers-below-bdp
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 10
truth 'ping round trip, ms' "$(rtt_ms db 10.0.2.1)" 10 14
shape db eth0 10mbit 60
truth 'iperf3, shaper only, Mbit/s' "$(stream_to 10.0.2.1)" 8 10.8
set_on peer net.ipv4.tcp_rmem='4096 65536 65536'
truth 'iperf3, both, Mbit/s' "$(stream_to 10.0.2.1)" 8 10.8
on db tc qdisc del dev eth0 root
truth 'iperf3, window only, Mbit/s' "$(stream_to 10.0.2.1)" 14 60
shape db eth0 10mbit 60

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
