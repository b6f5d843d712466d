# The thin pool under the data has 4 % of its space left: when it is full, writes fail. A good tool says so.
# expect-any: thin
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host
need dm_thin_pool

disk=$(lun a "$(sparse a)")
vgcreate -qq -y vg "$disk"
lvcreate -qq -y --type thin-pool -L 1G -n pool vg 2>/dev/null
lvcreate -qq -y -V 2G --thinpool pool -n data vg 2>/dev/null || lvcreate -qq -y --thin -V 2G -n data vg/pool
on_data /dev/vg/data
fallocate -l 900M /data/fill || true
dd if=/dev/urandom of=/data/full bs=1M count=940 conv=fsync 2>/dev/null
truth 'data of the pool, %' "$(lvs --noheadings -o data_percent vg/pool | tr -d ' ')" 90 99

proven
ask db assess --path /data --quick --no-store
