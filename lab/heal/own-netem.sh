# A netem of some test is left on the database host's interface: 1 % of loss. The line carries 100 Mbit/s at a round trip of 10 ms.
# A good tool names netem, the command that removes it, and promises the line.
# expect-layer: network
# expect-primary: netem
# expect-healed: 0.75..1.15
# expect-value: paths.*.measured 10e6..12.6e6
# commands: assess --expect
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 10 100mbit
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 80 102
netem db eth0 loss 1%
truth 'iperf3 now, Mbit/s' "$(stream_to 10.0.2.1)" 3 45
truth 'its retransmits' "$(bulk_field 's["retransmits"]')" 20 10000

proven
respond peer
healing db assess --peer 10.0.2.1:5555 --expect 100Mbit --quick --no-store -- stream_to 10.0.2.1
