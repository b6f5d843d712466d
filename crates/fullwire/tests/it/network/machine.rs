//! A machine of its own: its own network, its own files (this machine's below an overlay) and a real sshd; with its own systemd
//! or without one.

use super::ssh::ssh_with_own_configuration;
use crate::skips::{installed, is_root};
use crate::tool::{PROGRAM, Running};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

pub(crate) const SOON: Duration = Duration::from_secs(120);

/// Runs as the first process of a mount namespace. Arguments: folder, network namespace, how it is begun.
const BEGIN: &str = r#"
set -eu
folder=$1 namespace=$2 how=$3
mount -t tmpfs tmpfs "$folder/space"
cd "$folder/space"
mkdir upper work root
mount -t overlay overlay -o "lowerdir=/,upperdir=$PWD/upper,workdir=$PWD/work" root
mkdir root/etc/machine
cp "$folder/host" "$folder/user.pub" "$folder/sshd_config" root/etc/machine/
rm -f root/usr/bin/fullwire
# At each shutdown it would build an initramfs, for half of what a boot takes; this machine has no kernel of its own.
mkdir -p root/etc/systemd/system
ln -sf /dev/null root/etc/systemd/system/dracut-shutdown.service
if [ "$how" = systemd ]; then
    cat >root/etc/systemd/system/machine-ssh.service <<UNIT
[Service]
ExecStartPre=/bin/mkdir -p /run/sshd
ExecStart=/usr/sbin/sshd -D -e -f /etc/machine/sshd_config
UNIT
    printf '[Unit]\nWants=basic.target machine-ssh.service\n' >root/etc/systemd/system/machine.target
    trap 'kill -TERM "$child"' TERM
    end=133
    # Its network has settings of its own, which it may change.
    export SYSTEMD_NSPAWN_API_VFS_WRITABLE=network
    while [ $end = 133 ]; do # it wants to boot again
        # CAP_SYS_TIME: without it nothing there may ask how the kernel keeps the clock.
        systemd-nspawn --quiet --register=no --keep-unit --capability=CAP_SYS_TIME --network-namespace-path="/run/netns/$namespace" \
            --directory="$PWD/root" --boot systemd.unit=machine.target &
        child=$!
        # A signal ends the wait and not the machine.
        while wait "$child" && end=0 || end=$?; kill -0 "$child" 2>/dev/null; do :; done
    done
    exit
fi
mount -t tmpfs tmpfs root/run
mkdir root/run/sshd
mount --rbind /dev root/dev
mount -t proc proc root/proc
exec ip netns exec "$namespace" chroot root /usr/sbin/sshd -D -e -f /etc/machine/sshd_config
"#;

/// A machine that can be reached by ssh alone.
pub(crate) struct Machine {
    namespace: String,
    pub(crate) address: String,
    /// The system's ssh with the test's own keys.
    bin: PathBuf,
    /// Ended before its network.
    process: Option<Running>,
}

impl Machine {
    /// `None`, said aloud, where it cannot be had. `number`: of its network.
    pub(crate) fn begin(folder: &Path, number: u8, systemd: bool) -> Option<Self> {
        let needed = ["ip", "sshd", "ssh", "unshare"].into_iter().chain(systemd.then_some("systemd-nspawn"));
        if !needed.into_iter().all(installed) {
            return None;
        }
        if !is_root() {
            return None;
        }
        keys(folder);
        let namespace = format!("fwm{number}x{}", std::process::id() % 100_000);
        let address = format!("10.79.{number}.2");
        let near = format!("fwm{number}n{}", std::process::id() % 100_000);
        ip(&format!("netns add {namespace}"));
        ip(&format!("link add {near} type veth peer name host0 netns {namespace}"));
        ip(&format!("addr add 10.79.{number}.1/24 dev {near}"));
        ip(&format!("link set {near} up"));
        ip(&format!("-n {namespace} addr add {address}/24 dev host0"));
        ip(&format!("-n {namespace} link set host0 up"));
        ip(&format!("-n {namespace} link set lo up"));
        let bin = ssh_with_own_configuration(folder);
        std::fs::create_dir(folder.join("space")).unwrap();
        let log = std::fs::File::create(folder.join("machine.log")).unwrap();
        let process = Command::new("unshare")
            .args(["--mount", "--propagation", "private", "sh", "-c", BEGIN, "sh"])
            .arg(folder)
            .args([namespace.as_str(), if systemd { "systemd" } else { "bare" }])
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let machine = Self { namespace, address, bin, process: Some(Running(process)) };
        let said = || std::fs::read_to_string(folder.join("machine.log")).unwrap_or_default();
        machine.is_up(&[], &said);
        Some(machine)
    }

