# One of four disks of a RAID 0 takes 20 ms for each request, the others a tenth of one. A good tool names that disk.
# expect-layer: storage
# expect-any: leg|member|slow(er|est)? (disk|device|leg)|device.?slow|loop|sd[a-d]
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host
need raid0

for leg in a b c; do lun $leg "$(sparse $leg)"; done
lun d "$(mapped slow "$(sparse d)" delay 10)"
mdadm --create /dev/md0 --run --level=0 --chunk=64 --raid-devices=4 /dev/sd[a-d] 2>/dev/null
udevadm settle
on_data /dev/md0
before=$(ios /dev/sdd); fast=$(ios /dev/sda)
read -r iops us _ < <(measure --directory=/data --rw=randread --ioengine=libaio --iodepth=16)
truth 'reads of the slow leg over those of a fast one' "$(ratio $(($(ios /dev/sdd) - before)) $(($(ios /dev/sda) - fast)))" 0.5 2
truth 'mean read, us' "$us" 1000 100000

proven
ask db assess --path /data --quick --no-store
