# A forgotten tbf of 20 Mbit/s on the database host's interface; the line carries 100 Mbit/s.
# A good tool names the discipline, the command that removes it, and promises the line.
# expect-layer: network
# expect-primary: qdisc|tbf|shaper
# expect-healed: 0.75..1.15
# expect-value: paths.*.measured 10e6..12.6e6
# commands: assess --expect
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 5 100mbit
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 80 102
shape db eth0 20mbit 40
truth 'iperf3 now, Mbit/s' "$(stream_to 10.0.2.1)" 16 21.5

proven
respond peer
healing db assess --peer 10.0.2.1:5555 --expect 100Mbit --quick --no-store -- stream_to 10.0.2.1
