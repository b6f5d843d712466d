# title: I/O on a SAN: stripes, paths and file systems
# source: the same chapter: LVM stripes, multipath balancing, XFS and ext3 with a journal elsewhere, small files, bonnie++
. ./steps.sh
note=$(echo documents/004*.txt)

one=$(lun one "$(mapped slow-one "$(sparse one 1G)" linear)")
two=$(lun two "$(mapped slow-two "$(sparse two 1G)" linear)")
pvcreate -qq -y "$one" "$two"
vgcreate -qq -y vg "$one" "$two"
lvcreate -qq -y -i 2 -I 16k -L 400M -n stripe vg
lvcreate -qq -y -L 400M -n plain vg "$one"
for volume in stripe plain; do dd if=/dev/urandom of=/dev/vg/$volume bs=1M oflag=direct 2>/dev/null || true; done

step 'parallel readers, LVM stripe' 'A stripe of 16 KB over two LUNs, large reads'
old 'dd if=/dev/vg/stripe of=/dev/null bs=512k iflag=direct'
new 'fullwire disk /dev/vg/stripe --operation read --pattern sequential --block 512k --depth 1 --duration 2s --repeats 4 --tag stripe'
printed '152 and 153 reads/s a LUN, requests of 512 KB'
same MB/s 35 ' s, ([\d.]+) ([MG])B/s' MG /paths/0/measured 1e-6
finds request-split
step 'parallel readers, LVM stripe' 'The volume on one LUN, and the difference'
old 'dd if=/dev/vg/plain of=/dev/null bs=512k iflag=direct'
new 'fullwire disk /dev/vg/plain --operation read --pattern sequential --block 512k --depth 1 --duration 2s --repeats 4 --tag plain; fullwire diff stripe plain'
printed '311 reads/s: no gain from the stripe'
says '(BETTER|WORSE|SAME|NO DIFFERENCE|CANNOT TELL|TARGETS)[^.]*'
figure % '([+-][\d,.]+) %' 1 -90 5000

modprobe -q xfs || true
mkdir -p /xfs.test /ext.test
data=$(sparse data 1G)
journal=$(sparse journal 128M)
mkfs.xfs -q -f -l logdev="$journal",size=16384b "$data" >/dev/null
mount -o logdev="$journal" "$data" /xfs.test
step 'file systems' 'XFS with its journal on another device: a large write'
old "iostat -dx 1 3 ${data#/dev/} ${journal#/dev/} & sleep 1; dd if=/dev/zero of=/xfs.test/zero.out bs=512k count=300 conv=fsync; wait"
new "fullwire disk /xfs.test --operation write --pattern sequential --block 512k --size 128M --duration 3s --repeats 2"
printed 'next to no I/O on the journal'
errs 'A log of 10,000 blocks is refused today: mkfs.xfs wants at least 64 MB.'
says "${journal#/dev/} +journal [^|]*?%"
step 'file systems' 'Many small files: now the journal works'
old "iostat -dx 1 4 ${data#/dev/} ${journal#/dev/} & (mkdir /xfs.test/many; cd /xfs.test/many; for i in \$(seq 1 150); do dd if=/xfs.test/zero.out of=\$i bs=512k count=1 2>/dev/null; done; sync); wait"
new 'fullwire disk /xfs.test --profile fs-small --files 10000 --repeats 2 --tag xfs-external'
printed '40 to 53 journal writes/s'
says '[^.:]* files created per second[^.]*'
umount /xfs.test
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$data"
mount "$data" /ext.test
step 'file systems' 'The same on ext4, and the difference of both file systems'
new 'fullwire disk /ext.test --profile fs-small --files 10000 --repeats 2 --tag ext; fullwire diff xfs-external ext'
says 'Two targets: .*?\(xfs and ext4\)[^.]*'
says 'small files sequential empty files created [^%]*%'
errs 'ext3 is gone from the kernel since 4.3: ext4 reads it, and is what is measured here.'
step 'bonnie++' 'The classic table'
old 'bonnie++ -u root:root -d /ext.test -s 96m:8k -r 48 -n 1 -q -f'
new 'fullwire disk /ext.test --profile bonnie --size 96M --files 1024'
printed '144,685 K/sec block write, 124,046 K/sec block read on ext3'
says 'Sequential Create'
step 'bonnie++' 'The chapter'"'"'s own table, read'
sed -n '/^Version  1.03 ------Seq/,/^  16:262144/p' "$note" >bonnie.txt
new 'fullwire import bonnie.txt'
figure files/s '(721(?:\.0)?)\b' 1 721 721
says '14,?745'
umount /ext.test

modprobe scsi_debug add_host=2 vpd_use_hostno=0 dev_size_mb=256 ndelay=500000
multipathed 'path_grouping_policy multibus' 'path_selector "round-robin 0"' 'no_path_retry fail' || true
# The LUNs above are maps of one path each; this one has both paths of scsi_debug's.
both=$(multipathd show maps raw format '%n %N' | awk '$2 == 2 { print $1; exit }')
multipath -ll "$both"
[ -n "$both" ]
dd if=/dev/urandom of="/dev/mapper/$both" bs=1M oflag=direct 2>/dev/null || true
step 'multipath load balancing' 'Both paths in turn'
old "multipath -ll $both; dd if=/dev/mapper/$both of=/dev/null bs=32k count=2000 iflag=direct"
new "fullwire disk /dev/mapper/$both --operation read --pattern sequential --block 32k --depth 1 --duration 2s --repeats 4 --tag balanced"
printed '159.7 MB/s with balancing'
same MB/s 40 ' s, ([\d.]+) ([MG])B/s' MG /paths/0/measured 1e-6
says 'sd[a-z]+ +path [^|]*?%\s+sd[a-z]+ +path [^|]*?%'
step 'multipath load balancing' 'One path, and the difference'
failed=$(multipathd show paths raw format '%d %m' | awk -v map="$both" '$2 == map { last = $1 } END { print last }')
echo "failing $failed of $both"
# A path that multipathd was told to fail comes back with its next check.
echo offline >"/sys/block/$failed/device/state"
old "dd if=/dev/mapper/$both of=/dev/null bs=32k count=2000 iflag=direct"
new "fullwire disk /dev/mapper/$both --operation read --pattern sequential --block 32k --depth 1 --duration 2s --repeats 4 --tag one-path; fullwire diff balanced one-path"
printed '151.0 MB/s without: no gain for one reader'
same MB/s 40 ' s, ([\d.]+) ([MG])B/s' MG /paths/0/measured 1e-6
says 'sd[a-z]+ +path +0 [^|]*?%'
says '(BETTER|WORSE|SAME|NO DIFFERENCE|CANNOT TELL)[^.]*'
