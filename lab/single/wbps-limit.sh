# The control group of the database may write 4 MB/s to its disk (io.max wbps); reads are free. A good tool names the limit.
# expect-layer: storage|host
# expect-any: io\.max|cgroup|control group|throttl
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

disk=$(lun a "$(sparse a)")
on_data "$disk"
echo '+cpu +io +memory' >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/database
echo $$ >/sys/fs/cgroup/database/cgroup.procs
echo "$(lsblk -ndo MAJ:MIN "$disk") wbps=4194304" >/sys/fs/cgroup/database/io.max
read -r reads _ < <(measure --directory=/data --rw=randread)
read -r writes _ < <(measure --directory=/data --rw=write --bs=64k)
truth 'reads a second' "$reads" 2000 1e6
truth 'writes of 64 KiB a second' "$writes" 50 70

proven
ask db assess --path /data --quick --no-store
