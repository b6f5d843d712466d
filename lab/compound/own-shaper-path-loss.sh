# The path loses every 2000th packet at 4 ms, which would still carry more than 40 Mbit/s; the database host's own interface is
# shaped to 20 Mbit/s. The retransmissions are loud, the shaper is quiet and binds.
# A good tool names the shaper as the cause, and the loss as a finding only.
# expect-layer: network
# expect-primary: qdisc|tbf|shaper
# expect-primary-not: loss|reorder
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 4
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 300 20000
lossy router eth0 2000
truth 'iperf3, loss only, Mbit/s' "$(stream_to 10.0.2.1)" 40 20000
truth 'its retransmits' "$(bulk_field 's["retransmits"]')" 5 10000
shape db eth0 20mbit 60
truth 'iperf3, both, Mbit/s' "$(stream_to 10.0.2.1)" 16 21.5
lossless router eth0
truth 'iperf3, shaper only, Mbit/s' "$(stream_to 10.0.2.1)" 16 21.5
lossy router eth0 2000

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
