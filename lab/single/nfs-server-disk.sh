# The filer's own disk takes 20 to 30 ms for each request; wire and mount are in order. A good tool names the server (or its disk) and not the
# network.
# expect-layer: storage
# expect-any: server|filer|disk|device|storage|remote
# expect-not: loss|retransmi|shap
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

pair 9000
nfs_server "$(mapped slow "$(sparse a)" delay 20)"
mount -t nfs -o vers=3,nolock,hard,rsize=1048576,wsize=1048576 10.0.0.2:/export /data
read -r _ _ synced < <(measure --directory=/data --rw=write --bs=8k --overwrite=1 --fdatasync=1)
rtt=$(rtt_ms db 10.0.0.2)
truth 'round trip on the wire, ms' "$rtt" 0 2
echo "fdatasync over NFS: $synced µs"
read -r _ latency _ < <(measure --directory=/data --rw=randwrite --sync=1)
truth 'synchronous 8 KiB write, µs' "$latency" 15000 500000

proven
ask db assess --path /data --quick --no-store
