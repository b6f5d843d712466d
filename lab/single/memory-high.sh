# The database's control group has reached memory.high: its processes are throttled into reclaim. A good tool names the group's limit.
# expect-layer: host
# expect-any: memory\.high|memory.?(limit|high)|cgroup.*memory|reclaim|swapping
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

on_data "$(lun a "$(sparse a)")"
echo '+memory' >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p /sys/fs/cgroup/database
echo $((96 << 20)) >/sys/fs/cgroup/database/memory.high
echo $$ >/sys/fs/cgroup/database/cgroup.procs
python3 -c 'import time
held = bytearray(112 << 20)
while True:
    for at in range(0, len(held), 4096): held[at] = 1
    time.sleep(0.1)' &
holder=$!
sleep 5
truth 'times above memory.high' "$(awk '/^high/ { print $2 }' /sys/fs/cgroup/database/memory.events)" 10 1e9

proven
ask db assess --path /data --quick --no-store
kill $holder
