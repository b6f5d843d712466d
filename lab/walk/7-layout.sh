# title: I/O on a SAN: fragments and sector alignment
# source: the same chapter: requests that a fragmented or sparse file breaks into pieces; partitions off the disk's sectors
. ./steps.sh

# One request after the other, half a millisecond each, whatever its size; physical sectors of 4 KiB.
modprobe scsi_debug dev_size_mb=640 ndelay=500000 max_queue=1 physblk_exp=3
udevadm settle
python3 - <<'PY'
import struct
entries = b""
# The second begins one logical sector before a physical one.
for first, sectors in ((2048, 393216), (524287, 393216)):
    entries += struct.pack("<8B2I", 0, 1, 1, 0, 0x83, 254, 255, 255, first, sectors)
open("/dev/sda", "r+b").write(bytes(446) + entries + bytes(32) + b"\x55\xaa")
PY
blockdev --rereadpt /dev/sda
udevadm settle

mkdir -p /ext.test
mkfs.ext4 -q -m 0 -E lazy_itable_init=0,lazy_journal_init=0 /dev/sda1
mount /dev/sda1 /ext.test
# Free space in pieces of 16 KiB, between what fills the rest.
python3 - <<'PY'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
fallocate = lambda fd, mode, at, size: libc.fallocate64(fd, mode, ctypes.c_int64(at), ctypes.c_int64(size))
filler = os.open("/ext.test/filler", os.O_RDWR | os.O_CREAT)
piece, size = 16384, 0
while fallocate(filler, 0, size, 1 << 20) == 0:
    size += 1 << 20
# FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
for at in range(0, 96 << 20, 2 * piece):
    assert fallocate(filler, 3, at, piece) == 0
PY
dd if=/dev/urandom of=/ext.test/pieces bs=512k count=80 oflag=direct 2>/dev/null
rm /ext.test/filler
# ext4 gives freed blocks out again once their removal is on the disk.
sync
dd if=/dev/urandom of=/ext.test/whole bs=512k count=80 oflag=direct 2>/dev/null
sync
filefrag /ext.test/pieces /ext.test/whole
read='--operation read --pattern sequential --block 512k --depth 1 --duration 2s --repeats 4'

step 'file systems' 'A file in one piece, large reads'
old 'dd if=/ext.test/whole of=/dev/null bs=512k iflag=direct'
new "fullwire disk /ext.test/whole $read --tag whole"
same MB/s 40 ' s, ([\d.]+) ([MG])B/s' MG /paths/0/measured 1e-6
step 'file systems' 'The same in pieces of 16 KB, and the difference'
old 'dd if=/ext.test/pieces of=/dev/null bs=512k iflag=direct; filefrag /ext.test/pieces'
new "fullwire disk /ext.test/pieces $read --tag pieces; fullwire diff whole pieces"
printed 'the read is broken into much smaller block sizes'
same MB/s 40 ' s, ([\d.]+) ([MG])B/s' MG /paths/0/measured 1e-6
says '(BETTER|WORSE|SAME|NO DIFFERENCE|CANNOT TELL|TARGETS)[^.]*'
finds request-split
umount /ext.test

write='--operation write --pattern random --block 8k --depth 1 --duration 2s --repeats 4'
for part in 1 2; do
    mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 /dev/sda$part 180M
    mkdir -p /part$part
    mount /dev/sda$part /part$part
done
step 'file systems' 'A partition that begins on a physical sector'
old 'cat /sys/block/sda/sda1/start; dd if=/dev/zero of=/part1/zero bs=8k count=2000 oflag=direct'
new "fullwire disk /part1 $write --size 32M --tag aligned"
same MB/s 40 ' s, ([\d.]+) ([MG])B/s' MG /paths/0/measured 8192e-6
step 'file systems' 'A partition that begins between two, and the difference'
old 'cat /sys/block/sda/sda2/start; dd if=/dev/zero of=/part2/zero bs=8k count=2000 oflag=direct'
new "fullwire disk /part2 $write --size 32M --tag misaligned; fullwire diff aligned misaligned"
same MB/s 40 ' s, ([\d.]+) ([MG])B/s' MG /paths/0/measured 8192e-6
printed 'little to no performance boost in Linux'
errs 'True of the disks of its time, with sectors of 512 bytes. A disk of 4 KiB sectors reads before it writes where a partition begins between two; an array does so with its stripes. This simulated disk does not, so the figures are alike here.'
finds partition-misaligned
says '(BETTER|WORSE|SAME|NO DIFFERENCE|CANNOT TELL|TARGETS)[^.]*'
