# The send buffer of a stream to a host 20 ms away, 1 MiB and then 256 KiB.
# truth: the rates of iperf3 in both states
# files: ../known.sh
# lab: LAB_TIMEOUT=900
. ./lib.sh
. ./known.sh

routed
tuned db peer
netem router eth1 delay 10ms
netem router eth0 delay 10ms
respond peer
a="sysctl -qw net.ipv4.tcp_wmem='4096 16384 1048576'"
b="sysctl -qw net.ipv4.tcp_wmem='4096 16384 262144'"
rates() { bash -c "$1"; for _ in 1 2 3; do bulk db peer 10.0.2.1 -O 1; done | sort -n; }
mapfile -t before < <(rates "$a")
mapfile -t after < <(rates "$b")
known 'send buffer of 1 MiB and 256 KiB, 20 ms away' worse \
    "$(awk "BEGIN { print ${after[0]} / ${before[2]} - 1.05, ${after[2]} / ${before[0]} - 0.95 }")" ratio
proofs "$a" "$b" net 10.0.2.1:5555 --duration 1s --warmup 500ms
