# tcp_pacing_ca_ratio is 40 on the database host, which paces with fq: no stream ever sends a whole window within a round trip, so the
# window has no reason to grow. The line carries 100 Mbit/s at a round trip of 20 ms.
# A good tool names the ratio, the command that sets it back, and promises the line.
# expect-layer: network|host
# expect-primary: pacing
# expect-healed: 0.75..1.15
# expect-value: paths.*.measured 10e6..12.6e6
# commands: assess --expect
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 20 100mbit
tc qdisc add dev eth0 root fq
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 75 102
set_on db net.ipv4.tcp_pacing_ca_ratio=40 net.ipv4.tcp_pacing_ss_ratio=40
truth 'iperf3 now, Mbit/s' "$(stream_to 10.0.2.1)" 0.5 50

proven
respond peer
healing db assess --peer 10.0.2.1:5555 --expect 100Mbit --quick --no-store -- stream_to 10.0.2.1
