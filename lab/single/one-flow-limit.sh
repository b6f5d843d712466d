# The router serves each flow at 60 Mbit/s (fq maxrate), as many clouds and WAN accelerators do: one stream is slow, four are four times as
# fast. A good tool says that the limit is that of a flow.
# expect-layer: network
# expect-any: flow|per.?connection|each (stream|connection)|single.?stream|pac(ed|ing)|shap
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh

routed
tuned db peer
modprobe sch_fq || not_in_effect 'no fq'
netem router eth0 delay 2ms
on router tc qdisc add dev eth1 root fq maxrate 60mbit limit 100000 flow_limit 100
truth 'iperf3, one stream, Mbit/s' "$(bulk db peer 10.0.2.1)" 20 63
truth 'iperf3, four streams, Mbit/s' "$(bulk db peer 10.0.2.1 -P 4)" 80 252

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
