# One of the two links of an 802.3ad bond is down; a single stream uses one link anyhow. The peer's receive buffer ends at 64 KiB, at
# 10 ms some 25 Mbit/s.
# A good tool names the receive window as the cause, and the link as a finding.
# expect-layer: network|host
# expect-primary: receive.?(window|buffer)|rmem|buffers-below-bdp
# expect-primary-not: bond|slave|lacp|aggregat
# expect-any: slave|bond|carrier|redundan
# expect-not: packet.loss
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

modprobe bonding max_bonds=0
cables 10
bonded '802.3ad miimon 100 lacp_rate fast xmit_hash_policy layer3+4'
sleep 8
truth 'ports in the active aggregator' "$(sed -n 's/.*Number of ports: //p' /proc/net/bonding/bond0)" 2 2
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.0.2)" 250 20000
on line ip link set db1 down
on line ip link set peer1 down
sleep 2
truth 'slaves that bonding calls down' "$(slaves_down)" 1 1
truth 'iperf3, link down only, Mbit/s' "$(stream_to 10.0.0.2)" 250 20000
set_on peer net.ipv4.tcp_rmem='4096 65536 65536'
truth 'iperf3, both, Mbit/s' "$(stream_to 10.0.0.2)" 8 60
on line ip link set db1 up
on line ip link set peer1 up
sleep 8
truth 'iperf3, window only, Mbit/s' "$(stream_to 10.0.0.2)" 8 60
on line ip link set db1 down
on line ip link set peer1 down
sleep 2

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --quick --no-store
