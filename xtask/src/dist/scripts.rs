//! What runs on the host that installs: small, for `/bin/sh`, and never the start of a service.

/// The user, from sysusers.d; where systemd-sysusers is not there (EL 7 has it in its own package, containers have
/// none), by the tools of shadow. A host without either keeps the responder for root's own use.
macro_rules! user {
    () => {
        "if command -v systemd-sysusers >/dev/null 2>&1; then
    systemd-sysusers fullwire.conf || :
elif ! getent passwd fullwire >/dev/null 2>&1 && command -v useradd >/dev/null 2>&1; then
    getent group fullwire >/dev/null 2>&1 || groupadd -r fullwire || :
    useradd -r -g fullwire -d /var/lib/fullwire -s /sbin/nologin -c 'fullwire responder' fullwire || :
fi
if getent group fullwire >/dev/null 2>&1; then chgrp fullwire /etc/fullwire; fi
if command -v systemd-tmpfiles >/dev/null 2>&1; then systemd-tmpfiles --create fullwire.conf || :; fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload || :; fi
"
    };
}

/// Units that someone enabled are stopped before their program goes.
macro_rules! stop {
    () => {
        "if [ -d /run/systemd/system ]; then
    for unit in fullwire-serve fullwire-record; do
        systemctl --no-reload disable --now $unit.service >/dev/null 2>&1 || :
    done
fi
"
    };
}

/// What someone started goes on with the new program; what no one started stays stopped.
macro_rules! restart {
    () => {
        "if [ -d /run/systemd/system ]; then
    for unit in fullwire-serve fullwire-record; do systemctl try-restart $unit.service >/dev/null 2>&1 || :; done
fi
"
    };
}

/// The directory that tmpfiles.d made goes when nothing is in it; the user stays, for files may be its.
macro_rules! clean {
    () => {
        "if [ -d /run/systemd/system ]; then systemctl daemon-reload || :; fi
"
    };
}

/// Debian's.
pub(super) const DEB: [(&str, &str); 3] = [
    (
        "postinst",
        concat!(
            "#!/bin/sh\nset -e\nif [ \"$1\" = configure ]; then\n",
            user!(),
            "if [ -n \"$2\" ]; then\n",
            restart!(),
            "fi\nfi\n"
        ),
    ),
    ("prerm", concat!("#!/bin/sh\nset -e\nif [ \"$1\" = remove ]; then\n", stop!(), "fi\n")),
    (
        "postrm",
        concat!(
            "#!/bin/sh\nset -e\n",
            clean!(),
            "if [ \"$1\" = purge ] && [ -d /var/lib/fullwire ]; then rmdir --ignore-fail-on-non-empty /var/lib/fullwire/record /var/lib/fullwire/serve /var/lib/fullwire 2>/dev/null || :; fi\n"
        ),
    ),
];

/// rpm's: `$1` is how many versions are there afterwards.
pub(super) const RPM: [(&str, &str); 3] = [
    ("post", concat!(user!(), "if [ \"$1\" -gt 1 ]; then\n", restart!(), "fi\n")),
    ("preun", concat!("if [ \"$1\" -eq 0 ]; then\n", stop!(), "fi\n")),
    (
        "postun",
        concat!(
            clean!(),
            "if [ \"$1\" -eq 0 ] && [ -d /var/lib/fullwire ]; then rmdir --ignore-fail-on-non-empty /var/lib/fullwire/record /var/lib/fullwire/serve /var/lib/fullwire 2>/dev/null || :; fi\n"
        ),
    ),
];

/// The tar's. `DESTDIR` stages, `--remove` takes back what it put there. No name of a file has a blank.
pub(super) const INSTALL: &str = concat!(
    "#!/bin/sh
# ./install.sh                            installs below /; as root
# /usr/share/fullwire/install.sh --remove removes what it installed
# DESTDIR=DIR ./install.sh                stages below DIR: no user is made, no service is told
set -eu
cd \"$(dirname \"$0\")\"
root=${DESTDIR:-}
files=$(cat files)
if [ \"${1:-}\" = --remove ]; then
    if [ -z \"$root\" ]; then
",
    stop!(),
    "    fi
    for file in $files; do rm -f \"$root/$file\"; done
    for folder in etc/fullwire var/lib/fullwire/record var/lib/fullwire/serve var/lib/fullwire usr/share/fullwire/monitoring usr/share/fullwire \\
        usr/share/doc/fullwire usr/share/licenses/fullwire; do
        rmdir \"$root/$folder\" 2>/dev/null || :
    done
    exit 0
fi
for file in $files; do
    mkdir -p \"$root/$(dirname \"$file\")\"
    # Beside it and renamed: a program that runs is replaced, not written to.
    cp -P \"$file\" \"$root/$file.new\"
    if [ -x \"$file\" ]; then chmod 0755 \"$root/$file.new\"; else chmod 0644 \"$root/$file.new\"; fi
    mv -f \"$root/$file.new\" \"$root/$file\"
done
mkdir -p \"$root/etc/fullwire\"
chmod 0750 \"$root/etc/fullwire\"
if [ -n \"$root\" ]; then exit 0; fi
",
    user!()
);
