# The NFS server of a database does not answer for half a minute.
. ./lib.sh
. ./disks.sh
. ./parts.sh

pair
tuned db peer
modprobe -a sch_ingress cls_matchall act_gact
nfs_server "$(sparse export 2G)"
mount -t nfs4 -o hard,vers=4.1,timeo=50 10.0.0.2:/ /data
postgres /data
work
recorded
on peer tc qdisc add dev eth0 clsact
fault 'nfs-(stalled|not-responding)' '/data' \
    on peer tc filter add dev eth0 ingress matchall action drop
steady 30
over on peer tc filter del dev eth0 ingress
kept
