# The thin pool under the data has 4 % of its space left: when it is full, writes fail. A good tool says so.
# expect-any: thin
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

thin_data 1G 2G
dd if=/dev/urandom of=/data/full bs=1M count=940 conv=fsync 2>/dev/null
truth 'data of the pool, %' "$(thin_used_pct)" 90 99

proven
ask db assess --path /data --quick --no-store
