# An htb with a class for each customer on the database host's interface: the default class gets 30 Mbit/s and may not borrow. The
# line carries 100 Mbit/s. A good tool finds the class, the command that removes it, and promises the line.
# expect-layer: network
# expect-primary: qdisc|htb|shaper
# expect-healed: 0.75..1.15
# expect-value: paths.*.measured 10e6..12.6e6
# commands: assess --expect
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 5 100mbit
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 80 102
tc qdisc add dev eth0 root handle 1: htb default 20
tc class add dev eth0 parent 1: classid 1:1 htb rate 1gbit
tc class add dev eth0 parent 1:1 classid 1:10 htb rate 500mbit ceil 1gbit
tc class add dev eth0 parent 1:1 classid 1:20 htb rate 30mbit ceil 30mbit burst 64kb cburst 64kb
truth 'iperf3 now, Mbit/s' "$(stream_to 10.0.2.1)" 24 31.5
tc -s class show dev eth0

proven
respond peer
healing db assess --peer 10.0.2.1:5555 --expect 100Mbit --quick --no-store -- stream_to 10.0.2.1
