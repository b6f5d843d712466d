# Boots a Debian userland with its own systemd (systemd-nspawn), installs the deb there, and does what an administrator
# does: starts the responder and the recorder, measures, upgrades, removes; then the same by the Ansible role, where the
# userland has Ansible. The caller made a mount namespace; nothing is written below the root itself.
root=$1 old=$2 new=$3 sum=$4 roles=$5
space=$(mktemp -d)
trap 'umount -R "$space" && rmdir "$space"' EXIT
mount -t tmpfs tmpfs "$space"
mkdir "$space/upper" "$space/work" "$space/root"
mount -t overlay overlay -o "lowerdir=$root,upperdir=$space/upper,workdir=$space/work" "$space/root"
mkdir "$space/root/trial"
cp "$old" "$space/root/trial/old.deb"
cp "$new" "$space/root/trial/new.deb"
cp -r "$roles" "$space/root/trial/roles"
cat >"$space/root/trial/play.yml" <<PLAY
- hosts: localhost
  connection: local
  gather_facts: false
  roles:
    - role: fullwire
      fullwire_package: /trial/new.deb
      fullwire_sha256: "$sum"
      fullwire_key: a-key-of-the-test-alone
PLAY
cat >"$space/root/trial/run" <<'RUN'
#!/bin/bash
# Ends the machine whatever happens.
trap 'echo "status $?" >>/trial/said; systemctl --no-block exit || systemctl --no-block poweroff' EXIT
exec >>/trial/said 2>&1
set -eu
export LC_ALL=C.UTF-8 HOME=/root
units='fullwire-serve fullwire-record'
state() { for unit in $units; do echo "$unit $(systemctl is-active $unit || :) $(systemctl is-enabled $unit 2>/dev/null || :)"; done; }
expect() { [ "$(state | tr '\n' ' ')" = "$1 " ] || { echo "expected $1"; state; systemctl --no-pager status $units || :; journalctl --no-pager -n 60; exit 1; }; }
of() { echo "fullwire-serve $1 fullwire-record $1"; }
measure() { fullwire net localhost:5555 --mode rtt --duration 200ms --key-file /etc/fullwire/key --no-store --fail-on never >/trial/net || { cat /trial/net; exit 1; }; }

systemctl --version | head -1
dpkg -i /trial/old.deb >/dev/null
expect "$(of 'inactive disabled')"
printf 'a-key-of-the-test-alone\n' >/etc/fullwire/key
chgrp fullwire /etc/fullwire/key
chmod 0640 /etc/fullwire/key
systemctl start $units
sleep 5
expect "$(of 'active disabled')"
measure
before=$(systemctl show --property MainPID fullwire-serve)
dpkg -i /trial/new.deb >/dev/null
sleep 3
expect "$(of 'active disabled')"
[ "$before" != "$(systemctl show --property MainPID fullwire-serve)" ]
measure
systemctl stop fullwire-record
fullwire replay /var/lib/fullwire/record --judge --fail-on never | head -3
fullwire export --openmetrics --recording /var/lib/fullwire/record --window 3s | grep '^fullwire_run_info'
# `security` is younger than the systemd of EL 8's first releases.
for unit in $units; do systemd-analyze security --no-pager $unit.service 2>/dev/null | tail -1 || :; done
journalctl --no-pager -p warning -u fullwire-serve -u fullwire-record
dpkg -P fullwire >/dev/null
for unit in $units; do if systemctl is-active $unit; then exit 1; fi; done
echo 'the deb: installed, started, upgraded, removed'
rm -rf /var/lib/fullwire /etc/fullwire

if command -v ansible-playbook >/dev/null; then
    play() { ansible-playbook -i localhost, /trial/play.yml "$@" >/trial/played 2>&1 || { cat /trial/played >&2; exit 1; }; sed -n 's/.*changed=\([0-9]*\).*/\1/p' /trial/played | tail -1; }
    again() {
        first=$(play -e "fullwire_state=$1")
        checked=$(play -e "fullwire_state=$1" --check)
        second=$(play -e "fullwire_state=$1")
        echo "the role, $1: $first changed, then in check mode $checked, then $second"
        [ "$checked" = 0 ] && [ "$second" = 0 ]
    }
    first=$(play -e fullwire_state=present --check)
    [ "$first" -gt 0 ]
    [ ! -e /usr/bin/fullwire ]
    again present
    expect "$(of 'inactive disabled')"
    again responder
    again recorder
    sleep 2
    expect "$(of 'active enabled')"
    measure
    again absent
    [ ! -e /usr/bin/fullwire ]
fi
echo 'all done'
RUN
chmod 0755 "$space/root/trial/run"
cat >"$space/root/etc/systemd/system/trial.service" <<'UNIT'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
StandardOutput=journal
ExecStart=/trial/run
TimeoutStartSec=1740
UNIT
mkdir -p "$space/root/etc/systemd/system/default.target.wants"
ln -s ../trial.service "$space/root/etc/systemd/system/default.target.wants/trial.service"
timeout 1800 systemd-nspawn --quiet --register=no --keep-unit --private-network --directory="$space/root" --boot >"$space/console" 2>&1 || :
# A script that is ended from outside may say status 0.
if ! grep -qx 'all done' "$space/root/trial/said"; then
    cat "$space/root/trial/said" || tail -20 "$space/console"
    exit 1
fi
grep -v -x -e 'status 0' -e 'all done' "$space/root/trial/said"
