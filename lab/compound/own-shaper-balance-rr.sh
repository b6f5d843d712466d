# A balance-rr bond over two switches, one of them 6 ms farther away: segments arrive out of order, thousands of them. But the
# database host also shapes bond0 to 30 Mbit/s, and that is what a stream gets.
# A good tool names the shaper as the cause; out-of-order arrival may be a finding, and must not be the cause.
# expect-layer: network|host
# expect-primary: qdisc|tbf|shap|rate.?limit
# expect-primary-not: reorder|out.of.order|loss
# expect-any: reorder|out.of.order|balance.rr|round.robin
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

modprobe bonding max_bonds=0
cables 4
bonded 'balance-rr miimon 100'
ip link set bond0 gso_max_segs 1    # each segment goes its own way, as from a card
on peer ip link set bond0 gso_max_segs 1
sleep 1
stream() { bulk db peer 10.0.0.2 -t 5 -O 1; }

truth 'iperf3, neither, Mbit/s' "$(stream)" 200 20000
on line tc qdisc change dev peer1 root netem limit 100000 delay 8ms
truth 'iperf3, reordering only, Mbit/s' "$(stream)" 60 20000
shape db bond0 30mbit
arrived=$(counter peer TcpExtTCPOFOQueue)
truth 'iperf3, both, Mbit/s' "$(stream)" 18 30.5
truth 'segments out of order at the peer' "$(($(counter peer TcpExtTCPOFOQueue) - arrived))" 1500 10000000
truth 'ping loss, %' "$(loss_pct db 10.0.0.2)" 0 0
on line tc qdisc change dev peer1 root netem limit 100000 delay 2ms
truth 'iperf3, shaper only, Mbit/s' "$(stream)" 24 30.5
on line tc qdisc change dev peer1 root netem limit 100000 delay 8ms

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --quick --no-store
