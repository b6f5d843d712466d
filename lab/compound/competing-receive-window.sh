# A backup fills the host's interface of 200 Mbit/s, and the standby's window of 32 KiB at 10 ms allows 20 Mbit/s: the window binds.
# A good tool names the window as the cause.
# expect-layer: network|host
# expect-primary: receive.?(window|buffer)|rmem|buffers-below-bdp
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 10
set_on peer net.ipv4.tcp_rmem='4096 32768 32768'
truth 'iperf3, window only, Mbit/s' "$(stream_to 10.0.2.1)" 3 30
shape db eth0 200mbit
on router iperf3 -s -D -p 5300
wait_for router 5300
iperf3 -P 2 -t 390 -b 40m -p 5300 -c 10.0.1.2 >/dev/null 2>&1 &
sleep 2
truth 'iperf3, both, Mbit/s' "$(stream_to 10.0.2.1)" 2 30

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
