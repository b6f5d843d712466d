# The peer's own interface sends at 100 Mbit/s at most (tbf); toward the peer the path is fast. A good tool names the peer's queueing
# discipline and that it is the way back.
# expect-layer: network
# expect-any: qdisc|tbf|shap|rate.?limit|queue?ing discipline
# commands: assess
. ./lib.sh

pair
tuned db peer
shape peer eth0 100mbit
truth 'iperf3 to the peer, Mbit/s' "$(bulk db peer 10.0.0.2)" 300 20000
truth 'iperf3 from the peer, Mbit/s' "$(bulk db peer 10.0.0.2 -R)" 80 102

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --quick --no-store
