# The NFS mount of the data files is soft: when the filer is away for a moment, writes fail and files are damaged. A good tool names it.
# expect-layer: storage|network
# expect-any: soft
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

pair 9000
nfs_server "$(sparse a)"
mount -t nfs -o vers=3,nolock,soft,timeo=10,retrans=2,proto=tcp,rsize=1048576,wsize=1048576 10.0.0.2:/export /data
grep -q ' /data .*soft' /proc/mounts || not_in_effect 'not soft'
truth 'soft mounts' "$(grep -c ' /data .*soft' /proc/mounts)" 1 1

proven
ask db assess --path /data --quick --no-store
