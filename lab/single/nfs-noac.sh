# The NFS mount has noac and sync: each small read asks for attributes, each write waits. A good tool names the option.
# expect-layer: storage|network
# expect-any: noac|attribute|sync
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

pair 9000
netem peer eth0 delay 2ms
nfs_server "$(sparse a)"
mount -t nfs -o vers=3,nolock,hard,noac,sync,proto=tcp,rsize=1048576,wsize=1048576 10.0.0.2:/export /data
truth 'mounts with noac' "$(grep -c ' /data .*noac' /proc/mounts)" 1 1

proven
ask db assess --path /data --quick --no-store
