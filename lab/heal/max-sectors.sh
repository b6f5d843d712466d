# max_sectors_kb is 32 on a LUN that takes far more, 2 requests at a time, 8 ms each: a read of 1 MiB is cut into 32.
# More at a time would be faster than the one CPU of the guest copies.
# A good tool names the setting, the command that raises it, and promises several times the rate.
# expect-layer: storage|host
# expect-primary: max.?sectors|split|request
# expect-healed: 0.6..1.4
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

disk=$(timed_lun 2)
queue=/sys/block/${disk#/dev/}/queue
on_data "$disk"
mib() { measure --directory=/data --rw=read --bs=1m | cut -d' ' -f1; }
before=$(mib)
echo 32 >"$queue/max_sectors_kb"
now=$(mib)
truth '1 MiB reads a second, before over now' "$(ratio "$before" "$now")" 2 100
proven
healing db assess --path /data --quick --no-store -- mib
