# The volume takes 40 writes a second, each in 2 ms: a limit that the array sets. One after the other they look like writes of 25 ms
# (writes-slow-alone is the same in every figure of the plan). A good tool tries single writes with pauses, which pass at once.
# expect-layer: storage
# expect-primary: rate-plateau
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

on_data "$(volume 5 2 40)"
read -r _ fetched _ < <(measure --directory=/data --rw=randread)
read -r written _ < <(measure --directory=/data --rw=randwrite --overwrite=1)
read -r _ alone _ < <(measure --directory=/data --rw=randwrite --overwrite=1 --rate_iops=12)
truth 'random 8 KiB read, µs' "$fetched" 4000 12000
truth 'random 8 KiB writes a second' "$written" 30 45
truth 'random 8 KiB write with pauses, µs' "$alone" 1500 8000

proven
ask db assess --path /data --quick --no-store
