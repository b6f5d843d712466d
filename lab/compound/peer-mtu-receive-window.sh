# The database host has MTU 9000, the peer on the same segment 1500, which TCP bears; the peer's receive buffer ends at 64 KiB, at 10 ms some 25 Mbit/s.
# A good tool names the receive window as the cause, and the MTUs as a finding.
# expect-layer: network|host
# expect-primary: receive.?(window|buffer)|rmem|buffers-below-bdp
# expect-primary-not: mtu
# expect-any: mtu
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

cables 10
addr db eth0 10.0.0.1/24
addr peer eth0 10.0.0.2/24
tuned db peer
ip link set eth0 mtu 9000
truth 'MTU of the two ends' "$(cat /sys/class/net/eth0/mtu)$(on peer ip -o link show eth0 | grep -o 'mtu [0-9]*' | cut -c5-)" 90001500 90001500
truth 'iperf3, MTU only, Mbit/s' "$(stream_to 10.0.0.2)" 250 20000
truth 'its segments, bytes' "$(bulk_field 'e["start"]["tcp_mss_default"]')" 1400 1460
set_on peer net.ipv4.tcp_rmem='4096 65536 65536'
truth 'iperf3, both, Mbit/s' "$(stream_to 10.0.0.2)" 8 60
ip link set eth0 mtu 1500
truth 'iperf3, window only, Mbit/s' "$(stream_to 10.0.0.2)" 8 60
ip link set eth0 mtu 9000

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --quick --no-store
