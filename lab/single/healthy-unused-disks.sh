# A sound disk under /data on a host with oddities that harm nobody: a slow LUN (25 ms) that nothing is mounted on, an image mounted
# read-only and full to the last block, old errors of a path long mended in the kernel's SCSI counter, a loop device without use.
# expect-healthy: yes
# allow: clocksource|no swap|multipathd|single.?path|one path|generator|cpu
# commands: check, assess
. ./lib.sh
. ./disks.sh
calm_host

lun a "$(sparse a)"
lun b "$(mapped slow "$(sparse b)" delay 10)"
lun c "$(sparse c 64M)"
# Old errors: requests beyond the disk's powers, which it refused; iodone_cnt, ioerr_cnt.
for _ in 1 2 3 4 5; do sg_raw /dev/sdc 28 00 ff ff ff 00 00 00 08 00 -r 4096 >/dev/null 2>&1 || true; done
on_data /dev/sda
sparse idle 1G >/dev/null
truncate -s 24M /media.img
mkfs.ext4 -q -m 0 /media.img
mkdir -p /media/install
mount -o loop /media.img /media/install
dd if=/dev/zero of=/media/install/pack bs=4k 2>/dev/null || true
sync
mount -o remount,ro /media/install

errors=$(cat /sys/block/sdc/device/ioerr_cnt)
truth 'old errors of sdc' $((errors)) 5 100
truth 'use of the read-only image, %' "$(df --output=pcent /media/install | tail -1 | tr -d ' %')" 99 100
truth '8 KiB read of the unused LUN, µs' "$(measure --filename=/dev/sdb --rw=randread --runtime=2 --readonly | cut -d' ' -f2)" 9000 60000
read -r iops us _ < <(measure --directory=/data --rw=randread)
truth 'IOPS of the data' "$iops" 1000 1e6
truth '8 KiB read of the data, µs' "$us" 1 3000
proven
ask db check --window 5s
ask db assess --path /data --quick --no-store
