# title: Network capacity with oratcptest
# source: a note on sizing the transport of redo: peak redo, ASYNC and SYNC throughput, options
. ./steps.sh

pair
tuned db peer
shape db eth0 200mbit
shape peer eth0 200mbit
mkdir -p /u01/oraredo
note=$(echo documents/003*.txt)
on peer iperf -s >/dev/null 2>&1 &
(cd /u01/oraredo && on peer /lab/fullwire oratcptest -server -port=5555 -file=/u01/oraredo/oratcp.tmp >/lab/out/server.log 2>&1) &
wait_for peer 5555

step 'oratcptest, its commands' 'SYNC, messages of 1 Mbyte'
old 'iperf -c 10.0.0.2 -t 6 -f M'
new 'fullwire oratcptest 10.0.0.2 -port=5555 -duration=6s -interval=2s'
printed '107.819 Mbytes/s (SYNC waits for each ACK, so it is below ASYNC)'
figure Mbytes/s 'Avg\. throughput = ([\d.]+)' 1 15 24
says 'Socket send buffer = \d+'
step 'oratcptest, its commands' 'ASYNC'
old 'iperf -c 10.0.0.2 -t 6 -f M'
new 'fullwire oratcptest 10.0.0.2 -port=5555 -mode=async -duration=6s -interval=2s'
printed '113.140 Mbytes/s'
same Mbytes/s 8 ' ([\d.]+) MBytes/sec' 1 'Avg\. throughput = ([\d.]+)' 1
step 'oratcptest, its options' 'A pause of 5 ms between messages of 8 KB: the average counts the pauses'
new 'fullwire oratcptest 10.0.0.2 -port=5555 -delay=5 -length=8k -duration=4s -interval=2s'
figure Mbytes/s 'Avg\. throughput = ([\d.]+)' 1 0.7 1.6
step 'oratcptest, its options' 'A test of 20 MiB of bytes, and the list of options'
new 'fullwire oratcptest 10.0.0.2 -port=5555 -mode=async -duration=20971520 -payload=Zero -random_length; fullwire oratcptest -help'
says '-random_delay'
says '-freq'
says 'Test finished'
step 'rmem_max, wmem_max' 'Socket buffers beyond what the system grants'
set_on db net.core.wmem_max=212992
set_on db net.core.rmem_max=212992
old 'iperf -w 2M -f M -t 3 -c 10.0.0.2'
new 'fullwire oratcptest 10.0.0.2 -port=5555 -mode=async -duration=3s -sockbuf=2097152'
same Mbytes/s 8 ' ([\d.]+) MBytes/sec' 1 'Avg\. throughput = ([\d.]+)' 1
says 'WARNING: a socket send buffer .*? allows only \S+ kbytes'
tuned db peer
step 'v$archived_log' 'Peak redo and 30 % above it'
sed -n '/^   THREAD#/,/ 2568 /p' "$note" >archived.txt
new 'fullwire redo archived.txt'
printed '61 MB/s, and 30 % on top'
figure MiB/s '([\d.]+) MiB/s' 1 61.7 61.8
says 'The redo needs a path of .*? MB/s'
step 'v$archived_log' 'Is the measured network enough for it?'
on peer ./fullwire serve --open --listen 0.0.0.0:5557 --write-dir /u01/oraredo >out/serve-write.log 2>&1 &
wait_for peer 5557
old 'iperf -c 10.0.0.2 -t 5 -f M'
new 'fullwire redo archived.txt --peer 10.0.0.2:5557'
elsewhere 'The line here carries 24 MB/s, so it is not enough; that of the note carried 113 Mbytes/s.'
same MB/s 8 ' ([\d.]+) MBytes/sec' 1.048576 /paths/0/measured 1e-6
says 'ASYNC redo to \S+: not enough.*? required'
step 'SYNC transport' 'Mean redo write from the report, then SYNC at that size with the disk'
old 'ping -q -c 100 -i 0.01 -s 8020 10.0.0.2'
new 'fullwire oratcptest 10.0.0.2 -port=5555 -write -mode=sync -length=8020 -duration=6s -interval=2s'
printed '26.335 Mbytes/s, 0.291 ms'
figure ms 'Avg\. latency = ([\d.]+)' 1 0.05 20
step 'SYNC transport' 'How much of it is network, and how much disk'
new 'fullwire net 10.0.0.2:5557 --mode sync --length 8020 --write --duration 5s'
says 'network +[\d.]+ [µm]?s[^.]*disk[^.]*|peer.s disk write [^ ]+ [µm]s'
step 'oratcptest, its commands' 'The note'"'"'s own transcript, read'
sed -n '/Message payload        = 8020/,/Avg. latency/p' "$note" >transcript.txt
new 'fullwire import transcript.txt'
printed '26.335 Mbytes/s, 0.291 ms'
figure MB/s '([\d.]+) MB/s' 1 27.6 27.65
says 'a message of [^.]*'
