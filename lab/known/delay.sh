# The round trip grows by the 200 µs that netem is told; messages one by one.
# truth: what tc sets, within what the guest's clock makes of it; ping sees the difference
# files: ../known.sh
# lab: LAB_TIMEOUT=900
. ./lib.sh
. ./known.sh

routed
tuned db peer
on router tc qdisc add dev eth1 root netem limit 100000 delay 2ms
respond peer
a="ip netns exec router tc qdisc change dev eth1 root netem limit 100000 delay 2ms"
b="ip netns exec router tc qdisc change dev eth1 root netem limit 100000 delay 2200us"
ping_ms() { bash -c "$1"; for _ in 1 2 3; do rtt_ms db 10.0.2.1 200; done | sort -n | sed -n 2p; }
truth 'longer by ping, µs' "$(awk "BEGIN { print -1000 * $(ping_ms "$a") + 1000 * $(ping_ms "$b") }")" 100 300
known 'delay of 2 ms and 2.2 ms, synchronous messages' worse '160000 240000' ns
proofs "$a" "$b" net 10.0.2.1:5555 --mode sync --duration 1s
