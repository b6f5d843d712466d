# Enters a userland (a root file system) with our executable: it says its version, audits, measures the network to hosts
# that the userland's own name services know, and loads a file. The caller made namespaces of mounts and network; nothing
# is written below the root itself.
root=$1 program=$2
space=$(mktemp -d)
pids=
leave() {
    cd /
    for pid in $pids; do kill "$pid" 2>/dev/null || :; done
    wait
    # Whoever still runs ends with the namespace of processes that the caller made.
    umount --recursive --lazy "$space" && rmdir "$space"
}
trap leave EXIT
mount -t tmpfs tmpfs "$space"
mkdir "$space/upper" "$space/work" "$space/root"
mount -t overlay overlay -o "lowerdir=$root,upperdir=$space/upper,workdir=$space/work" "$space/root"
cd "$space/root" || exit 1
mkdir -p proc sys dev tmp etc
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys 2>/dev/null || mount --rbind /sys sys
mount --rbind /dev dev
cp "$program" fullwire
ip link set lo up
# Some userlands have no `env`.
inside() { env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/tmp "$(command -v chroot)" "$space/root" "$@"; }

inside /fullwire --version
inside /fullwire check --json --no-store --window 0s --fail-on never >check.json
python3 - check.json <<'CHECK'
import json, sys
document = json.load(open(sys.argv[1]))
assert document["schema"] == "fullwire.check/1", document["schema"]
malformed = [gap for gap in document["gaps"] if gap["reason"] == "malformed"]
assert not malformed, malformed
print(f"check: {len(document['findings'])} findings, {len(document['gaps'])} gaps, host {document['host']['os'].get('pretty_name') or 'without a release'}")
CHECK

# Names: of the files, of DNS with a search domain, of a module that a static executable cannot load.
# Where systemd resolves it is a link into its runtime directory.
rm -f etc/resolv.conf
cat >>etc/hosts <<'HOSTS'
127.0.0.1 localhost
::1 localhost ip6-localhost
127.0.0.7 from-hosts.example from-hosts
HOSTS
printf 'nameserver 127.0.0.1\nsearch nowhere.example db.example\noptions timeout:1 attempts:1\n' >etc/resolv.conf
cat >dns.py <<'DNS'
import socket, struct
zone = {b"from-dns.db.example": ("127.0.0.8", "::1")}
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
while True:
    question, client = server.recvfrom(512)
    labels, at = [], 12
    while question[at]:
        labels.append(question[at + 1:at + 1 + question[at]].lower())
        at += question[at] + 1
    kind, = struct.unpack(">H", question[at + 1:at + 3])
    known = zone.get(b".".join(labels))
    data = b""
    if known and kind == 1:
        data = socket.inet_aton(known[0])
    elif known and kind == 28:
        data = socket.inet_pton(socket.AF_INET6, known[1])
    head = question[:2] + struct.pack(">HHHHH", 0x8580 if known else 0x8583, 1, 1 if data else 0, 0, 0)
    answer = struct.pack(">HHHIH", 0xC00C, kind, 1, 60, len(data)) + data if data else b""
    server.sendto(head + question[12:at + 5] + answer, client)
DNS
python3 dns.py & pids="$pids $!"
printf 'a-key-of-the-test-alone\n' >key
chmod 0600 key
inside /fullwire serve --quiet --listen '[::]:5555' --key-file /key >served & pids="$pids $!"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    grep -q listening served && break
    sleep 0.25
done
measure() {
    inside /fullwire net "$1:5555" --mode rtt --duration 200ms --key-file /key --no-store --json --fail-on never >net.json || return 1
    python3 -c 'import json, sys; run = json.load(open("net.json")); assert run["latency_ns"]["count"] > 0'
}
# The client of MySQL looks names up itself: no server listens there, but the name has an address.
client() {
    if inside /fullwire redo "mysql://fw@$1:1" >client 2>&1; then return 1; fi
    grep -q 'Connection refused' client || { cat client; return 1; }
}
names='localhost from-hosts from-dns'
orders='files_dns'
if [ -e usr/bin/getent ] || [ -e bin/getent ]; then
    names="$names $(cat /proc/sys/kernel/hostname)"
    orders='files_dns files_mdns4_minimal_[NOTFOUND=return]_resolve_[!UNAVAIL=return]_myhostname_dns'
fi
for order in $orders; do
    printf 'hosts: %s\n' "$(echo "$order" | sed 's/_/ /g; s/mdns4 minimal/mdns4_minimal/')" >etc/nsswitch.conf
    for name in $names; do
        # The host's own name is known by myhostname alone.
        case $name:$order in localhost:* | from-*) ;; *:*myhostname*) ;; *) continue ;; esac
        client "$name" || { echo "mysql://$name failed with hosts: $order"; exit 1; }
        measure "$name" || { echo "net $name failed with hosts: $order"; exit 1; }
        if [ "$orders" != files_dns ]; then
            first=$(inside getent ahosts "$name" | sed -n 's/ *STREAM.*//p' | head -1)
            echo "net $name: answered ($order; getent's first is $first)"
        else
            echo "net $name: answered ($order; no getent)"
        fi
    done
done
if inside /fullwire net no-such-host:5555 --mode rtt --duration 200ms --key-file /key --no-store --timeout 5s >refused 2>&1; then
    echo "a host that is not there was measured" && exit 1
fi
if client no-such-host >/dev/null; then echo "the client of MySQL found a host that is not there" && exit 1; fi
if grep -q panicked refused; then cat refused && exit 1; fi
echo "net no-such-host: $(tail -1 refused)"

inside /fullwire disk /tmp --profile ora-lgwr --duration 300ms --size 16M --no-store --json --fail-on never >disk.json
python3 -c '
import json
run = json.load(open("disk.json"))
step = run["steps"][0]
assert step["ios"] > 0, step
print("disk:", step["ios"], "I/Os by", step["engine"])'
