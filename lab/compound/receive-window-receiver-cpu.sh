# The peer's receive buffer ends at 64 KiB, at 4 ms some 60 Mbit/s. The responder's control group gets 15 ms of CPU in every 125 ms, which
# is enough for that and for four times more, yet far less than the line carries.
# A good tool names the receive window as the cause, and the lack of CPU as what comes next.
# expect-layer: network|host
# expect-primary: receive.?(window|buffer)|rmem|buffers-below-bdp
# expect-primary-not: cpu|throttl|quota|drain
# expect-next: cpu|throttl|quota|drain
# expect-not: packet.loss
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh

far 4
echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/standby
starved() { (echo $BASHPID >/sys/fs/cgroup/standby/cgroup.procs; "$@"); }
starved_stream() {
    starved on peer iperf3 -s -1 -D -p 5202
    wait_for peer 5202
    iperf3 -J -t 5 -p 5202 -c 10.0.2.1 | python3 -c 'import json, sys
print(json.load(sys.stdin)["end"]["sum_received"]["bits_per_second"] / 1e6)'
}
small() { set_on peer net.ipv4.tcp_rmem='4096 65536 65536'; }
large() { set_on peer net.ipv4.tcp_rmem='4096 131072 16777216'; }
quota() { echo "$1 125000" >/sys/fs/cgroup/standby/cpu.max; }

before=$(starved_stream)
small
window_only=$(starved_stream)
quota 15000
both=$(starved_stream)
large
quota_only=$(starved_stream)
truth 'periods in which the receiver was stopped' "$(sed -n 's/nr_throttled //p' /sys/fs/cgroup/standby/cpu.stat)" 8 1000
small
echo "before $before, window $window_only, quota $quota_only, both $both"
truth 'iperf3 before, Mbit/s' "$before" 250 20000
truth 'iperf3, window only, Mbit/s' "$window_only" 20 130
truth 'iperf3, both, Mbit/s' "$both" 15 130
truth 'iperf3, window only over both' "$(ratio "$window_only" "$both")" 0.7 1.5
truth 'iperf3, quota only over both' "$(ratio "$quota_only" "$both")" 1.8 1000
truth 'iperf3 before over quota only' "$(ratio "$before" "$quota_only")" 1.25 1000

proven
starved respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
