# A RAID 1 under the data is resynchronised at full speed: the rebuild takes most of the disks. A good tool names the resync.
# expect-layer: storage
# expect-any: re.?sync|rebuild|recover
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host
need raid1

a=$(lun a "$(mapped slow-a "$(sparse a)" delay 10)")
b=$(lun b "$(mapped slow-b "$(sparse b)" delay 10)")
for disk in "$a" "$b"; do echo 2 >"/sys/block/${disk#/dev/}/device/queue_depth"; done
mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --metadata=1.2 --assume-clean "$a" "$b" 2>/dev/null
udevadm settle
on_data /dev/md0
read -r alone _ < <(measure --directory=/data --rw=randread)
echo 1000000 >/proc/sys/dev/raid/speed_limit_min
echo 1000000 >/proc/sys/dev/raid/speed_limit_max
echo repair >/sys/block/md0/md/sync_action
sleep 2
read -r beside _ < <(measure --directory=/data --rw=randread)
grep -A2 md0 /proc/mdstat
grep -q -E 'resync|repair|check' /proc/mdstat || not_in_effect 'no resync runs'
truth 'reads a second, alone over beside the resync' "$(ratio "$alone" "$beside")" 1.15 1000

proven
ask db assess --path /data --quick --no-store
