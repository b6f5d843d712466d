# Another process reads from the same disk all the time, which leaves thousands of I/Os a second. The control group of the database
# may do 150.
# A good tool names io.max as the cause, and the other load as a finding.
# expect-layer: host|storage
# expect-primary: io.?max|cgroup
# expect-primary-not: foreign|load
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

disk=$(lun a "$(sparse a)")
on_data "$disk"
before=$(iops)
fio --name=other --directory=/data --size=128m --rw=randread --bs=16k --direct=1 --ioengine=psync --rate_iops=300 \
    --time_based --runtime=600 >/dev/null &
other=$!
sleep 6
count=$(ios "$disk")
sleep 2
truth 'reads a second by the other process' $((($(ios "$disk") - count) / 2)) 150 1000
neighbour_only=$(iops)
database_group
io_max "$disk" riops=150 wiops=150
both=$(iops)

truth 'IOPS before' "$before" 1000 1e6
truth 'IOPS, neighbour only' "$neighbour_only" 700 1e6
truth 'IOPS, both' "$both" 110 170
proven
ask db assess --path /data --quick --no-store
kill $other
