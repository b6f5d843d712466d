# The spare slave of an active-backup bond has no link, which slows nothing; the bond itself is shaped to 100 Mbit/s.
# A good tool names the shaper as the cause, and the slave as a finding.
# expect-layer: network
# expect-primary: qdisc|tbf|shaper
# expect-primary-not: bond-slave|slave|carrier
# expect-any: slave|bond|carrier|redundan
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

modprobe bonding max_bonds=0
cables 1
bonded 'active-backup miimon 100'
sleep 1
truth 'slaves that bonding calls down, before' "$(slaves_down)" 0 0
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.0.2)" 250 20000
on line ip link set db1 down
sleep 1
truth 'slaves that bonding calls down' "$(slaves_down)" 1 1
truth 'iperf3, spare down only, Mbit/s' "$(stream_to 10.0.0.2)" 250 20000
shape db bond0 100mbit
truth 'iperf3, both, Mbit/s' "$(stream_to 10.0.0.2)" 82 103
on line ip link set db1 up
sleep 1
truth 'iperf3, shaper only, Mbit/s' "$(stream_to 10.0.0.2)" 82 103
on line ip link set db1 down
sleep 1

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --quick --no-store
