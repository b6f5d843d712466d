# Runs the Ansible role against this machine's own file system below an overlay, with a local connection from inside of
# it. No systemd runs there: services are not managed, which is the role's own switch.
deb=$1 tar=$2 roles=$3
space=$(mktemp -d)
trap 'umount -R "$space" && rmdir "$space"' EXIT
mount -t tmpfs tmpfs "$space"
mkdir "$space/upper" "$space/work" "$space/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$space/upper,workdir=$space/work" "$space/root"
mount -t proc proc "$space/root/proc"
mount -t tmpfs tmpfs "$space/root/run"
mount --rbind /dev "$space/root/dev"
mkdir "$space/root/play"
cp -r "$roles" "$space/root/play/roles"
cp "$deb" "$tar" "$space/root/play/"
# Ansible takes more than a second of CPU to start: what follows one another does so in one start, each play on a name of its own
# for this machine.
cat >"$space/root/play/hosts" <<HOSTS
[all]
would
first
second
removed
unpacked
taken_back
again
wrong
HOSTS
installed="'/usr/bin/fullwire' is exists and lookup('ansible.builtin.file', '/etc/fullwire/key') != ''"
gone="'/usr/bin/fullwire' is not exists and '/etc/fullwire' is not exists"
# Name, state, what holds afterwards, package, its sum.
step() {
    cat <<PLAY
- hosts: $1
  connection: local
  gather_facts: false
  roles:
    - role: fullwire
      fullwire_state: $2
      fullwire_package: ${4:+/play/$(basename "$4")}
      fullwire_sha256: "${5:-$([ -z "${4-}" ] || sha256sum "$4" | cut -d' ' -f1)}"
      fullwire_key: a-key-of-the-test-alone
      fullwire_manage_services: false
  post_tasks:
    - ansible.builtin.assert:
        that: ["$3"]
PLAY
}
play() { chroot "$space/root" env HOME=/root LC_ALL=C.UTF-8 ANSIBLE_NOCOWS=1 ANSIBLE_PIPELINING=1 ansible-playbook -i /play/hosts -e ansible_python_interpreter=/usr/bin/python3 /play/play.yml "$@" 2>&1; }
# `changed=N` of the recap; the whole output where something failed.
changed() { echo "$out" | sed -n "s/^$1 .*changed=\([0-9]*\) .*unreachable=0 .*failed=0 .*/\1/p" | grep . || { echo "$out"; exit 1; }; }

# Check mode on a host that has nothing yet says what would change, and changes nothing.
step would responder "$gone" "$deb" >"$space/root/play/play.yml"
out=$(play --check) || { echo "$out"; exit 1; }
would=$(changed would)
# Once a release is noted its kind is asked for no more: what changes nothing is tried with one of the kinds.
{ step first responder "$installed" "$deb" && step second responder "$installed" "$deb"; } >"$space/root/play/play.yml"
out=$(play) || { echo "$out"; exit 1; }
first=$(changed first) second=$(changed second)
out=$(play --check --limit second) || { echo "$out"; exit 1; }
checked=$(changed second)
{
    step removed absent "$gone"
    step unpacked responder "$installed" "$tar"
    step taken_back absent "$gone"
    step again absent "$gone"
    step wrong present "$gone" "$deb" "$(printf %064d 0)"
} >"$space/root/play/play.yml"
out=$(play) && { echo "a wrong sum was installed: $out"; exit 1; }
removed=$(changed removed) unpacked=$(changed unpacked) taken_back=$(changed taken_back) again=$(changed again)
echo "$out" | grep -q '^wrong .*failed=1' || { echo "not of the sum: $out"; exit 1; }
[ ! -e "$space/root/usr/bin/fullwire" ] || { echo "what has a wrong sum was installed"; exit 1; }
echo "would $would deb $first $removed archive $unpacked $taken_back; second $second check $checked again $again"
