# One millisecond of delay becomes 1.1 or what the guest's clock makes of it; commits one by one.
# truth: the round trips of ping in both states
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
before=$(ping_ms "$a") after=$(ping_ms "$b")
known 'delay of 2 ms and 2.2 ms, synchronous messages' worse "$(awk "BEGIN { print ($after - $before) * 0.8e6, ($after - $before) * 1.2e6 }")" ns
proofs "$a" "$b" net 10.0.2.1:5555 --mode sync --duration 1s
