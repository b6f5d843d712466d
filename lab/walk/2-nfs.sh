# title: Good throughput over NFS
# source: an article: full wire is the answer; how to measure it with O_DIRECT, and what a bad tool costs
. ./steps.sh

pair
tuned db peer
shape db eth0 200mbit
shape peer eth0 200mbit
nfs_server "$(sparse a)"
mkdir -p /oradata2
mount -t nfs -o vers=3,nolock,hard,proto=tcp,timeo=600,rsize=1048576,wsize=1048576 10.0.0.2:/export /oradata2
dd if=/dev/urandom of=/oradata2/file1 bs=1M count=64 oflag=direct 2>/dev/null
dd if=/dev/urandom of=/oradata2/file2 bs=1M count=64 oflag=direct 2>/dev/null

step 'NFS mount options' 'How is it mounted?'
old 'mount | grep oradata2'
new 'fullwire check --only storage -v'
says '10\.0\.0\.2:/export +NFS [^└]*'
step 'O_DIRECT over NFS' 'Read with O_DIRECT'
old 'dd if=/oradata2/file1 of=/dev/null bs=1024k iflag=direct'
new 'fullwire disk /oradata2/file1 --operation read --pattern sequential --block 1M --depth 1 --duration 4s --repeats 2 --expect-disk rate=25MB'
printed '117 MB/s'
same MB/s 12 ', ([\d.]+) MB/s' 1 /paths/0/measured 1e-6
says 'Promised for .*?(kept|missed|exceeded)[^.]*'
step 'O_DIRECT over NFS' 'Read one file and overwrite another, in turn'
old 'dd if=/oradata2/file1 of=/oradata2/file2 bs=1024k iflag=direct oflag=direct conv=notrunc'
new 'fullwire disk /oradata2 --profile copy --size 64M --duration 4s --repeats 2'
printed '89 MB/s, with a better dd 102 MB/s (both directions counted)'
same 'MB/s, both directions counted' 20 ', ([\d.]+) MB/s' 2 'copy seq copy 1M qd 1 +([\d.]+)' 1
errs 'Each way it is half of that: dd reads and writes in turn, and one direction of a full-duplex line idles while the other carries. `cp` of a program that reads ahead does better.'
step 'O_DIRECT over NFS' 'One system call for each I/O'
old 'strace -c -f dd if=/oradata2/file1 of=/dev/null bs=1024k iflag=direct'
new 'strace -c -f -e trace=pread64,fstatfs,fcntl,mmap,munmap fullwire disk /oradata2/file1 --engine plain --operation read --pattern sequential --block 1M --depth 1 --duration 2s --repeats 1'
says '[\d.]+ +[\d.]+ +\d+ +\d+ +pread64'
step 'NFS mount options' 'Options that lose data or throughput'
mkdir -p /bad
mount -t nfs -o vers=3,nolock,soft,proto=tcp,timeo=10,rsize=32768,wsize=32768 10.0.0.2:/export /bad
old 'mount | grep /bad'
new 'fullwire check --only storage'
finds nfs-soft
