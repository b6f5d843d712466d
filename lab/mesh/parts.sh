# What the meshes of the lab share: hosts as namespaces of the guest, each with a real sshd.
set -euo pipefail

tar xkf ssh.tar -C / 2>/dev/null || true
grep -q ^sshd: /etc/passwd || echo 'sshd:x:74:65534::/run/sshd:/usr/sbin/nologin' >>/etc/passwd
keys=/tmp/keys
mkdir -p /run/sshd $keys/bin out
for key in host user; do ssh-keygen -q -t ed25519 -N '' -f $keys/$key; done
cat >$keys/config <<CONF
IdentityFile $keys/user
UserKnownHostsFile $keys/known
StrictHostKeyChecking accept-new
CONF
printf '#!/bin/sh\nexec /usr/bin/ssh -F %s/config "$@"\n' $keys >$keys/bin/ssh
chmod +x $keys/bin/ssh

# limit NAMESPACE DEVICE: a cable slow enough that the guest is never the limit.
limit() { ip netns exec "$1" tc qdisc replace dev "$2" root tbf rate 40mbit burst 32k latency 50ms; }

# cable HOST DEVICE PORT: to the switch.
cable() {
    ip -n "h$1" link add "$2" type veth peer name "$3" netns sw
    ip -n "h$1" link set "$2" up
    ip -n sw link set "$3" up
    # The program is copied over the network of ssh: that one is as fast as it can be.
    if [[ $2 != eth0 ]]; then
        limit "h$1" "$2"
        limit sw "$3"
    fi
}

# hosts COUNT: h1 to hCOUNT with eth0 (10.77.0.N, for ssh) and eth1 (10.78.0.N, measured); h0 is where mesh runs.
hosts() {
    local n device address
    count=$1
    ip netns add sw
    ip -n sw link add ssh type bridge
    ip -n sw link add data type bridge
    ip -n sw link set ssh up
    ip -n sw link set data up
    for n in $(seq 0 "$count"); do
        ip netns add "h$n"
        ip -n "h$n" link set lo up
        cable "$n" eth0 "ssh$n"
        cable "$n" eth1 "data$n"
        ip -n sw link set "ssh$n" master ssh
        ip -n sw link set "data$n" master data
        ip -n "h$n" link set eth1 address "02:00:00:00:00:0$n"
        address=$((n == 0 ? 250 : n))
        ip -n "h$n" addr add "10.77.0.$address/24" dev eth0
        ip -n "h$n" addr add "10.78.0.$address/24" dev eth1
    done
}

# bonded HOST OPTION...: instead of eth1 a bond of eth1 and eth2, and a bond at the switch.
bonded() {
    local n=$1 i
    shift
    modprobe bonding max_bonds=0
    ip -n "h$n" link del eth1
    ip -n "h$n" link add bond0 address "02:00:00:00:00:0$n" type bond "$@"
    ip -n sw link add "lag$n" address "02:00:00:00:01:0$n" type bond "$@"
    for i in 1 2; do
        cable "$n" "eth$i" "port$i"
        ip -n "h$n" link set "eth$i" down
        ip -n "h$n" link set "eth$i" master bond0
        ip -n "h$n" link set "eth$i" up
        ip -n sw link set "port$i" down
        ip -n sw link set "port$i" master "lag$n"
        ip -n sw link set "port$i" up
    done
    ip -n "h$n" link set bond0 up
    ip -n sw link set "lag$n" up master data
    ip -n "h$n" addr add "10.78.0.$n/24" dev bond0
}

# sshd HOST [COMMAND]: starts it, after a command in its own mount namespace.
sshd() {
    cat >"$keys/sshd$1" <<CONF
ListenAddress 10.77.0.$1
HostKey $keys/host
AuthorizedKeysFile $keys/user.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
CONF
    ip netns exec "h$1" sh -c "${2:-:} && exec /usr/sbin/sshd -D -e -f $keys/sshd$1" 2>"out/sshd$1.log" &
}

sshds() {
    local n
    for n in $(seq 1 "$count"); do sshd "$n"; done
}

# mesh OPTION...: the document in out/mesh.json.
mesh() {
    local n words=()
    sleep 2
    for n in $(seq 1 "$count"); do words+=("h$n=root@10.77.0.$n,data=10.78.0.$n"); done
    ip netns exec h0 env "PATH=$keys/bin:$PATH" ./fullwire mesh "${words[@]}" --duration 2s --json --no-store "$@" \
        >out/mesh.json 2>out/mesh.log || { cat out/mesh.log; return 1; }
}

# named 'CODE SUBJECT'...: these findings, and no others.
named() {
    python3 - "$@" <<'PY'
import json, sys
document = json.load(open("out/mesh.json"))
found = sorted(f"{one['code']} {one['subject']}" for one in document["findings"])
for one in document["findings"]:
    print(one["severity"], one["code"], one["message"])
for one in document["gaps"]:
    print("gap", one["subject"], one["detail"])
print("named:", "; ".join(found) or "nothing")
sys.exit(found != sorted(sys.argv[1:]))
PY
}
