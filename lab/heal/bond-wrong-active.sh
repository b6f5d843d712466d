# The active-backup bond of the database host stayed on its second slave, whose cable carries 20 Mbit/s, long after the first (the
# primary, 100 Mbit/s) came back: primary_reselect is `failure`.
# A good tool names the bond's active slave, the command that changes it, and promises the first cable.
# expect-layer: network
# expect-primary: bond|active|slave
# expect-healed: 0.75..1.15
# expect-value: paths.*.measured 10e6..12.6e6
# commands: assess --expect
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

modprobe bonding max_bonds=0
# Each cable ends in another switch, whose uplink to a third one, where the peer is, sets the rate.
host s0 s1 core peer
on core ip link add br0 type bridge
on core ip link set br0 up
for n in 0 1; do
    wire db eth$n s$n port
    wire s$n uplink core s$n
    on s$n ip link add br0 type bridge
    on s$n ip link set br0 up
    on s$n ip link set port master br0
    on s$n ip link set uplink master br0
    on core ip link set s$n master br0
done
shape s0 uplink 100mbit 40
shape s0 port 100mbit 40
shape s1 uplink 20mbit 40
shape s1 port 20mbit 40
wire core peer peer eth0
on core ip link set peer master br0
bond db 'active-backup miimon 100 primary eth0 primary_reselect failure' eth0 eth1
addr db bond0 10.0.0.1/24
addr peer eth0 10.0.0.2/24
tuned db peer
sleep 1
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.0.2)" 75 102
on s0 ip link set port down
sleep 1
on s0 ip link set port up
sleep 1
cat /proc/net/bonding/bond0
truth 'eth1 is the active slave' "$(grep -c 'Currently Active Slave: eth1' /proc/net/bonding/bond0)" 1 1
truth 'links of the bond' "$(($(cat /sys/class/net/eth0/carrier) + $(cat /sys/class/net/eth1/carrier)))" 2 2
truth 'iperf3 now, Mbit/s' "$(stream_to 10.0.0.2)" 12 21.5

proven
respond peer
healing db assess --peer 10.0.0.2:5555 --expect 100Mbit --quick --no-store -- stream_to 10.0.0.2
