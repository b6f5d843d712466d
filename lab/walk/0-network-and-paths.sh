# title: Multipath I/O, network speed and bonding
# source: a DBA's article: is multipath on, how fast is the network by iperf, and bonds
. ./steps.sh

need sd_mod
modprobe scsi_debug add_host=2 vpd_use_hostno=0 dev_size_mb=256
multipathed 'path_grouping_policy multibus' 'no_path_retry fail'
step 'multipath -ll' 'Is multipath configured and on?'
old 'multipath -ll'
new 'fullwire check --only storage -v'
finds multipath-no-retry
step 'multipath -ll' 'A path has failed'
echo offline >/sys/block/sdb/device/state
sleep 4
old 'multipath -ll'
new 'fullwire check --only storage'
finds multipath-path-failed
echo running >/sys/block/sdb/device/state

host peer
wire db eth0 peer eth0
addr db eth0 10.0.0.1/24
addr peer eth0 10.0.0.2/24
shape db eth0 200mbit
shape peer eth0 200mbit
respond peer
on peer iperf -s >/dev/null 2>&1 &
wait_for peer 5001
step 'iperf' 'How fast is the network?'
old 'iperf -c 10.0.0.2 -t 5 -f m'
new 'fullwire net 10.0.0.2 --duration 5s --tag wired --repeats 4'
printed '468 Mbits/sec'
same Mbit/s 8 ' ([\d.]+) Mbits/sec' 1 /paths/0/measured 8e-6
step 'rmem_max, wmem_max' 'Buffers of 4 MB, which the system does not grant'
set_on db net.core.wmem_max=212992
set_on db net.core.rmem_max=212992
old 'iperf -l 1M -w 4M -f M -t 5 -c 10.0.0.2'
new 'fullwire net 10.0.0.2 --length 1M --sockbuf 4M --duration 5s'
printed 'TCP window size: 0.41 MByte (WARNING: requested 4.00 MByte), 55.7 MBytes/sec'
same MB/s 8 ' ([\d.]+) MBytes/sec' 1.048576 /paths/0/measured 1e-6
finds socket-buffer-clamped
tuned db peer
step 'iperf, datagrams and both directions' 'Datagrams at a rate'
on peer iperf -s -u >/dev/null 2>&1 &
sleep 1
old 'iperf -c 10.0.0.2 -u -b 100M -t 4 -f m'
new 'fullwire net 10.0.0.2 --mode udp --rate 100Mbit --duration 4s'
same Mbit/s 8 ' ([\d.]+) Mbits/sec' 1 /paths/0/measured 8e-6
step 'iperf, datagrams and both directions' 'Both directions at once, by an iperf 2 client against our server'
on peer ./fullwire serve --open --listen 0.0.0.0:5556 --iperf2-port 5002 >out/serve-iperf2.log 2>&1 &
wait_for peer 5002
old 'iperf -c 10.0.0.2 -d -t 4 -f m'
new 'iperf -c 10.0.0.2 -p 5002 -d -t 4 -f m'
same Mbit/s 15 '0\.0+-\s*\d.* ([\d.]+) Mbits/sec' 1 '0\.0+-\s*\d.* ([\d.]+) Mbits/sec' 1
step 'comparison of two networks' 'The same test over the slower network'
for end in db peer; do on $end tc qdisc change dev eth0 root tbf rate 16mbit burst 64kb latency 50ms; done
old 'iperf -l 1M -w 4M -f M -t 5 -c 10.0.0.2'
new 'fullwire net 10.0.0.2 --length 1M --duration 5s --tag wireless --repeats 4; fullwire diff wired wireless'
printed '55.7 against 4.13 MB/s: more than 13 times'
same MB/s 15 ' ([\d.]+) MBytes/sec' 1.048576 /paths/0/measured 1e-6
says 'WORSE [^.]*'

modprobe bonding max_bonds=0
ip link del eth0
for n in 1 2; do wire db eth$n peer eth$n; done
bond db '802.3ad xmit_hash_policy layer2 miimon 100 lacp_rate fast' eth1 eth2
bond peer '802.3ad xmit_hash_policy layer2 miimon 100 lacp_rate fast' eth1 eth2
addr db bond0 10.0.0.1/24
addr peer bond0 10.0.0.2/24
for n in 1 2; do for end in db peer; do shape $end eth$n 100mbit; done; done
sleep 4
step 'bonding' 'Two links of 100 Mbit/s in a bond: four streams, hash layer2'
old 'grep -e Mode -e Policy -e "Slave Interface" -e "MII Status" /proc/net/bonding/bond0; iperf -c 10.0.0.2 -P 4 -t 5 -f m | grep SUM'
new 'fullwire net 10.0.0.2 --streams 4 --duration 5s'
same Mbit/s 15 'SUM.* ([\d.]+) Mbits/sec' 1 /paths/0/measured 8e-6
finds bond-hash-one-link
step 'bonding' 'The same bond with the hash that the finding advises'
for end in db peer; do on $end ip link set bond0 type bond xmit_hash_policy layer3+4; done
old 'iperf -c 10.0.0.2 -P 8 -t 5 -f m | grep SUM'
new 'fullwire net 10.0.0.2 --streams 8 --duration 5s'
same Mbit/s 30 'SUM.* ([\d.]+) Mbits/sec' 1 /paths/0/measured 8e-6
