# Toward the peer the line carries 300 Mbit/s, back only 1 Mbit/s (a wrong profile on an asymmetric line): the acknowledgements hold the
# stream back. A good tool does not blame the hosts, and names the line or the way back.
# expect-layer: network
# expect-any: shap|polic|asymmetr|revers|way back|the other direction|ack|bufferbloat|buffer|line
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh

routed
tuned db peer
shape router eth1 300mbit
shape router eth0 1mbit 50
truth 'iperf3 back, Mbit/s' "$(bulk db peer 10.0.2.1 -R)" 0.3 2.5

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
