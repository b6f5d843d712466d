# A report takes more memory than there is for half a minute; the host swaps while the database works.
# lab: LAB_MEM=400M
. ./lib.sh
. ./disks.sh
. ./parts.sh

fallocate -l 1G /swap
chmod 600 /swap
mkswap -q /swap
swapon /swap
on_data "$(sparse data 2G)" xfs
postgres /data
work
recorded
out() { awk '/^pswpout/ { print $2 }' /proc/vmstat; }
before=$(out)
# A report of more pages than there are, written again and again; it begins to swap once the free memory is used up.
storm() {
    local available
    available=$(awk '/MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
    python3 -c '
import sys, time
size = int(sys.argv[1]) << 20
memory = bytearray(size)
while True:
    for at in range(0, size, 4096):
        memory[at] = memory[at] + 1 & 255
        if at % (1 << 20) == 0:
            time.sleep(0.001)' $((available + 60)) &
    hog=$!
    until (($(out) > before + 1000)); do sleep 0.1; done
}
fault 'swapping|memory-pressure|major-faults' '.' storm
steady 30
truth 'pages swapped out' "$(($(out) - before))" 10000 100000000
over kill "$hog"
kept
