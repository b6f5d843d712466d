# The wire between the database and its filer carries 100 Mbit/s (a switch port that shapes); the filer's disk is fast. A good tool names the
# network under the NFS mount and not the disk.
# expect-layer: network|storage
# expect-any: wire|shap|network|link|nfs|round.?trip|tcp
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

pair
nfs_server "$(sparse a)"
mount -t nfs -o vers=3,nolock,hard,rsize=1048576,wsize=1048576 10.0.0.2:/export /data
read -r fast _ < <(measure --directory=/data --rw=read --bs=1m)
shape peer eth0 100mbit
shape db eth0 100mbit
read -r slow _ < <(measure --directory=/data --rw=read --bs=1m)
truth 'MiB/s before' "$fast" 20 100000
truth 'MiB/s behind the shapers' "$slow" 5 13

proven
ask db assess --path /data --quick --no-store
