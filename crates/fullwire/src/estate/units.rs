//! The units of an estate: each as a user without privileges, in a sandbox. They start on systemd 219 (EL 7) as well: what
//! an old one does not know it logs and leaves out, and nothing here needs it.

use std::path::Path;

/// The user of the agent and of the coordinator.
pub(super) const USER: &str = "fullwire";
/// The user of the NATS server.
pub(super) const NATS_USER: &str = "nats";
/// Where the agent keeps its results: its own alone.
pub(super) const AGENT_STATE: &str = "/var/lib/fullwire/agent";
/// The agent's credential.
pub(super) const AGENT_CREDENTIAL: &str = "/etc/fullwire/agent.json";

/// What none of them needs.
const SANDBOX: &str = "UMask=0077
CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
# Before 232 the second word is unknown, and the first one counts.
ProtectSystem=full
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateMounts=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
RemoveIPC=yes
KeyringMode=private
SystemCallArchitectures=native
# A list of what is forbidden: before 231 groups are unknown and left out, and a list of what is allowed would then allow
# nothing.
SystemCallFilter=~@clock @cpu-emulation @debug @module @mount @obsolete @privileged @raw-io @reboot @resources @swap
# They raise their own soft limit of open files (within @resources).
SystemCallFilter=prlimit64 setrlimit
SystemCallErrorNumber=EPERM
";

/// For those that read nothing of this host.
const BLIND: &str = "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
PrivateDevices=yes
ProtectKernelLogs=yes
ProtectProc=invisible
ProcSubset=pid
";

/// Measures: it reads /proc and /sys, asks the kernel by netlink, and opens files with direct I/O. Neither `ProtectProc` nor
/// `PrivateDevices`, which would hide what it is to read; of the devices themselves it opens the kernel's log alone.
const SEEING: &str = "RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX
DevicePolicy=closed
DeviceAllow=/dev/kmsg r
LimitNOFILE=16384
TasksMax=1024
MemoryMax=1G
";

/// A unit. Its comments come first.
fn unit(comment: &str, description: &str, user: &str, service: &str, sandbox: &str) -> String {
    format!(
        "{comment}[Unit]\nDescription={description}\nAfter=network-online.target\nWants=network-online.target\n\n\
         [Service]\nType=simple\nUser={user}\n{service}\n{SANDBOX}{sandbox}\n\
         [Install]\nWantedBy=multi-user.target\n"
    )
}

/// What the agent's unit runs, for a host without systemd too.
pub(super) fn agent_command() -> String {
    format!("fullwire agent --credential {AGENT_CREDENTIAL} --store {AGENT_STATE}/agent.db")
}

/// For every host; its limits are the host's own business and are here.
pub(super) fn agent() -> String {
    let comment = "# It runs as a user without privileges. What root alone may read of this host is a gap in its runs, as for any\n\
         # other user. To have it, add a drop-in (systemctl edit fullwire-agent) with\n\
         #   [Service]\n\
         #   CapabilityBoundingSet=CAP_SYS_PTRACE CAP_DAC_READ_SEARCH\n\
         #   AmbientCapabilities=CAP_SYS_PTRACE CAP_DAC_READ_SEARCH\n\
         # ProtectClock forbids to ask the kernel how the clock is disciplined: chronyc and timedatectl tell what it would say.\n\
         # Limits of this host belong into a drop-in with an empty ExecStart= and\n\
         #   ExecStart=/usr/bin/fullwire agent ... --between 22:00-05:00 --max-rate 1Gbit --budget 100GB\n\
         # With --allow-disk DIR, also ReadWritePaths=DIR, a directory that belongs to the user fullwire.\n";
    let service = format!(
        "ExecStart=/usr/bin/{}\nRestart=always\nRestartSec=5\nTimeoutStopSec=15\nReadWritePaths=-{AGENT_STATE}\n",
        agent_command()
    );
    unit(comment, "fullwire agent: takes part in the rounds of the estate", USER, &service, SEEING)
}

fn coordinator(dir: &str) -> String {
    let service = format!(
        "ExecStart=/usr/bin/fullwire coordinator --credential {dir}/coordinator.json --listen 127.0.0.1:5556\n\
         Restart=always\nRestartSec=5\nLimitNOFILE=16384\nTasksMax=256\nMemoryMax=2G\n"
    );
    unit("", "fullwire coordinator: plans the rounds of the estate", USER, &service, BLIND)
}

fn nats(dir: &str, store: &str) -> String {
    let service = format!(
        "ExecStart=/usr/local/bin/nats-server -c {dir}/nats-server.conf\nExecReload=/bin/kill -HUP $MAINPID\n\
         Restart=always\nRestartSec=2\nLimitNOFILE=65536\nMemoryMax=2G\n# Where JetStream keeps its files: install -d -o {NATS_USER} {store}\n\
         ReadWritePaths=-{store}\n"
    );
    unit("", "NATS server of the fullwire estate", NATS_USER, &service, BLIND)
}

/// All units, by file name. `store`: where JetStream keeps its files.
pub(super) fn all(dir: &Path, store: &str) -> [(&'static str, String); 3] {
    // systemd knows no working directory.
    let whole =
        |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string();
    let (dir, store) = (whole(dir), whole(Path::new(store)));
    [
        ("fullwire-nats.service", nats(&dir, &store)),
        ("fullwire-coordinator.service", coordinator(&dir)),
        ("fullwire-agent.service", agent()),
    ]
}
