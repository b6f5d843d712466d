# Other processes use more memory than there is, and the host swaps without pause. The control group of the database may do 60 I/Os a
# second on its LUN, far fewer than it manages beside the swapping.
# A good tool names io.max as what limits the storage, and the lack of memory as a finding.
# expect-layer: host|storage
# expect-primary: io.?max|cgroup
# expect-any: swap|memory|paging|reclaim
# expect-verdict-not: full-wire
# commands: assess
# lab: LAB_MEM=320M
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

disk=$(lun a "$(sparse a)")
on_data "$disk"
before=$(iops)
fallocate -l 1G /swap
chmod 600 /swap
mkswap -q /swap
swapon /swap
available=$(awk '/MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
python3 -c '
import sys, time
size = int(sys.argv[1]) << 20
memory = bytearray(size)
while True:
    for at in range(0, size, 4096):
        memory[at] = memory[at] + 1 & 255
        if at % (1 << 20) == 0:
            time.sleep(0.001)' $((available + 60)) &
hog=$!
for _ in {1..60}; do
    awk '/pswpin/ { exit !($2 > 1000) }' /proc/vmstat && break
    sleep 1
done
sar -W 1 5 | tee /tmp/sar
swaps() { awk -v column="$1" '/^[0-9]/ && $column ~ /^[0-9.]+$/ && $column > 0 { n++ } END { print n + 0 }' /tmp/sar; }
truth 'seconds of 5 with pages coming in' "$(swaps 2)" 4 5
truth 'seconds of 5 with pages going out' "$(swaps 3)" 4 5
swap_only=$(iops)
database_group
io_max "$disk" riops=60 wiops=60
both=$(iops)

truth 'IOPS before' "$before" 1000 1e6
truth 'IOPS, swapping only' "$swap_only" 150 1e6
truth 'IOPS, both' "$both" 40 70
proven
ask db assess --path /data --quick --no-store
kill $hog
