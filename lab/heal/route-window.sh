# The peer's route to the database host carries `window 32768`, on a line of 100 Mbit/s with a round trip of 20 ms: no sysctl shows it.
# A good tool names the route of the peer, the command that changes it, and promises the line.
# expect-layer: network|host
# expect-primary: route.?window|receive.?window
# expect-healed: 0.75..1.15
# expect-value: paths.*.measured 10e6..12.6e6
# commands: assess --expect
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 20 100mbit
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 80 102
on peer ip route change 10.0.1.0/24 via 10.0.2.2 window 32768
truth 'iperf3 now, Mbit/s' "$(stream_to 10.0.2.1)" 4 35
on peer ip route show

proven
respond peer
healing db assess --peer 10.0.2.1:5555 --expect 100Mbit --quick --no-store -- stream_to 10.0.2.1
