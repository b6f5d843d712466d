# title: I/O on a SAN: host, database and method
# source: the same chapter and the paper behind it: threads, Statspack, shared memory, indicators, one change at a time
. ./steps.sh
note=$(echo documents/004*.txt)
piece() { sed -n "$1" "$note" >"$2"; }    # LINES FILE: an excerpt of the document

step 'CPU threads' 'Load that the process line of top hides'
cat >spin.py <<'END'
import os, time
if os.fork() == 0:
    while True: pass
END
(exec -a CPU_load_count bash -c 'while :; do :; done') &
spinner=$!
sleep 1
old 'ps -eLo pid,tid,pcpu,comm --sort=-pcpu | head -4'
new 'fullwire check --only host -v'
finds thread-saturated
kill $spinner
step 'Statspack, AWR' 'The excerpt: logical and physical reads, latch hits, waits'
piece '/^DB Name      DB Id/,/^log file sequential read/p' statspack.txt
new 'fullwire awr statspack.txt -v'
printed '30,501 logical and 2,879 physical reads/s; latch hit 98.37 %'
finds single-block-read-slow
finds latch-hit-low
says 'logical reads +30,501 blocks/s'
says '52 % of DB time is I/O[^.]*'
step 'shared memory' 'ORA-27102, error 28: the second instance does not start'
sysctl -qw kernel.shmall=2097152 kernel.shmmax=34359738368
old 'ipcs -l; ipcs -m'
new 'fullwire check --only host --sga 8558477312'
printed 'kernel.shmall = 2097152; raised to 8388608'
figure pages '(?s)shmall.*?(2,?097,?152)' 1 2097152 2097152
step 'isag' 'Charts of what sar collected'
old 'iperf3 -s -1 -D; sar -o day 1 6 >/dev/null & (sleep 1; dd if=/dev/zero of=/tmp/load bs=1M count=200 2>/dev/null; iperf3 -c 127.0.0.1 -t 3 >/dev/null); wait; sar -n DEV -f day | tail -3'
new 'sadf -j day -- -A >day.json; fullwire import day.json --html charts.html; grep -o "<h[23][^>]*>[^<]*" charts.html | sed "s/<[^>]*>//" | sort -u'
says 'CPU'
says 'Memory'
says 'Network'
step 'CPU, memory, network indicators' 'uptime of a host short of CPUs'
piece '/load average: 182.53/p' uptime.txt
new 'fullwire uptime.txt'
printed 'load average: 182.53, 92.02, 37.95'
says 'The load average is [^.]*'
step 'CPU, memory, network indicators' 'vmstat: all wait for the disk'
piece '/^r b swpd free/,/^0 2 0 9732/p;/^0 2 0 9732/q' vmstat.txt
new 'fullwire vmstat.txt'
printed 'wa 97 to 100, b 2'
says 'CPUs wait for I/O [^.]*'
step 'bottleneck method' 'A baseline, one change, and again'
host peer
wire db eth0 peer eth0
addr db eth0 10.0.0.1/24
addr peer eth0 10.0.0.2/24
tuned db peer
shape db eth0 200mbit
respond peer
old 'iperf3 --version | head -1'
new 'for i in 1 2 3 4; do fullwire net 10.0.0.2 --duration 2s --tag method; done >/dev/null 2>&1; fullwire baseline set method; tc qdisc change dev eth0 root tbf rate 100mbit burst 256kb latency 20ms; fullwire net 10.0.0.2 --duration 2s >/dev/null 2>&1; fullwire diff baseline last --fail-on worse'
says 'WORSE [^.]*'
step 'RPM, RAID arithmetic' 'Disks of 15,000, 10,000 and 7,200 rpm; RAID 5 and RAID 10'
new 'fullwire array raid0:1x15k --read-share 100; fullwire array raid0:1x10k --read-share 100; fullwire array raid0:1x7.2k --read-share 100; fullwire array raid5:8x10k --read-share 70; fullwire array raid10:8x10k --read-share 70; fullwire array raid5:10k --need 5000'
printed '147, 112, 75 I/Os; RAID 10 50 to 60 % better than RAID 5'
figure 'I/Os of one disk of 15,000 rpm' '(147)\b' 1 147 147
figure 'I/Os of one disk of 10,000 rpm' '(112)\b' 1 112 112
figure 'I/Os of one disk of 7,200 rpm' '\b(70)\b' 1 70 70
errs '4.2 + 9 + 1 ms are 14.2 ms and 70 I/Os; the paper left out its own 1 ms and prints 13.2 ms and 75.'
errs 'With 70 % reads RAID 10 does (0.7 + 0.3 x 4) / (0.7 + 0.3 x 2) = 1.46 times what RAID 5 does: 46 % more, not 50 to 60.'
step 'description of the server' 'Model, configuration, system, logs'
old 'uname -a; head -5 /proc/meminfo; lsblk'
new 'fullwire check -v'
says 'Description of the host.{20,400}?uptime \S+ \S+'
step 'Nagios, RRDtool, Ganglia' 'Figures for monitoring'
new 'fullwire export --nagios; fullwire export --openmetrics | head -5; fullwire export --csv | head -3'
says '(OK|WARNING|CRITICAL)[^|]*'
