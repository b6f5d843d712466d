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
cat >"$space/root/play/play.yml" <<PLAY
- hosts: localhost
  connection: local
  gather_facts: false
  roles:
    - role: fullwire
      fullwire_key: a-key-of-the-test-alone
      fullwire_manage_services: false
PLAY
play() { chroot "$space/root" env HOME=/root LC_ALL=C.UTF-8 ANSIBLE_NOCOWS=1 ANSIBLE_PIPELINING=1 ansible-playbook -i localhost, -e ansible_python_interpreter=/usr/bin/python3 /play/play.yml "$@" 2>&1; }
# `changed=N` of the recap; the whole output where something failed.
changed() { out=$(play "$@") || { echo "$out"; exit 1; }; echo "$out" | sed -n 's/.*changed=\([0-9]*\).*/\1/p' | tail -1; }
package() { echo "fullwire_package=/play/$(basename "$1") fullwire_sha256=${2:-$(sha256sum "$1" | cut -d' ' -f1)}"; }
is_installed() { [ -x "$space/root/usr/bin/fullwire" ] && [ -s "$space/root/etc/fullwire/key" ]; }
is_gone() { [ ! -e "$space/root/usr/bin/fullwire" ] && [ ! -e "$space/root/etc/fullwire" ]; }

# Each run takes some five seconds of CPU. Once a release is noted its kind is asked for no more: what changes nothing is tried
# with one of the kinds.
wrong=$(play -e fullwire_state=present -e "$(package "$deb" "$(printf %064d 0)")") && { echo "a wrong sum was installed: $wrong"; exit 1; }
is_gone || { echo "what has a wrong sum was installed"; exit 1; }
# Check mode on a host that has nothing yet says what would change, and changes nothing.
would=$(changed -e fullwire_state=responder -e "$(package "$deb")" --check)
is_gone || { echo "check mode changed the host"; exit 1; }
first=$(changed -e fullwire_state=responder -e "$(package "$deb")")
is_installed || { echo "the deb is not installed"; exit 1; }
second=$(changed -e fullwire_state=responder -e "$(package "$deb")")
checked=$(changed -e fullwire_state=responder -e "$(package "$deb")" --check)
removed=$(changed -e fullwire_state=absent)
is_gone || { echo "absent left something of the deb"; exit 1; }
unpacked=$(changed -e fullwire_state=responder -e "$(package "$tar")")
is_installed || { echo "the archive is not installed"; exit 1; }
taken_back=$(changed -e fullwire_state=absent)
is_gone || { echo "absent left something of the archive"; exit 1; }
again=$(changed -e fullwire_state=absent)
echo "would $would deb $first $removed archive $unpacked $taken_back; second $second check $checked again $again"
