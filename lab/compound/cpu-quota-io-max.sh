# The control group of the database gets 3 ms of CPU in every 100 ms, with which it manages far fewer I/Os than the 10000 a second
# that its io.max allows on the LUN.
# A good tool names the quota as the cause, not io.max.
# expect-layer: host
# expect-primary: cpu.?(quota|max)|throttl
# expect-primary-not: io.?max
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

disk=$(lun a "$(sparse a)")
on_data "$disk"
free=$(iops)
database_group
io_max "$disk" riops=10000 wiops=10000
limit_only=$(iops)
cpu_max 3000 100000
before=$(throttled)
both=$(iops)
periods=$(($(throttled) - before))
io_max "$disk" riops=max wiops=max
quota_only=$(iops)
io_max "$disk" riops=10000 wiops=10000

truth 'IOPS before' "$free" 6000 1e6
truth 'IOPS, io.max only' "$limit_only" 6000 11000
truth 'periods throttled' "$periods" 20 1000
truth 'IOPS, io.max only over both' "$(ratio "$limit_only" "$both")" 3 1000
truth 'IOPS, quota only over both' "$(ratio "$quota_only" "$both")" 0.6 2.5
proven
ask db assess --path /data --quick --no-store
