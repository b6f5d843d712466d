# The database host's fq discipline gives each flow 25 Mbit/s at most (`maxrate`). The line carries 100 Mbit/s.
# A good tool names the discipline, the command that changes it, and promises the line.
# expect-layer: network
# expect-primary: qdisc|fq|shaper|pac
# expect-healed: 0.75..1.15
# expect-value: paths.*.measured 10e6..12.6e6
# commands: assess --expect
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 5 100mbit
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 80 102
tc qdisc add dev eth0 root fq maxrate 25mbit
truth 'iperf3 now, Mbit/s' "$(stream_to 10.0.2.1)" 18 26.5
tc -s qdisc show dev eth0

proven
respond peer
healing db assess --peer 10.0.2.1:5555 --expect 100Mbit --quick --no-store -- stream_to 10.0.2.1
