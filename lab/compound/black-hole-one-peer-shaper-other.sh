# Two peers with a fault each. The path to the first drops packets above 1500 bytes without a word although all hosts have MTU 9000;
# the line to the second is shaped to 100 Mbit/s.
# A good tool keeps the two apart: the black hole is the first path's cause, the shaper the second's.
# expect-layer: network
# expect-primary: mtu|black.?hole
# expect-primary: shaper
# expect-verdict-not: full-wire
# commands: assess with two peers
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

host r1 r2 peer router other
wire db eth0 r1 eth0 9000
wire r1 eth1 r2 eth1 1500
wire r2 eth0 peer eth0 9000
addr db eth0 10.0.1.1/24
addr r1 eth0 10.0.1.2/24
addr r1 eth1 10.0.9.1/24
addr r2 eth1 10.0.9.2/24
addr r2 eth0 10.0.2.2/24
addr peer eth0 10.0.2.1/24
route db 10.0.2.0/24 via 10.0.1.2
route r1 10.0.2.0/24 via 10.0.9.2
route r2 10.0.1.0/24 via 10.0.9.1
route peer 10.0.1.0/24 via 10.0.2.2
wire db eth1 router eth0
wire router eth1 other eth0
addr db eth1 10.0.3.1/24
addr router eth0 10.0.3.2/24
addr router eth1 10.0.4.2/24
addr other eth0 10.0.4.1/24
route db 10.0.4.0/24 via 10.0.3.2
route other 10.0.3.0/24 via 10.0.4.2
for router in r1 r2 router; do set_on $router net.ipv4.ip_forward=1; done
tuned db peer other
truth 'iperf3 to the second peer, before, Mbit/s' "$(bulk db other 10.0.4.1)" 300 20000
truth 'loss of 9000-byte pings while routers answer, %' "$(loss_pct db 10.0.2.1 3 -s 8972)" 0 70
for router in r1 r2; do
    for device in eth0 eth1; do
        on $router tc qdisc add dev $device clsact
        on $router tc filter add dev $device egress protocol ip u32 \
            match ip protocol 1 0xff match u16 0x0304 0xffff at 20 action drop
    done
done
ip route flush cache
shape router eth0 100mbit
shape router eth1 100mbit
truth 'loss of 1500-byte pings that may not be cut, %' "$(loss_pct db 10.0.2.1 3 -M do -s 1472)" 0 0
truth 'loss of 9000-byte pings that may not be cut, %' "$(loss_pct db 10.0.2.1 3 -M do -s 8972)" 100 100
truth 'iperf3 to the first peer, Mbit/s' "$(bulk db peer 10.0.2.1)" 0 5
truth 'iperf3 to the second peer, Mbit/s' "$(bulk db other 10.0.4.1)" 82 103

proven
respond peer
respond other
ask db assess --peer 10.0.2.1:5555 --peer 10.0.4.1:5555 --quick --no-store
