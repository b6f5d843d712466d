# Installs, verifies, upgrades and erases two rpms (old, new) below a root that has a shell and nothing else of an EL host.
# The caller made a mount namespace.
old=$1 new=$2
space=$(mktemp -d)
trap 'umount -R "$space" && rmdir "$space"' EXIT
mount -t tmpfs tmpfs "$space"
mkdir "$space/upper" "$space/work" "$space/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$space/upper,workdir=$space/work" "$space/root"
# What this machine has of fullwire is not what the package leaves.
rm -rf "$space/root/var/lib/fullwire" "$space/root/etc/fullwire"
mount -t proc proc "$space/root/proc"
mount -t tmpfs tmpfs "$space/root/run"
inside() { chroot "$space/root" "$@"; }
# Debian's rpm stops where dpkg rules unless it is told a database.
rpm="rpm --root $space/root --define '_dbpath /var/lib/rpm-of-test'"
run() { eval "$rpm $*"; }
changed() { (cd "$space/upper" && find . \( -path ./var/lib/rpm-of-test -o -path ./tmp -o -path ./dev -o -path ./host \) -prune -o ! -type d -print | sort); }

# What the host's own packages would provide.
mkdir "$space/host"
printf 'Name: host\nVersion: 1\nRelease: 1\nSummary: a host\nLicense: none\nProvides: /bin/sh\nBuildArch: noarch\n%%description\n.\n%%files\n' >"$space/host/host.spec"
rpmbuild -bb --quiet --define "_rpmdir $space/host" --define "_topdir $space/host/top" --define "_dbpath $space/host/db" "$space/host/host.spec"
run --initdb
run --install --force-debian "$space/host/noarch/host-1-1.noarch.rpm"

run --install --force-debian --nosignature "$old"
inside fullwire --version >/dev/null
inside sh -c 'test "$(stat -c %U:%G:%a /etc/fullwire)" = root:fullwire:750'
inside sh -c 'test "$(stat -c %U:%G:%a /var/lib/fullwire /var/lib/fullwire/record | tr "\n" " ")" = "root:root:755 fullwire:fullwire:750 "'
echo "the user's" >"$space/root/etc/fullwire/key"
run --upgrade --force-debian --nosignature "$new"
[ "$(run --query fullwire)" = "$(basename "$new" .rpm)" ]
inside fullwire --version >/dev/null
# The group of the key's directory is the responder's, which no package can name before it made it.
wrong=$(run --verify --nosignature fullwire | grep -v -E '^\.{5}UG?\.+ +/etc/fullwire$|^\.{6}G\.+ +/etc/fullwire$' || :)
if [ -n "$wrong" ]; then echo "rpm --verify: $wrong" && exit 1; fi
if inside find /etc/systemd -name 'fullwire*' | grep -q .; then echo "a unit is enabled" && exit 1; fi
run --erase --force-debian fullwire
inside test -e /etc/fullwire/key
rm "$space/root/etc/fullwire/key"
rmdir "$space/root/etc/fullwire" 2>/dev/null || :
# The user stays, as everywhere: files may be its.
left=$(changed | grep -v -x -e ./var/lib/fullwire -e ./etc/fullwire | grep -v -E '^\./etc/((passwd|group|shadow|gshadow|subuid|subgid)-?|\.pwd\.lock|ld\.so\.cache)$' || :)
if [ -n "$left" ]; then echo "left: $left" && exit 1; fi
if [ -d "$space/root/var/lib/fullwire" ]; then echo "a directory is left" && exit 1; fi
echo "nothing is left but what the user made"
