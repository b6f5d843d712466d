# The route to the peer carries `advmss 256` from a long-forgotten VPN: each segment is a sixth of what the wire takes. A good tool
# names the segment size or the route.
# expect-layer: network|host
# expect-any: mss|segment size|small segments
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh

routed
tuned db peer
truth 'iperf3 before, Mbit/s' "$(bulk db peer 10.0.2.1)" 300 20000
on peer ip route change 10.0.1.0/24 via 10.0.2.2 advmss 256
truth 'iperf3, Mbit/s' "$(bulk db peer 10.0.2.1)" 10 2000
truth 'segment size' "$(bulk_field 'e["start"]["tcp_mss_default"]')" 200 256

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
