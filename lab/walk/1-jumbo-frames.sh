# title: Jumbo frames for the interconnect
# source: a RAC tip: set an MTU of 9000 on the private network, prove it, measure the gain
. ./steps.sh

host peer
wire db pub0 peer pub0
wire db prv0 peer prv0 9000
addr db pub0 10.0.1.1/24
addr peer pub0 10.0.1.2/24
addr db prv0 10.0.2.1/24
addr peer prv0 10.0.2.2/24
tuned db peer
# What the network card does for the processor would hide the frames.
for end in db peer; do
    shape $end pub0 140mbit
    shape $end prv0 200mbit
done
respond peer
on peer iperf -s >/dev/null 2>&1 &
wait_for peer 5001

step 'jumbo frames: MTU=9000 in ifcfg' 'The larger MTU, set by hand, must survive a reboot'
mkdir -p /etc/sysconfig/network-scripts
printf 'DEVICE=prv0\nBOOTPROTO=static\nIPADDR=10.0.2.1\nONBOOT=yes\n' >/etc/sysconfig/network-scripts/ifcfg-prv0
old 'ip link show prv0; grep MTU /etc/sysconfig/network-scripts/ifcfg-prv0'
new 'fullwire check --only network'
finds mtu-not-kept
step 'jumbo frames: path' 'A packet of 9,000 bytes passes, one of 9,001 does not'
old 'ping -c 1 -M do -s 8972 10.0.2.2; ping -c 1 -M do -s 8973 10.0.2.2'
new 'fullwire mtu 10.0.2.2'
printed '9000 passes; "too big packetlen 9001 specified"'
same bytes 0 'mtu=(\d+)' 1 '([\d,]+) bytes' 1
step 'jumbo frames: path' 'The public network keeps frames of 1,500 bytes: an 8 KiB block is six frames'
old 'ping -c 1 -M do -s 1473 10.0.1.2'
new 'fullwire mtu -v 10.0.1.2'
printed '8 KB: six frames; 2 KB: two'
same bytes 0 'mtu=(\d+)' 1 '([\d,]+) bytes' 1
says 'Frames for a block sent as a datagram block frames 2 KiB 2 4 KiB 3 8 KiB 6 16 KiB 12 32 KiB 23'
says 'Frames of 9000 bytes would bring [^.]*'
step 'comparison of two networks' 'iperf with 9,000 bytes over the public network'
old 'iperf -c 10.0.1.2 -l 9000 -t 5 -f m'
new 'fullwire net 10.0.1.2 --length 9000 --duration 3s --repeats 4 --tag public'
printed '774 Mbits/sec, 923 MBytes'
same Mbit/s 8 ' ([\d.]+) Mbits/sec' 1 /paths/0/measured 8e-6
step 'comparison of two networks' 'The same over the private network with jumbo frames, and the difference'
old 'iperf -c 10.0.2.2 -l 9000 -t 5 -f m'
new 'fullwire net 10.0.2.2 --length 9000 --duration 3s --repeats 4 --tag private; fullwire diff public private'
printed '1.10 Gbits/sec, 1.28 GBytes: +42 % bandwidth, +65 % bytes'
same Mbit/s 8 ' ([\d.]+) Mbits/sec' 1 /paths/0/measured 8e-6
says 'is better: \+4\d(\.\d)? %[^.]*'
errs 'The bytes grew by as much as the bandwidth: 1.28 GB are 42 % more than 923 MB (39 % if GB means 10^9), not 65 %.'
step 'interconnect' 'Requests and blocks between two nodes, by datagram'
elsewhere '`oifcfg getif` needs Oracle Clusterware; `fullwire check` reads the interconnects from the database where one runs.'
old 'ping -q -c 200 -i 0.005 -s 200 10.0.2.2'
new 'fullwire net 10.0.2.2 --mode interconnect --duration 4s'
figure 'exchanges/s' '([\d,]+) exchanges' 1 100 30000
says 'Each request waits for its answer, so this is not compared with the wire'
