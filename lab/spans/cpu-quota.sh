# For half a minute the database's control group may use a twentieth of a CPU.
. ./lib.sh
. ./disks.sh
. ./parts.sh

echo '+cpu +io +memory' >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p /sys/fs/cgroup/database
on_data "$(sparse data 2G)" xfs
echo $$ >/sys/fs/cgroup/database/cgroup.procs
postgres /data
echo $$ >/sys/fs/cgroup/cgroup.procs
echo '1000000 100000' >/sys/fs/cgroup/database/cpu.max
work
recorded
throttled() { awk '/nr_throttled/ { print $2 }' /sys/fs/cgroup/database/cpu.stat; }
quota() { echo "$1 100000" >/sys/fs/cgroup/database/cpu.max; }
before=$(throttled)
fault cgroup-cpu-quota '.' quota 5000
steady 30
truth 'throttled periods' "$(($(throttled) - before))" 100 400
over quota 1000000
kept
