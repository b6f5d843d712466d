# Runs the Ansible role against this machine's own file system below an overlay, with a local connection from inside of
# it. No systemd runs there: services are not managed, which is the role's own switch.
package=$1 sum=$2 roles=$3
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
cp "$package" "$space/root/play/"
cat >"$space/root/play/play.yml" <<PLAY
- hosts: localhost
  connection: local
  gather_facts: false
  roles:
    - role: fullwire
      fullwire_package: /play/$(basename "$package")
      fullwire_sha256: "$sum"
      fullwire_key: a-key-of-the-test-alone
      fullwire_manage_services: false
PLAY
play() { chroot "$space/root" env HOME=/root LC_ALL=C.UTF-8 ANSIBLE_NOCOWS=1 ANSIBLE_PIPELINING=1 ansible-playbook -i localhost, /play/play.yml "$@" 2>&1; }
# `changed=N` of the recap; the whole output where something failed.
changed() { out=$(play "$@") || { echo "$out"; exit 1; }; echo "$out" | sed -n 's/.*changed=\([0-9]*\).*/\1/p' | tail -1; }

# Each run of Ansible takes some five seconds of CPU: what no kind of package changes is tried with one.
case $package in
*.deb)
    wrong=$(play -e fullwire_state=present -e "fullwire_sha256=$(printf %064d 0)") && { echo "a wrong sum was installed: $wrong"; exit 1; }
    [ ! -e "$space/root/usr/bin/fullwire" ]
    # Check mode on a host that has nothing yet says what would change, and changes nothing.
    would=$(changed -e fullwire_state=responder --check)
    [ "$would" -gt 0 ]
    [ ! -e "$space/root/usr/bin/fullwire" ]
    ;;
esac
first=$(changed -e fullwire_state=responder)
[ -x "$space/root/usr/bin/fullwire" ]
[ -s "$space/root/etc/fullwire/key" ]
second=$(changed -e fullwire_state=responder)
checked=$(changed -e fullwire_state=responder --check)
removed=$(changed -e fullwire_state=absent)
# With `set -e` a list ends nothing.
if [ -e "$space/root/usr/bin/fullwire" ] || [ -e "$space/root/etc/fullwire" ]; then
    echo "absent left something:" && play -e fullwire_state=absent -v && exit 1
fi
again=$(changed -e fullwire_state=absent)
echo "first $first second $second check $checked removed $removed again $again"
