# The path delivers a fifth of the packets twice (a mirrored port, a loop in a switch). A good tool names duplicates.
# expect-any: duplicate|duplication|twice
# commands: assess
. ./lib.sh

routed
tuned db peer
netem router eth1 duplicate 20%
truth 'duplicates of 200 pings' "$(on db ping -q -c 200 -i 0.005 10.0.2.1 | sed -n 's/.*+\([0-9]*\) duplicates.*/\1/p')" 10 120

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
