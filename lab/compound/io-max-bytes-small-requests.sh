# The control group may move 4 MiB a second. max_sectors_kb is 32, so each read of 1 MiB is cut into 32 requests, which without the
# limit would cost more than half of the rate and within it costs nothing.
# A good tool names io.max as the cause, and the request size as what comes next or as a finding.
# expect-layer: host|storage
# expect-primary: io.?max|cgroup
# expect-primary-not: max_sectors|request
# expect-any: max_sectors|split|request.?size|small.?request|requests per i/?o
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

disk=$(timed_lun 8)
queue=/sys/block/${disk#/dev/}/queue
on_data "$disk"
mib() { measure --directory=/data --rw=read --bs=1m | cut -d' ' -f1; }
before=$(mib)
echo 32 >"$queue/max_sectors_kb"
small_only=$(mib)
database_group
io_max "$disk" rbps=4194304 wbps=4194304
both=$(mib)
echo 1280 >"$queue/max_sectors_kb"
limit_only=$(mib)
echo 32 >"$queue/max_sectors_kb"

truth 'MiB/s, whole over cut' "$(ratio "$before" "$small_only")" 2 100
truth 'MiB/s, cut only' "$small_only" 9 200
truth 'MiB/s, io.max only' "$limit_only" 3 5
truth 'MiB/s, both' "$both" 3 5
proven
ask db assess --path /data --quick --no-store
