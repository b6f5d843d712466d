# An NFS mount across 10 ms may have two requests under way (sunrpc.tcp_max_slot_table_entries=2, from an old tuning guide) and asks
# for 4 KiB at a time. Sixteen readers of 8 KiB wait for a slot; with slots enough, 4 KiB transfers cost them almost nothing.
# A good tool names the slots (concurrency of the RPC transport) as the cause, the transfer size as a finding.
# expect-layer: storage|network|host
# expect-primary: slot|concurren|parallel|outstanding|in.?flight|queue|rpc.?(wait|backlog)
# expect-primary-not: [rw]size|transfer.?size|small.?(transfer|read)
# expect-any: [rw]size|transfer.?size|read.?size|small.?(transfer|read)
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

host switch peer
on switch ip link add br0 type bridge
on switch ip link set br0 up
for end in db peer; do
    wire $end eth0 switch $end
    on switch ip link set $end master br0
done
addr db eth0 10.0.0.1/24
addr peer eth0 10.0.0.2/24
tuned peer
netem switch db delay 5ms
netem switch peer delay 5ms
nfs_server "$(sparse a)"
many=(--directory=/data --rw=randread --ioengine=libaio --iodepth=16)
# mounted SLOTS TRANSFER-SIZE
mounted() {
    ! mountpoint -q /data || umount /data
    sysctl -qw sunrpc.tcp_max_slot_table_entries=$1
    [[ $1 -gt 2 ]] || sysctl -qw sunrpc.tcp_slot_table_entries=2
    mount -t nfs -o vers=3,nolock,hard,nosharetransport,rsize=$2,wsize=$2 10.0.0.2:/export /data 2>/dev/null ||
        mount -t nfs -o vers=3,nolock,hard,rsize=$2,wsize=$2 10.0.0.2:/export /data
}
mounted 128 65536
read -r neither _ < <(measure "${many[@]}")
mounted 128 4096
read -r small _ < <(measure "${many[@]}")
mounted 2 65536
read -r slots _ < <(measure "${many[@]}")
mounted 2 4096
queued=$(nfs_op READ queue_ms) answered=$(nfs_op READ rtt_ms)
read -r both _ < <(measure "${many[@]}")

truth 'ping round trip, ms' "$(rtt_ms db 10.0.0.2)" 10 15
truth 'IOPS, neither' "$neither" 700 3000
truth 'IOPS, 4 KiB transfers only' "$small" 500 3000
truth 'IOPS, two slots only' "$slots" 80 260
truth 'IOPS, both' "$both" 40 170
truth 'wait for a slot over the round trip of a READ' \
    "$(ratio $(($(nfs_op READ queue_ms) - queued)) $(($(nfs_op READ rtt_ms) - answered)))" 3 1000
proven
ask db assess --path /data --quick --no-store
