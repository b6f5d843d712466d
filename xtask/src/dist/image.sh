# Unpacks an image for an architecture and runs what it starts, as the user that it names, alone in the image's files.
# The caller made a mount namespace.
image=$1 arch=$2
shift 2
space=$(mktemp -d)
trap 'cd / && umount -R "$space" && rmdir "$space"' EXIT
mount -t tmpfs tmpfs "$space"
cd "$space" || exit 1
skopeo --insecure-policy copy --quiet --override-arch "$arch" "oci-archive:$image" "dir:$space/copy"
mkdir root
python3 - <<'UNPACK'
import json, tarfile
manifest = json.load(open("copy/manifest.json"))
blob = lambda one: "copy/" + one["digest"].split(":")[1]
config = json.load(open(blob(manifest["config"])))["config"]
layer, = manifest["layers"]
with tarfile.open(blob(layer)) as files:
    assert all(one.uid == 0 and one.gid == 0 for one in files.getmembers())
    files.extractall("root")
assert config["User"] == "65534:65534", config
open("entry", "w").write(" ".join(config["Entrypoint"]))
UNPACK
mkdir -p root/proc root/sys
mount -t proc proc root/proc
entry=$(cat entry)
run() { env -i PATH=/usr/bin FULLWIRE_STORE=/tmp/fullwire.db /usr/sbin/chroot --userspec=65534:65534 root "$@"; }
for words in "$@"; do
    # shellcheck disable=SC2086 # words of a command line
    run $entry $words >said || { cat said; echo "$entry $words failed"; exit 1; }
    echo "image $arch: $entry $words: $(head -1 said | cut -c1-80)"
done
