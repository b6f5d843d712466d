# The cable to the clients is out for eight seconds.
. ./lib.sh
. ./disks.sh
. ./parts.sh

pair
tuned db peer
on_data "$(sparse data 2G)" xfs
postgres /data
work peer 10.0.0.1 12
recorded
fault 'nic-(no-carrier|link-flaps|link-lost)' '^eth0$' on peer ip link set eth0 down
steady 8
truth 'carrier of eth0' "$(cat /sys/class/net/eth0/carrier)" 0 0
over on peer ip link set eth0 up
kept
