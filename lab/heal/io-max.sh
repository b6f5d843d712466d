# The control group of the database may do 80 I/Os a second. The LUN takes 4 requests at a time, 8 ms each: 500.
# A good tool names io.max, the command that lifts it, and promises what depth and latency of the LUN allow.
# expect-layer: host|storage
# expect-primary: io.?max|cgroup
# expect-healed: 0.6..1.4
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

disk=$(timed_lun 4)
on_data "$disk"
before=$(parallel_iops)
database_group
io_max "$disk" riops=80 wiops=80
now=$(parallel_iops)
truth 'IOPS before' "$before" 250 520
truth 'IOPS now' "$now" 65 95
proven
healing db assess --path /data --quick --no-store -- parallel_iops
