# The link of the interface goes down for a fifth of a second every four seconds (a dying transceiver). A good tool names the carrier.
# expect-layer: network
# expect-any: carrier|link (went|goes|was|flap|chang|lost)|flap|link.?down
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh

pair
tuned db peer
truth 'iperf3 before, Mbit/s' "$(bulk db peer 10.0.0.2)" 300 20000
changes() { cat /sys/class/net/eth0/carrier_changes; }
(while sleep 4; do on peer ip link set eth0 down; sleep 0.2; on peer ip link set eth0 up; done) &
flaps=$!
before=$(changes)
sleep 9
truth 'changes of the carrier in 9 s' $(($(changes) - before)) 2 12

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --quick --no-store
kill $flaps
