# A member of a host's bond has lost its link: no path is slower, and the member is named all the same.
. ./parts.sh
hosts 4
bonded 4 mode active-backup miimon 100
ip -n sw link set port2 down
sshds
sleep 1
ip netns exec h4 grep -q 'MII Status: down' /proc/net/bonding/bond0
mesh
named 'mesh-bond-down h4'
