# A sound cable beside oddities that harm nobody: thirty idle namespaces, a bond without an address and with one member, a cable that
# is not plugged in and has no address, an interface of MTU 9000 for another network, and two thousand old rx_dropped on the used
# interface: frames of a protocol that nobody here speaks.
# expect-healthy: yes
# allow: cpu|generator|virtual|jumbo
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

modprobe bonding max_bonds=0
pair
for n in {1..30}; do ip netns add "idle$n"; done
host other
wire db eth1 other eth1
bond db 'active-backup miimon 100' eth1
ip link add eth2 type veth peer name eth2 netns other
wire db eth3 other eth3 9000
addr db eth3 10.3.0.1/24
tuned db peer
# What a switch sends and no host listens to (LLDP and the like) counts as dropped.
on peer python3 - <<'PY'
import socket, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("eth0", 0))
for n in range(2000):
    s.send(b"\xff" * 6 + b"\x02\0\0\0\0\x01" + b"\x88\xb5" + b"\0" * 60)
    if n % 50 == 0: time.sleep(0.01)
PY

truth 'frames that eth0 counts as dropped' "$(cat /sys/class/net/eth0/statistics/rx_dropped)" 1000 3000
truth 'members of the idle bond' "$(wc -w </sys/class/net/bond0/bonding/slaves)" 1 1
truth 'namespaces' "$(ip netns list | wc -l)" 32 32
truth 'ping loss, %' "$(loss_pct db 10.0.0.2)" 0 0
truth 'iperf3, Mbit/s' "$(bulk db peer 10.0.0.2)" 300 20000
truth 'iperf3 retransmits' "$(bulk_field 's["retransmits"]')" 0 200

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --quick --no-store
