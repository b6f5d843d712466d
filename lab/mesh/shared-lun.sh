# Two hosts have the same SCSI disk (its WWN says so), a third one has another: the shared one is never loaded by two at
# once, the other meanwhile; with --together all at once.
. ./parts.sh
hosts 3
modprobe scsi_debug dev_size_mb=192 add_host=2 per_host_store=1 ndelay=100000
udevadm settle
mkdir -p /lun /other
for disk in a b; do mkfs.ext4 -q "/dev/sd$disk"; done
mount /dev/sda /lun
mkdir /lun/data
mount /dev/sdb /other
mkdir /other/data
sshd 1
sshd 2
sshd 3 'mount --bind /other /lun'

# spans: prints who ran beside whom.
spans() {
    python3 - <<'PY'
import json
document = json.load(open("out/mesh.json"))
storage = {one["host"]: one for one in document["storage"]}
for host, one in storage.items():
    assert one["state"] == "measured", one
    assert len(one["identities"]) == 1 and one["identities"][0].startswith("wwn:"), one["identities"]
names = {host: one["identities"][0] for host, one in storage.items()}
assert names["h1"] == names["h2"] != names["h3"], names
beside = lambda a, b: storage[a]["started"] < storage[b]["finished"] and storage[b]["started"] < storage[a]["finished"]
print("".join(str(int(beside(*pair))) for pair in (("h1", "h2"), ("h1", "h3"), ("h2", "h3"))), names["h1"], names["h3"])
PY
}
disk=(--no-network --disk /lun/data --disk-size 8M)
mesh "${disk[@]}"
read -r beside shared other <<<"$(spans)"
[[ $beside = 0* && $beside != 000 ]] || { echo "shared and other disks: $beside"; exit 1; }
mesh "${disk[@]}" --together
read -r together _ <<<"$(spans)"
[[ $together = 111 ]] || { echo "together: $together"; exit 1; }
echo "one at a time on $shared, $other beside it; all at once with --together"
