# RAID 5 over four LUNs: each small write is two reads and two writes. And one of the LUNs (sdc) takes 20 to 30 ms per request, the others
# well below one. The slow leg binds; RAID 5 is several times slower than striping only when all legs are fast.
# A good tool names the slow member, not the RAID level, as the cause.
# expect-layer: storage
# expect-primary: slow|leg\b|member|uneven|skew|outlier|\bhot\b|imbalance|laten|service.?time|sdc
# expect-primary-not: parity|raid.?5|read.?modify|small.?write
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host
need raid456
modprobe -q raid0 || true

for leg in a b c d; do eval "$leg=$(sparse $leg 1G)"; done
lun a "$a"; lun b "$b"; lun c "$(mapped slowc "$c" delay 0)"; lun d "$d"
slow() {
    dmsetup suspend --nolockfs slowc
    dmsetup load slowc --table "0 $(blockdev --getsz "$c") delay $c 0 $1"
    dmsetup resume slowc
}
array() {
    ! mountpoint -q /data || umount /data
    [[ ! -b /dev/md0 ]] || { mdadm --quiet --stop /dev/md0; udevadm settle; }
    mdadm --quiet --create /dev/md0 --run --level="$1" --raid-devices=4 --chunk=64 ${2:+"$2"} --metadata=1.2 /dev/sd[a-d] </dev/null
    on_data /dev/md0 xfs defaults -f
}
write_iops() { measure --directory=/data --rw=randwrite --ioengine=libaio --iodepth=8 --overwrite=1 | cut -d' ' -f1; }
array 0
striped=$(write_iops)
slow 10
striped_slow=$(write_iops)
slow 0
array 5 --assume-clean
parity=$(write_iops)
slow 10
both=$(write_iops)
iostat -dx 1 2 sda sdb sdc sdd >/dev/null
cat /proc/mdstat

truth 'degraded disks' "$(cat /sys/block/md0/md/degraded)" 0 0
truth 'write IOPS, striped over RAID 5, legs fast' "$(ratio "$striped" "$parity")" 1.3 100
truth 'write IOPS, both' "$both" 20 1500
truth 'write IOPS, gain of a fast leg' "$(ratio "$parity" "$both")" 3 1000
truth 'write IOPS, gain of striping with the slow leg' "$(ratio "$striped_slow" "$both")" 0.8 20
truth 'the first gain over the second' "$(ratio "$(ratio "$parity" "$both")" "$(ratio "$striped_slow" "$both")")" 1.2 1000
truth '8 KiB read of the slow leg, µs' "$(measure --filename=/dev/sdc --rw=randread --runtime=2 --readonly | cut -d' ' -f2)" 9000 60000
truth '8 KiB read of another leg, µs' "$(measure --filename=/dev/sda --rw=randread --runtime=2 --readonly | cut -d' ' -f2)" 1 3000
proven
ask db assess --path /data --quick --no-store
