# The mirror runs on one of its two disks, at the same speed. The control group of the database may do 250 I/Os a second on it.
# A good tool names io.max as the cause, and the missing disk as a finding.
# expect-layer: host|storage
# expect-primary: io.?max|cgroup
# expect-primary-not: degraded|md-
# expect-any: degraded
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host
need raid1

lun a "$(sparse a)"
lun b "$(sparse b)"
mdadm --quiet --create /dev/md0 --run --level=1 --raid-devices=2 --assume-clean --metadata=1.2 /dev/sda /dev/sdb
on_data /dev/md0
before=$(iops)
mdadm --quiet /dev/md0 --fail /dev/sdb
degraded_only=$(iops)
database_group
io_max /dev/md0 riops=250 wiops=250
both=$(iops)

truth 'degraded, says mdadm' "$(mdadm --detail /dev/md0 | grep -c 'State :.*degraded')" 1 1
truth 'IOPS, whole over degraded' "$(ratio "$before" "$degraded_only")" 0.5 2
truth 'IOPS, degraded only' "$degraded_only" 1000 1e6
truth 'IOPS, both' "$both" 200 275
proven
ask db assess --path /data --quick --no-store
