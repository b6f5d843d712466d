# A member of a host's bond has a link and carries nothing. The hash of the addresses (layer2: the last bytes of both, an odd
# difference is the second member) sends the pairs with h2 and h4 over it; h1 and h3 are reached as ever.
. ./parts.sh
hosts 5
bonded 5 mode balance-xor xmit_hash_policy layer2 miimon 100
modprobe -a sch_ingress cls_matchall act_gact
ip netns exec sw tc qdisc add dev port2 clsact
ip netns exec sw tc filter add dev port2 ingress matchall action drop
ip netns exec sw tc filter add dev port2 egress matchall action drop
sshds
for n in 1 3; do ip netns exec h5 ping -q -c 1 -W 2 10.78.0.$n >/dev/null; done
for n in 2 4; do if ip netns exec h5 ping -q -c 1 -W 2 10.78.0.$n >/dev/null; then exit 77; fi; done
mesh
named 'mesh-blocked h5'
grep -q 'What h5 exchanges with h2 and h4' out/mesh.json
grep -q 'members of bond0' out/mesh.json
echo 'named: mesh-blocked h5, what it exchanges with h2 and h4, members of bond0'
