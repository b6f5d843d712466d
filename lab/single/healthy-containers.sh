# A host with a container bridge that is down, a stopped container's veth, a dummy and a second unused interface. Nothing is wrong.
# expect-healthy: yes
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

pair
tuned db peer
ip link add docker0 type bridge
ip addr add 172.17.0.1/16 dev docker0
ip link set docker0 up
ip link add veth1 type veth peer name veth2
ip link set veth1 master docker0
need dummy
ip link add dummy1 type dummy
truth 'iperf3, Mbit/s' "$(bulk db peer 10.0.0.2)" 300 20000

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --quick --no-store
