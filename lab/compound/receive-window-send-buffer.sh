# Two windows: the standby's tcp_rmem ends at 64 KiB, this host's tcp_wmem at 512 KiB; the round trip is 10 ms. The small one
# binds (some 30 to 50 Mbit/s); the larger one binds only after that.
# A good tool names the peer's receive window first and the own send buffer next.
# expect-layer: network|host
# expect-primary: rec(v|eive)|rwnd|rmem|rcv.?(buf|wnd)
# expect-primary-not: wmem|sndbuf|send.?buf
# expect-any: wmem|sndbuf|send.?buf|socket.?buf|send.?window|buffers?.below
# expect-not: packet.loss|reorder
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh

routed
tuned db peer
netem router eth0 delay 5ms
netem router eth1 delay 5ms
large='4096 65536 16777216' small_send='4096 65536 524288' small_receive='4096 32768 65536'
stream() { bulk db peer 10.0.2.1 -t 5 -O 2; }

truth 'ping round trip, ms' "$(rtt_ms db 10.0.2.1)" 10 15
truth 'iperf3, neither, Mbit/s' "$(stream)" 420 20000
set_on db net.ipv4.tcp_wmem="$small_send"
truth 'iperf3, send buffer only, Mbit/s' "$(stream)" 90 400
set_on peer net.ipv4.tcp_rmem="$small_receive"
truth 'iperf3, both, Mbit/s' "$(stream)" 8 60
set_on db net.ipv4.tcp_wmem="$large"
truth 'iperf3, receive window only, Mbit/s' "$(stream)" 8 60
truth 'its retransmits' "$(bulk_field 's["retransmits"]')" 0 5
set_on db net.ipv4.tcp_wmem="$small_send"

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
