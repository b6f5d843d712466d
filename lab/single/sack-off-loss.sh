# Selective acknowledgements are off on both hosts and the path of 20 ms loses one packet in a thousand: each loss costs far more
# than it must. A good tool names SACK, the loss or both.
# expect-layer: network|host
# expect-any: sack|selective|loss|lost|retransmi
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh

routed
tuned db peer
netem router eth0 delay 20ms
on router tc qdisc add dev eth1 root netem loss 0.1% limit 100000
set_on db net.ipv4.tcp_sack=0
set_on peer net.ipv4.tcp_sack=0
truth 'iperf3, Mbit/s' "$(bulk db peer 10.0.2.1 -t 6)" 1 150
truth 'segments sent again' "$(bulk_field 's["retransmits"]')" 1 100000

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
