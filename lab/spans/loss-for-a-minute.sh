# Clients reach the database over a line that loses 3 % of its packets toward them for a minute.
. ./lib.sh
. ./disks.sh
. ./parts.sh

pair
tuned db peer
netem peer eth0 delay 1ms
modprobe -a sch_ingress cls_matchall act_gact
on_data "$(sparse data 2G)" xfs
postgres /data
work peer 10.0.0.1 20
recorded
on peer tc qdisc add dev eth0 clsact
fault 'tcp-(retransmissions|timeouts)' '.' \
    on peer tc filter add dev eth0 ingress matchall action pass random netrand drop 33
steady 60
truth 'ping loss, %' "$(loss_pct peer 10.0.0.1 500)" 1 7
over on peer tc filter del dev eth0 ingress
kept
