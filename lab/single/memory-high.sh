# The control group of the database may use 24 MiB before the kernel slows it down (memory.high): every buffered read reclaims. A good tool
# names the memory limit of the control group.
# expect-any: memory
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

on_data "$(lun a "$(sparse a)")"
echo '+cpu +io +memory' >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/database
echo $((24 << 20)) >/sys/fs/cgroup/database/memory.high
python3 -c '
import time
memory = bytearray(40 << 20)
while True:
    for at in range(0, len(memory), 4096):
        memory[at] = memory[at] + 1 & 255
    time.sleep(0.01)' &
hog=$!
echo $hog >/sys/fs/cgroup/database/cgroup.procs
echo $$ >/sys/fs/cgroup/database/cgroup.procs
sleep 3
truth 'times that the group was slowed down' "$(awk '/^high/ { print $2 }' /sys/fs/cgroup/database/memory.events)" 5 1e9

proven
ask db assess --path /data --quick --no-store
kill $hog
