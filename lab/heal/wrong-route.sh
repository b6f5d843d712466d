# The peer is on the network of eth1 (100 Mbit/s), but a stale host route sends its traffic through eth0 and a 20 Mbit/s router.
# A good tool names the route, the command that removes it, and promises the direct line.
# expect-layer: network
# expect-primary: route
# expect-healed: 0.75..1.15
# expect-value: paths.*.measured 10e6..12.6e6
# commands: assess --expect
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

host router line peer
wire db eth0 router eth0
wire router eth1 peer eth0
wire db eth1 line db1
wire line peer1 peer eth1
modprobe -a sch_ingress cls_matchall act_mirred
for ends in 'db1 peer1' 'peer1 db1'; do
    read -r from to <<<"$ends"
    on line tc qdisc add dev "$from" clsact
    on line tc filter add dev "$from" ingress matchall action mirred egress redirect dev "$to"
    shape line "$to" 100mbit 40
done
addr db eth0 10.0.1.1/24
addr router eth0 10.0.1.2/24
addr router eth1 10.0.3.2/24
addr peer eth0 10.0.3.1/24
addr db eth1 10.0.2.1/24
addr peer eth1 10.0.2.2/24
route router 10.0.2.2 via 10.0.3.1
route peer 10.0.1.0/24 via 10.0.3.2
set_on router net.ipv4.ip_forward=1
shape router eth0 20mbit 40
shape router eth1 20mbit 40
tuned db peer
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.2)" 80 102
route db 10.0.2.2 via 10.0.1.2
truth 'route through eth0' "$(ip route get 10.0.2.2 | grep -c 'dev eth0')" 1 1
truth 'iperf3 now, Mbit/s' "$(stream_to 10.0.2.2)" 15 21.5

proven
respond peer
healing db assess --peer 10.0.2.2:5555 --expect 100Mbit --quick --no-store -- stream_to 10.0.2.2
