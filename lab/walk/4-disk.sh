# title: I/O on a SAN: the raw disk
# source: a chapter on tuning SAN I/O: dd, sar and iostat on a device without a file system
. ./steps.sh
note=$(echo documents/004*.txt)

need sd_mod
# A disk of 1 ms an I/O, at most 512 KiB a request: what a block size costs is then no matter of the host's speed.
modprobe scsi_debug dev_size_mb=512 ndelay=1000000 max_queue=32
udevadm settle
disk=/dev/sda
# Data, for space that was never written answers from nowhere.
dd if=/dev/urandom of=$disk bs=1M oflag=direct 2>/dev/null || true
echo 512 >/sys/block/sda/queue/max_sectors_kb

step 'dd on a raw device' 'Sequential read, blocks of 1 MB'
old "iostat -dx 1 5 sda & sleep 1; dd if=$disk of=/dev/null bs=1024k iflag=direct; wait"
new "fullwire disk $disk --operation read --pattern sequential --block 1M --depth 1 --duration 3s --repeats 2"
printed '151.25 MB/s; requests of 512 KB: the driver splits each read in two'
same MB/s 35 ' s, ([\d.]+) ([MG])B/s' MG /paths/0/measured 1e-6
same 'KiB in a request' 2 ' (512\.\d\d) ' 1 'sda +disk .*? (\d+) KiB' 1
finds request-split
step 'dd on a raw device' 'The same with blocks of 2 KB'
old "dd if=$disk of=/dev/null bs=2k count=2000 iflag=direct"
new "fullwire disk $disk --operation read --pattern sequential --block 2k --depth 1 --duration 3s --repeats 2"
printed '10.67 MB/s, 14.2 times slower'
same MB/s 15 ' s, ([\d.]+) MB/s' 1 /paths/0/measured 1e-6
errs '96 s against 6.77 s is 14.2 times, not 13.'
step 'dd on a raw device' 'All block sizes at once'
new "fullwire disk $disk --sweep block --operation read --duration 1s"
says '/dev/sda: blocks of [^.]*'
says 'Larger blocks are split: no request is larger than 512 KiB'
step 'iostat, sar -d' 'The listing of sar -d: sectors by transfers is the size of a request'
sed -n '/14:19:23          DEV/,/^14:19:56/p' "$note" >sar-d.txt
new 'fullwire import sar-d.txt; fullwire explain avgrq-sz svctm await avgqu-sz %util'
printed '311296 sectors/s at 303/s: 512 KB'
figure 'KiB in a request' 'request size +(\d+) KiB' 1 510 514
says 'svctm · [^.]*'
step 'iostat, sar -d' 'A bottleneck as iostat shows it: await 2.7 s'
sed -n '/^Device: rrqm.s wrqm.s r.s w.s rsec/,/268.00 100.00/p' "$note" >iostat.txt
new 'fullwire iostat.txt'
printed 'await 2717 ms, svctm 266.67 ms, queue 101.7'
says '/dev/sdb1 takes [^.]*'
figure 's of await' 'request wait +([\d.]+) s' 1 2.6 2.8
errs 'svctm is no measured time: it is utilisation divided by I/Os, and means nothing for a device that serves several at once. sysstat dropped it in 12.1.2.'
errs '%util is the share of time in which a request was outstanding, not CPU time.'
step 'iostat, sar -d' 'Lines of one device alone, as grep leaves them'
sed -n '/^14:46:50/,/^14:46:57/p' "$note" >grep.txt
new 'fullwire grep.txt'
printed '21868 sectors at 5467 requests: 4 sectors, 2 KB'
figure 'KiB in a request' 'request size +(\d+) KiB' 1 2 2
step 'parallel readers, LVM stripe' 'Six readers of 2 KB on one LUN'
old "for i in 1 2 3 4 5 6; do dd if=$disk of=/dev/null bs=2k count=1500 iflag=direct 2>/dev/null & done; iostat -dx 1 3 sda | awk '/^sda/ { last = \$2 } END { print \"r/s\", last }'; wait"
new "fullwire disk $disk --operation read --pattern sequential --block 2k --threads 6 --depth 1 --duration 3s --repeats 2"
printed '5,100 r/s, queue 4.97, await 0.98 ms'
same r/s 25 'r/s ([\d.]+)' 1 /paths/0/measurements/0/also/value 1
