# A thin volume with room, on a LUN that is in order. Nothing is wrong.
# expect-healthy: yes
# allow: thin
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host
need dm_thin_pool

disk=$(lun a "$(sparse a)")
vgcreate -qq -y vg "$disk"
lvcreate -qq -y --type thin-pool -L 4G -n pool vg 2>/dev/null
lvcreate -qq -y -V 3G --thinpool pool -n data vg 2>/dev/null || lvcreate -qq -y --thin -V 3G -n data vg/pool
on_data /dev/vg/data
truth 'data of the pool, %' "$(lvs --noheadings -o data_percent vg/pool | tr -d ' ')" 0 40

proven
ask db assess --path /data --quick --no-store
