# The database host's interface is shaped to the 100 Mbit/s of the line, as it should be, but with a queue of two packets: every burst
# is dropped, and at a round trip of 20 ms TCP hardly recovers.
# A good tool names the queue that drops and the command that lengthens it, and promises the line.
# expect-layer: network
# expect-primary: qdisc.?drops|queue|qdisc
# expect-healed: 0.75..1.15
# expect-value: paths.*.measured 10e6..12.6e6
# commands: assess --expect
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 20
tc qdisc add dev eth0 root handle 1: htb default 1
tc class add dev eth0 parent 1: classid 1:1 htb rate 100mbit ceil 100mbit burst 128kb cburst 128kb quantum 6000
queue() { tc qdisc replace dev eth0 parent 1:1 handle "$2:" pfifo limit "$1"; }
queue 400 2
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 75 102
queue 2 3
truth 'iperf3 now, Mbit/s' "$(stream_to 10.0.2.1)" 1 60
truth 'packets that it dropped' "$(tc -s qdisc show dev eth0 parent 1:1 | sed -n 's/.*dropped \([0-9]*\).*/\1/p')" 10 1000000

proven
respond peer
healing db assess --peer 10.0.2.1:5555 --expect 100Mbit --quick --no-store -- stream_to 10.0.2.1