    pub(crate) fn path(&self) -> String {
        format!("{}:{}", self.bin.display(), std::env::var("PATH").unwrap())
    }

    /// Puts a program there.
    pub(crate) fn put(&self, program: &Path, to: &str) {
        let mut command = self.command(&format!("cat >{to} && chmod 755 {to}"));
        let status = command.stdin(std::fs::File::open(program).unwrap()).status();
        assert!(status.unwrap().success());
    }

    /// Boots the same root again.
    pub(crate) fn reboot(&self) {
        let before = self.boot();
        self.ssh("systemctl reboot");
        self.is_up(&before, &String::new);
    }

    /// What names its boot; empty: it does not answer.
    fn boot(&self) -> Vec<u8> {
        self.ssh("cat /proc/sys/kernel/random/boot_id").stdout
    }

    /// Waits for a boot that is not this one.
    fn is_up(&self, before: &[u8], said: &dyn Fn() -> String) {
        let begun = std::time::Instant::now();
        loop {
            let boot = self.boot();
            if !boot.is_empty() && boot != before {
                return;
            }
            assert!(begun.elapsed() < SOON, "no ssh: {}", said());
            std::thread::sleep(Duration::from_millis(300));
        }
    }

    /// What this says there.
    pub(crate) fn ssh(&self, script: &str) -> Output {
        self.command(script).stdin(Stdio::null()).output().unwrap()
    }

    fn command(&self, script: &str) -> Command {
        let target = format!("root@{}", self.address);
        let mut command = Command::new(self.bin.join("ssh"));
        command.args(["-o", "BatchMode=yes", "-o", "ConnectTimeout=5", &target, script]);
        command
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // Without its own process namespace it leaves behind what was started there.
        let pids = Command::new("ip").args(["netns", "pids", &self.namespace]).output();
        if let Some(mut process) = self.process.take() {
            // A machine with systemd is shut down by it.
            process.signal("-TERM");
            let _ = process.ends_within(Duration::from_secs(20));
        }
        for pid in pids.iter().flat_map(|output| {
            String::from_utf8_lossy(&output.stdout)
                .into_owned()
                .lines()
                .map(str::to_owned)
                .collect::<Vec<String>>()
        }) {
            let _ = Command::new("kill").args(["-9", &pid]).stderr(Stdio::null()).status();
        }
        let _ = Command::new("ip").args(["netns", "del", &self.namespace]).status();
    }
}

fn ip(words: &str) {
    assert!(Command::new("ip").args(words.split(' ')).status().unwrap().success(), "{words}");
}

fn keys(folder: &Path) {
    for key in ["host", "user"] {
        let file = folder.join(key).display().to_string();
        let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f", &file]).status();
        assert!(made.unwrap().success());
    }
    let config = "Port 22\nHostKey /etc/machine/host\nAuthorizedKeysFile /etc/machine/user.pub\nPidFile none\nStrictModes no\n\
                  UsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\n";
    std::fs::write(folder.join("sshd_config"), config).unwrap();
}

/// The program without its line tables, as it would be installed.
pub(crate) fn slim(folder: &Path) -> PathBuf {
    let slim = folder.join("fullwire");
    let stripped = Command::new("strip").arg("-o").arg(&slim).arg(PROGRAM).status();
    if !stripped.is_ok_and(|status| status.success()) {
        std::fs::copy(PROGRAM, &slim).unwrap();
    }
    slim
}
