# The partition begins at sector 63 of a disk of 4 KiB physical sectors, which costs a little of each write. The control group may do
# 200 I/Os a second.
# A good tool names io.max as the cause, and the partition as a finding.
# expect-layer: host|storage
# expect-primary: io.?max|cgroup
# expect-primary-not: align
# expect-any: align
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

need sd_mod
modprobe scsi_debug dev_size_mb=384 physblk_exp=3 ndelay=50000
udevadm settle
python3 -c '
import struct, sys
entry = struct.pack("<8B2I", 0, 1, 1, 0, 0x83, 254, 255, 255, 63, int(sys.argv[1]) - 63)
open("/dev/sda", "r+b").write(bytes(446) + entry + bytes(48) + b"\x55\xaa")' "$(blockdev --getsz /dev/sda)"
blockdev --rereadpt /dev/sda
udevadm settle
on_data /dev/sda1 xfs defaults -f
misaligned_only=$(iops)
database_group
io_max /dev/sda riops=200 wiops=200
both=$(iops)

truth 'physical sector of the disk' "$(blockdev --getpbsz /dev/sda)" 4096 4096
truth 'first sector modulo 8' $(($(</sys/block/sda/sda1/start) % 8)) 1 7
truth 'IOPS, misaligned only' "$misaligned_only" 800 1e6
truth 'IOPS, both' "$both" 150 225
proven
ask db assess --path /data --quick --no-store
