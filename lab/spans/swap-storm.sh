# A report takes more memory than there is for half a minute; the host swaps while the database works.
# lab: LAB_MEM=512M
. ./lib.sh
. ./disks.sh
. ./parts.sh

swap=$(sparse swap 2G buffered)
mkswap "$swap" >/dev/null
swapon "$swap"
on_data "$(sparse data 2G)" xfs
postgres /data
work
recorded
out() { awk '/^pswpout/ { print $2 }' /proc/vmstat; }
before=$(out)
fault 'swapping|memory-pressure|major-faults' '.'
mount -t tmpfs -o size=700m storm /mnt
dd if=/dev/zero of=/mnt/report bs=1M count=600 status=none
end=$((SECONDS + 30))
while ((SECONDS < end)); do timeout 10 cat /mnt/report >/dev/null || true; done
rm /mnt/report
truth 'pages swapped out' "$(($(out) - before))" 10000 100000000
over
kept
