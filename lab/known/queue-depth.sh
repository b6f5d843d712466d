# A disk that answers each request after 8 ms takes 32 of them at a time, then 4; random reads, 32 in flight.
# truth: the I/Os per second of fio in both states
# files: ../known.sh ../parts.sh
# lab: LAB_TIMEOUT=900
. ./lib.sh
. ./disks.sh
. ./parts.sh
. ./known.sh
calm_host

disk=$(timed_lun 32)
on_data "$disk"
depth=/sys/block/${disk#/dev/}/device/queue_depth
a="echo 32 >$depth" b="echo 4 >$depth"
rates() { bash -c "$1"; for _ in 1 2 3; do parallel_iops; done | sort -n; }
mapfile -t before < <(rates "$a")
mapfile -t after < <(rates "$b")
known 'device queue of 32 and 4, random reads' worse \
    "$(awk "BEGIN { print ${after[0]} / ${before[2]} - 1.05, ${after[2]} / ${before[0]} - 0.95 }")" ratio
proofs "$a" "$b" disk /data --operation read --pattern random --block 8k --depth 32 --duration 1s --size 64M
