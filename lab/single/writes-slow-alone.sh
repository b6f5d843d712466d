# Each write takes 25 ms in the array, with pauses as without: no limit. The sister of writes-limited, and the same in every figure of the
# plan. A good tool blames no limit.
# expect-layer: storage
# expect-primary: device-slow
# expect-primary-not: rate-plateau
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

on_data "$(volume 5 25 0)"
read -r _ fetched _ < <(measure --directory=/data --rw=randread)
read -r written _ < <(measure --directory=/data --rw=randwrite --overwrite=1)
read -r _ alone _ < <(measure --directory=/data --rw=randwrite --overwrite=1 --rate_iops=12)
truth 'random 8 KiB read, µs' "$fetched" 4000 12000
truth 'random 8 KiB writes a second' "$written" 30 45
truth 'random 8 KiB write with pauses, µs' "$alone" 20000 45000

proven
ask db assess --path /data --quick --no-store
