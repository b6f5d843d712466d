# The control group of the database gets a quarter of a CPU, and its interface is shaped to 30 Mbit/s. A quarter of this CPU sends
# many times that.
# A good tool names the shaper as the cause, not the quota.
# expect-layer: network
# expect-primary: qdisc|tbf|shaper
# expect-primary-not: cpu|quota|throttl
# expect-verdict-not: full-wire
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./parts.sh

far 2
truth 'iperf3 before, Mbit/s' "$(stream_to 10.0.2.1)" 500 20000
database_group
cpu_max 12500 50000
before=$(throttled)
quota_only=$(stream_to 10.0.2.1)
truth 'periods throttled' $(($(throttled) - before)) 10 1000
truth 'iperf3, quota only, Mbit/s' "$quota_only" 120 20000
shape db eth0 30mbit 40
truth 'iperf3, both, Mbit/s' "$(stream_to 10.0.2.1)" 24 31.5
cpu_max max 50000
truth 'iperf3, shaper only, Mbit/s' "$(stream_to 10.0.2.1)" 24 31.5
cpu_max 12500 50000

proven
echo $$ >/sys/fs/cgroup/cgroup.procs
respond peer
echo $$ >/sys/fs/cgroup/database/cgroup.procs
ask db assess --peer 10.0.2.1:5555 --quick --no-store
