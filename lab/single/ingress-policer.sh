# The peer polices what it receives to 150 Mbit/s (tc ingress police): what is above it is dropped. A good tool says that a policer or a
# limit of the rate at the peer drops, or at least loss, and no fault of db.
# expect-layer: network
# expect-any: polic|rate.?limit|shap|loss|drop
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh

pair
tuned db peer
truth 'iperf3 before, Mbit/s' "$(bulk db peer 10.0.0.2)" 300 20000
modprobe -a sch_ingress cls_matchall act_police || not_in_effect 'no policer'
on peer tc qdisc add dev eth0 clsact
on peer tc filter add dev eth0 ingress matchall action police rate 150mbit burst 64kb conform-exceed drop
truth 'iperf3 to the peer, Mbit/s' "$(bulk db peer 10.0.0.2)" 1 160

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --quick --no-store
