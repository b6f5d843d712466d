# Installs, upgrades, removes and purges two debs (old, new) on this machine's file system below an overlay: the upper
# layer takes what changes and goes with the mount namespace that the caller made.
old=$1 new=$2
version() { dpkg-deb --field "$1" Version; }
space=$(mktemp -d)
trap 'umount -R "$space" && rmdir "$space"' EXIT
mount -t tmpfs tmpfs "$space"
mkdir "$space/upper" "$space/work" "$space/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$space/upper,workdir=$space/work" "$space/root"
# What this machine has of fullwire is not what the package leaves.
rm -rf "$space/root/var/lib/fullwire" "$space/root/etc/fullwire"
cp "$old" "$space/root/old.deb"
cp "$new" "$space/root/new.deb"
mount -t proc proc "$space/root/proc"
mount -t tmpfs tmpfs "$space/root/run"
inside() { chroot "$space/root" "$@"; }
changed() { (cd "$space/upper" && find . -path ./var/lib/dpkg -prune -o -path ./var/log -prune -o -path ./var/cache -prune -o -path ./tmp -prune -o -path ./dev -prune -o ! -type d -print | sort); }

inside dpkg --no-triggers -i /old.deb >/dev/null 2>&1
inside sh -c "dpkg -s fullwire | grep -qx 'Version: $(version "$old")' && fullwire --version >/dev/null"
inside sh -c 'test "$(stat -c %U:%G:%a /etc/fullwire)" = root:fullwire:750'
inside sh -c 'test "$(stat -c %U:%G:%a /var/lib/fullwire /var/lib/fullwire/record | tr "\n" " ")" = "root:root:755 fullwire:fullwire:750 "'
echo "the user's" >"$space/root/etc/fullwire/key"
inside dpkg --no-triggers -i /new.deb >/dev/null 2>&1
inside sh -c "dpkg -s fullwire | grep -qx 'Version: $(version "$new")' && fullwire --version >/dev/null"
inside dpkg --verify fullwire
inside test -e /etc/fullwire/key
if inside find /etc/systemd -name 'fullwire*' | grep -q .; then echo "a unit is enabled" && exit 1; fi
inside dpkg --no-triggers -r fullwire >/dev/null 2>&1
inside test -e /etc/fullwire/key
rm "$space/root/etc/fullwire/key"
inside dpkg --no-triggers -P fullwire >/dev/null 2>&1
# The user stays, as everywhere: files may be its.
left=$(changed | grep -v -x -e ./var/lib/fullwire -e ./etc/fullwire | grep -v -E '^\./(etc/(passwd|group|shadow|gshadow|subuid|subgid)-?|etc/\.pwd\.lock|(old|new)\.deb|etc/ld\.so\.cache)$' || :)
if [ -n "$left" ]; then echo "left: $left" && exit 1; fi
if [ -d "$space/root/var/lib/fullwire" ] || [ -d "$space/root/etc/fullwire" ]; then echo "a directory is left" && exit 1; fi
echo "nothing is left but what the user made"
