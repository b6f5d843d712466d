# Topologies and settings that several scenarios share; source it after lib.sh (and disks.sh).

# far MS [RATE]: db 10.0.1.1 and peer 10.0.2.1 with a router between, a round trip of MS; RATE toward the peer.
far() {
    routed
    tuned db peer
    netem router eth0 delay "$1ms"
    [[ -z ${2:-} ]] || shape router eth1 "$2" 40
}

# cables MS: db and peer with two cables (eth0, eth1), a round trip of MS. Host `line` joins them, so that neither host
# sees the delay as a setting of its interface.
cables() {
    local n from to ends
    host line peer
    for n in 0 1; do
        wire db eth$n line db$n
        wire line peer$n peer eth$n
        for ends in "db$n peer$n" "peer$n db$n"; do
            read -r from to <<<"$ends"
            on line tc qdisc add dev "$from" clsact
            on line tc filter add dev "$from" ingress matchall action mirred egress redirect dev "$to"
            netem line "$to" delay "$(awk -v ms="$1" 'BEGIN { print ms / 2 }')ms"
        done
    done
}

# bonded 'MODE OPTION...': bond0 of both cables on both hosts, db 10.0.0.1 and peer 10.0.0.2.
bonded() {
    bond db "$1" eth0 eth1
    bond peer "$1" eth0 eth1
    addr db bond0 10.0.0.1/24
    addr peer bond0 10.0.0.2/24
    tuned db peer
}

slaves_down() { grep -A1 'Slave Interface' /proc/net/bonding/bond0 | grep -c 'MII Status: down' || true; }

# stream_to ADDRESS [IPERF3-OPTION...]: Mbit/s of one stream from db, once it has grown.
stream_to() { bulk db peer "$1" -t 4 -O 1 "${@:2}"; }

# lossy HOST DEVICE N: every Nth packet, at random, that the host receives on the device is lost.
lossy() {
    modprobe -a sch_ingress cls_matchall act_gact
    on "$1" tc qdisc add dev "$2" clsact 2>/dev/null || true
    on "$1" tc filter add dev "$2" ingress matchall action pass random netrand drop "$3"
}

lossless() { on "$1" tc filter del dev "$2" ingress; }    # HOST DEVICE

# database_group: moves this shell, and so all that it starts, to the control group `database`.
database_group() {
    echo '+cpu +io +memory' >/sys/fs/cgroup/cgroup.subtree_control
    mkdir -p /sys/fs/cgroup/database
    echo $$ >/sys/fs/cgroup/database/cgroup.procs
}

io_max() { echo "$(lsblk -ndo MAJ:MIN "$1") ${*:2}" >/sys/fs/cgroup/database/io.max; }    # DEVICE KEY=VALUE...
cpu_max() { echo "$*" >/sys/fs/cgroup/database/cpu.max; }                                 # QUOTA_US|max PERIOD_US
throttled() { awk '/nr_throttled/ { print $2 }' /sys/fs/cgroup/database/cpu.stat; }

# slow_lun NAME DEPTH: prints a SCSI disk that takes DEPTH requests at a time, 20 to 30 ms each: a slow disk.
slow_lun() {
    local disk
    disk=$(lun "$1" "$(mapped "slow-$1" "$(sparse "$1")" delay 20)")
    echo "$2" >"/sys/block/${disk#/dev/}/device/queue_depth"
    echo "$disk"
}

# timed_lun DEPTH [OPTION...]: prints a SCSI disk that takes DEPTH requests at a time, 8 ms each: no slow disk, but one that needs
# requests in parallel. One for each guest, with as many paths as add_host=N says.
timed_lun() {
    local depth
    need sd_mod
    modprobe scsi_debug dev_size_mb=384 ndelay=8000000 max_queue=64 "${@:2}"
    udevadm settle
    for depth in /sys/block/sd*/device/queue_depth; do echo "$1" >"$depth"; done
    echo /dev/sda
}

# thin_data POOL-SIZE SIZE: a thin volume of SIZE on a LUN, its file system at /data.
thin_data() {
    need dm_thin_pool
    vgcreate -qq -y vg "$(lun a "$(sparse a)")"
    lvcreate -qq -y --type thin-pool -L "$1" -n pool vg 2>/dev/null
    lvcreate -qq -y -V "$2" --thinpool pool -n data vg 2>/dev/null
    on_data /dev/vg/data
}

thin_used_pct() { lvs --noheadings -o data_percent vg/pool | tr -d ' '; }

# iops FIO-OPTION...: of random reads in /data; parallel_iops: 32 at a time.
iops() { measure --directory=/data --rw=randread "$@" | cut -d' ' -f1; }
parallel_iops() { iops --ioengine=libaio --iodepth=32 "$@"; }

