# A router sends every fourth packet ahead of the others, and another place loses every 50th: TCP takes the one for the other.
# Without the reordering the rate hardly rises, without the loss it does.
# A good tool says both, and names the loss as the cause.
# expect-layer: network
# expect-primary: loss
# expect-primary-not: reorder
# expect-cause: reorder
# expect-any: reorder|out.of.order
# expect-verdict-not: full-wire
# commands: assess, net --mode udp
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh

routed
tuned db peer
netem router eth0 delay 2ms
netem router eth1 delay 2ms
reordered() { on router tc qdisc change dev eth1 root netem limit 100000 delay 2ms reorder 25% 50%; }
before=$(stream_to 10.0.2.1)
truth 'iperf3 before, Mbit/s' "$before" 300 20000
reordered
arrived=$(counter peer TcpExtTCPOFOQueue)
reorder_only=$(stream_to 10.0.2.1)
truth 'segments out of order at the peer' "$(($(counter peer TcpExtTCPOFOQueue) - arrived))" 500 10000000
truth 'packets that the router dropped' "$(qdisc_drops router eth1)" 0 0
lossy router eth0 50
both=$(stream_to 10.0.2.1)
on router tc qdisc change dev eth1 root netem limit 100000 delay 2ms
loss_only=$(stream_to 10.0.2.1)
reordered
truth 'ping loss, %' "$(loss_pct db 10.0.2.1)" 1 4
truth 'iperf3, both, Mbit/s' "$both" 3 60
truth 'iperf3, reordering only over both' "$(ratio "$reorder_only" "$both")" 3 10000
truth 'iperf3, loss only over both' "$(ratio "$loss_only" "$both")" 0.5 2

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
ask db net 10.0.2.1:5555 --mode udp --length 1400 --rate 20Mbit --duration 3s
