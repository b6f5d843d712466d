# The control group of the database gets 4 ms of CPU in every 100 ms, on a host that idles. Its io.max of 10000 I/Os a second is what was
# agreed upon, and is the limit once it has CPU again.
# A good tool names the quota, the command that lifts it, and promises what io.max allows.
# expect-layer: host
# expect-primary: cpu.?(quota|max)|throttl
# expect-healed: 0.75..1.25
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

disk=$(lun a "$(sparse a)")
on_data "$disk"
database_group
io_max "$disk" riops=10000 wiops=10000
before=$(iops)
cpu_max 4000 100000
count=$(throttled)
now=$(iops)
truth 'periods throttled' $(($(throttled) - count)) 20 1000
truth 'IOPS before' "$before" 6000 11000
truth 'IOPS now' "$now" 20 5000
proven
healing db assess --path /data --quick --no-store -- iops