# healing HOST FULLWIRE-ARGUMENTS... -- TRUTH-COMMAND...: asks, does what is advised, shows the truth, asks again. With PROVE set it
# proves the remedy with an experiment instead, which leaves the fault as it was.
healing() {
    local question=()
    while [[ $1 != -- ]]; do
        question+=("$1")
        shift
    done
    shift
    if [[ -n ${PROVE:-} ]]; then
        proving "${question[@]}"
        return
    fi
    ask "${question[@]}"
    heal
    echo "healed: $* = $("$@")"
    ask "${question[@]}"
}

# proving HOST FULLWIRE-ARGUMENTS...: asks and keeps the run, tries the remedy of the primary cause with `fullwire prove`, and
# compares captures of before and after. Fails unless the change is better and the host as it was.
proving() {
    local host=$1 code
    shift
    set -- "${@/#--no-store/--store=/tmp/runs.db}"
    ask "$host" "$@"
    code=$(primary_code out/answer-1.json)
    echo "the primary cause: $code"
    on "$host" ./fullwire capture -q -o /tmp/before.tar
    on "$host" timeout 500 ./fullwire prove --finding "$code" --store /tmp/runs.db --yes --settle 1s --json >out/proof.json 2>out/proof.log ||
        { cat out/proof.log; return 1; }
    on "$host" ./fullwire capture -q -o /tmp/after.tar
    ./fullwire diff /tmp/before.tar /tmp/after.tar --json >out/settings.json || true
    python3 - out/proof.json out/settings.json <<'END'
import json, sys
proof, settings = (json.load(open(name)) for name in sys.argv[1:])
print("proved:", proof["ticket"])
print("promised:", proof["promised"], "unrestored:", proof["unrestored"])
changed = [one for one in settings["settings"] if one.get("relevant")]
print("settings that differ afterwards:", changed)
if proof["answer"] != "better" or not proof["restored"] or changed:
    sys.exit("not proved: " + proof["answer"])
END
}

primary_code() {    # ANSWER
    python3 - "$1" <<'END'
import json, sys
answer = json.load(open(sys.argv[1]))
causes = [c for p in answer["paths"] for c in p["causes"] if c["role"] == "primary" and c["finding"] is not None]
print(causes[0]["code"])
END
}

# A volume of an array, as a SCSI disk of 1 GiB: a read takes READ_MS, a write WRITE_MS, and WRITES_PER_S are let through (0: all).
volume() {    # READ_MS WRITE_MS WRITES_PER_S
    need nbd
    modprobe nbd nbds_max=1 max_part=0
    truncate -s 1G /volume.img
    cat >/tmp/volume.py <<'PY'
import fcntl, heapq, os, select, socket, struct, sys, threading, time

read_s, write_s = float(sys.argv[1]) / 1e3, float(sys.argv[2]) / 1e3
gap_s = 1 / float(sys.argv[3]) if float(sys.argv[3]) else 0
image, device = os.open("/volume.img", os.O_RDWR), os.open("/dev/nbd0", os.O_RDWR)
theirs, ours = socket.socketpair()
for request, value in [(0xab01, 512), (0xab07, os.fstat(image).st_size // 512), (0xab0a, 5), (0xab00, theirs.fileno())]:
    fcntl.ioctl(device, request, value)
threading.Thread(target=fcntl.ioctl, args=(device, 0xab03), daemon=True).start()


def take(count):
    data = b""
    while len(data) < count:
        data += ours.recv(count - len(data)) or sys.exit()
    return data


waiting, turn, number = [], 0.0, 0
while True:
    now = time.monotonic()
    while waiting and waiting[0][0] <= now:
        ours.sendall(heapq.heappop(waiting)[2])
    if not select.select([ours], [], [], max(0, waiting[0][0] - now) if waiting else None)[0]:
        continue
    _, kind, cookie, offset, length = struct.unpack(">IIQQI", take(28))
    kind, answer, now = kind & 0xffff, b"", time.monotonic()
    due = now
    if kind == 0:
        answer, due = os.pread(image, length, offset), now + read_s
    elif kind == 1:
        os.pwrite(image, take(length), offset)
        turn = max(turn, now)
        due, turn = max(turn, now + write_s), turn + gap_s
    number += 1
    heapq.heappush(waiting, (due, number, struct.pack(">IIQ", 0x67446698, 0, cookie) + answer))
PY
    python3 /tmp/volume.py "$@" >/tmp/volume.log 2>&1 &
    for _ in {1..50}; do
        [[ $(blockdev --getsz /dev/nbd0) == 0 ]] || break
        sleep 0.1
    done
    lun volume /dev/nbd0
}
