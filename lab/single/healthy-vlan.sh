# The database network is a VLAN on a cable that carries others too. Nothing is wrong.
# expect-healthy: yes
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host
need 8021q

host peer
wire db eth0 peer eth0
for end in db peer; do
    on $end ip link add link eth0 name eth0.20 type vlan id 20
    on $end ip link set eth0.20 up
    on $end ip link add link eth0 name eth0.30 type vlan id 30
done
addr db eth0.20 10.0.0.1/24
addr peer eth0.20 10.0.0.2/24
tuned db peer
truth 'iperf3, Mbit/s' "$(bulk db peer 10.0.0.2)" 300 20000

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --quick --no-store
