# The standby writes redo before it acknowledges, on a disk that takes some 20 ms; the line to it is shaped to 100 Mbit/s, which
# costs a block of 8 KiB less than a millisecond. Only the disk is felt by a commit.
# A good tool splits the round trip, blames the standby's storage, and says of the network only that it is shaped.
# expect-layer: storage
# expect-any: disk|write|storage|standby|remote
# expect-not: packet.loss|mtu
# commands: net --mode sync --write
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh

pair
tuned db peer
truncate -s 256M /disk
mapped slow "$(losetup --direct-io=on --show -f /disk)" delay 20
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 /dev/mapper/slow
mkdir /standby
mount /dev/mapper/slow /standby
write_ms() { fio --name=w --filename=/standby/t --size=8M --rw=write --bs=8k --ioengine=psync --sync=dsync --runtime=3 \
    --time_based --output-format=json | python3 -c 'import json, sys
print(json.load(sys.stdin)["jobs"][0]["write"]["clat_ns"]["mean"] / 1e6)'; }
truth 'ping round trip, ms' "$(rtt_ms db 10.0.0.2)" 0 1
truth 'iperf3, slow disk only, Mbit/s' "$(stream_to 10.0.0.2)" 300 20000
shape db eth0 100mbit
truth 'iperf3, both, Mbit/s' "$(stream_to 10.0.0.2)" 82 103
truth '8 KiB ping round trip, ms' "$(on db ping -q -c 50 -i 0.01 -s 8192 10.0.0.2 | awk -F/ '/^rtt/ { print $5 }')" 0 3
truth 'one 8 KiB synchronous write there, ms' "$(write_ms)" 18 400
rm -f /standby/t

proven
respond peer --write-dir /standby
ask db net 10.0.0.2:5555 --mode sync --write --length 8k --duration 5s
