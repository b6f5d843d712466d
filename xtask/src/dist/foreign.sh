# Runs an executable of another architecture under qemu's user mode with pages of a size: what it reads of the host, the
# network to a name over loopback, and a file. The caller made namespaces of mounts and network. Programs that it starts
# (getent) are this machine's own.
qemu=$1 size=$2 program=$3
work=$(mktemp -d)
pids=
leave() {
    cd /
    for pid in $pids; do kill "$pid" 2>/dev/null || :; done
    wait
    rm -r "$work"
}
trap leave EXIT
cd "$work" || exit 1
ip link set lo up
printf '127.0.0.1 localhost\n127.0.0.7 from-hosts\n' >hosts
mount --bind hosts /etc/hosts
printf 'a-key-of-the-test-alone\n' >key
chmod 0600 key
fullwire() { "$qemu" -p "$size" "$program" "$@"; }

fullwire check --json --no-store --window 0s --fail-on never >check.json
python3 - check.json "$size" <<'CHECK'
import json, sys
document = json.load(open(sys.argv[1]))
assert document["host"]["os"]["page_bytes"] == int(sys.argv[2]), document["host"]["os"]
malformed = [gap for gap in document["gaps"] if gap["reason"] == "malformed"]
assert not malformed, malformed
CHECK
fullwire serve --quiet --listen 127.0.0.7:5555 --key-file key >served & pids="$pids $!"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    grep -q listening served && break
    sleep 0.25
done
for mode in rtt async; do
    fullwire net from-hosts:5555 --mode "$mode" --duration 500ms --key-file key --no-store --json --fail-on never >net.json
    python3 -c 'import json; run = json.load(open("net.json")); assert (run.get("latency_ns") or {}).get("count") or run["throughput_bytes_per_s"] > 0, run'
done
if fullwire redo mysql://fw@from-hosts:1 >client 2>&1; then exit 1; fi
grep -q 'Connection refused' client || { cat client; exit 1; }
mkdir place
fullwire disk place --profile ora-lgwr --duration 300ms --size 16M --no-store --json --fail-on never >disk.json
python3 -c 'import json; step = json.load(open("disk.json"))["steps"][0]; assert step["ios"] > 0, step; print("disk:", step["ios"], "I/Os by", step["engine"])'
echo "pages of $size: check, serve, net by name, redo by name, disk"
