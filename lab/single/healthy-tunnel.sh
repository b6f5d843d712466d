# The standby is reached through a GRE tunnel of 1476 bytes, as its MTU says. Nothing is wrong.
# expect-healthy: yes
# commands: assess, mtu
. ./lib.sh
. ./disks.sh
calm_host
modprobe ip_gre || not_in_effect 'no GRE'

routed
tuned db peer
on db ip link add tun1 type gre local 10.0.1.1 remote 10.0.2.1 ttl 64
on peer ip link add tun1 type gre local 10.0.2.1 remote 10.0.1.1 ttl 64
addr db tun1 192.168.77.1/30
addr peer tun1 192.168.77.2/30
on db ip link set tun1 up
on peer ip link set tun1 up
truth 'MTU of the tunnel' "$(cat /sys/class/net/tun1/mtu)" 1476 1476
truth 'iperf3, Mbit/s' "$(bulk db peer 192.168.77.2)" 100 20000

proven
respond peer
ask db mtu 192.168.77.2
ask db assess --peer 192.168.77.2:5555 --quick --no-store
