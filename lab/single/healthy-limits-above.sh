# Limits that nothing reaches: io.max far above what the disk does, a CPU quota of all CPUs, a shaper on an interface that carries nothing.
# A good tool accuses none of them.
# expect-healthy: yes
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

pair
host other
wire db eth9 other eth0
addr db eth9 10.9.0.1/24
addr other eth0 10.9.0.2/24
tuned db peer
shape db eth9 10mbit
disk=$(lun a "$(sparse a)")
on_data "$disk"
echo '+cpu +io +memory' >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/database
echo $$ >/sys/fs/cgroup/database/cgroup.procs
echo "$(lsblk -ndo MAJ:MIN "$disk") riops=10000000 wiops=10000000" >/sys/fs/cgroup/database/io.max
echo '400000 100000' >/sys/fs/cgroup/database/cpu.max
read -r reads _ < <(measure --directory=/data --rw=randread)
truth 'reads a second' "$reads" 2000 1e6
truth 'iperf3, Mbit/s' "$(bulk db peer 10.0.0.2)" 300 20000

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --path /data --quick --no-store
