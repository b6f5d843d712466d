# One packet in a hundred is lost between the database and its filer. A good tool names the loss under the NFS mount.
# expect-layer: network|storage
# expect-any: loss|retrans
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

pair
nfs_server "$(sparse a)"
mount -t nfs -o vers=3,nolock,hard,rsize=1048576,wsize=1048576 10.0.0.2:/export /data
netem peer eth0 delay 2ms loss 1%
truth 'ping loss, %' "$(loss_pct db 10.0.0.2)" 0.4 2
before=$(counter peer TcpRetransSegs)
read -r slow _ < <(measure --directory=/data --rw=read --bs=1m)
truth 'MiB/s' "$slow" 0 60
truth 'segments that the filer sent again' "$(($(counter peer TcpRetransSegs) - before))" 10 10000000

proven
ask db assess --path /data --quick --no-store
