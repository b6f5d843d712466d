//! Hosts of a cluster as network namespaces on one machine: each with a real sshd on its own network for ssh, and
//! an interface on the data network whose cable has a set rate.

use crate::network::ssh::{far_command_lines, ssh_with_own_configuration};
use crate::skips::{installed, is_root};
use crate::tool::{Desk, PROGRAM};
use std::fs::{Permissions, create_dir, create_dir_all, read_dir, read_to_string, set_permissions, write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The version that [`Cluster::start_with`] installs on its other host.
pub(crate) const OTHER_VERSION: &str = "0.9.0";

/// What a cable of the data network carries: slow enough that the machine of the tests is never the limit.
pub(crate) const CABLE: &str = "80mbit";

/// Namespaces, bridges and servers; all of it goes when it is dropped.
pub(crate) struct Cluster {
    pub(crate) desk: Desk,
    tag: String,
    pub(crate) hosts: usize,
    /// 2: the network of ssh is measured as well.
    pub(crate) networks: usize,
    /// Its directories for temporary files are mounted without the right to execute, and it has another version.
    other: Option<usize>,
    sshds: Vec<Child>,
    bin: PathBuf,
    program: PathBuf,
}

impl Cluster {
    /// `None`, said aloud, where namespaces or sshd cannot be had.
    pub(crate) fn start(name: &str, hosts: usize) -> Option<Self> {
        Self::start_with(name, hosts, None)
    }

    /// The same; on host `other` a program that is copied there does not run, and another version is installed.
    pub(crate) fn start_with(name: &str, hosts: usize, other: Option<usize>) -> Option<Self> {
        let needed = ["ip", "tc", "sshd", "ssh", "iptables"];
        if !needed.iter().all(|program| installed(program)) {
            return None;
        }
        if !is_root() {
            return None;
        }
        let desk = Desk::new();
        let folder = desk.work.path().to_owned();
        let tag = format!("fwm{name}{}", std::process::id() % 100_000);
        let mut cluster = Self {
            desk,
            tag,
            hosts,
            networks: 1,
            other,
            sshds: Vec::new(),
            bin: PathBuf::new(),
            program: folder.join("fullwire"),
        };
        cluster.lay_cables();
        cluster.keys(&folder);
        cluster.bin = ssh_with_own_configuration(&folder);
        // Without its line tables the program is a tenth as large: it goes to each host.
        let slim = Command::new("strip").arg("-o").arg(&cluster.program).arg(PROGRAM).status();
        if !slim.is_ok_and(|status| status.success()) {
            std::fs::copy(PROGRAM, &cluster.program).unwrap();
        }
        if other.is_some() {
            cluster.install_other_version();
        }
        for host in 1..=hosts {
            let sshd = cluster.sshd(host, &folder);
            cluster.sshds.push(sshd);
        }
        cluster.wait_for_sshds();
        Some(cluster)
    }

    /// As the power goes: its cables and its sshd.
    pub(crate) fn power_off(&mut self, host: usize) {
        for device in ["eth0", "eth1"] {
            self.run(host, &format!("ip link set {device} down"));
        }
        let _ = self.sshds[host - 1].kill();
    }

    /// The namespace of a host; 0 is where `fullwire mesh` runs.
    pub(crate) fn namespace(&self, host: usize) -> String {
        format!("{}h{host}", self.tag)
    }

    /// Runs a program on a host.
    pub(crate) fn run(&self, host: usize, words: &str) {
        let namespace = self.namespace(host);
        let words: Vec<&str> =
            ["netns", "exec", &namespace].into_iter().chain(words.split_whitespace()).collect();
        assert!(ip(&words), "{words:?}");
    }

    /// The cable toward the data network carries only this.
    pub(crate) fn shape(&self, host: usize, rate: &str) {
        self.run(host, &format!("tc qdisc replace dev eth1 root tbf rate {rate} burst 32k latency 50ms"));
    }

    /// How a host is given on the command line.
    pub(crate) fn spec(&self, host: usize) -> String {
        let second = if self.networks > 1 { format!(",ssh=10.77.0.{host}") } else { String::new() };
        format!("h{host}=root@10.77.0.{host},data=10.78.0.{host}{second}")
    }

    /// `fullwire mesh` for all hosts.
    pub(crate) fn mesh(&self, options: &[&str]) -> Command {
        let mut command = self.desk.program("ip");
        let path = format!("{}:{}", self.bin.display(), std::env::var("PATH").unwrap());
        command.args(["netns", "exec", &self.namespace(0)]).arg(&self.program).arg("mesh").env("PATH", path);
        command.args((1..=self.hosts).map(|host| self.spec(host))).args(options);
        command
    }

    /// Another command of the same program, where `fullwire mesh` runs.
    pub(crate) fn command(&self) -> Command {
        self.desk.program(&self.program)
    }

    /// `ssh` with the keys of these hosts, where `fullwire mesh` runs.
    pub(crate) fn ssh(&self) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace(0)]).arg(self.bin.join("ssh"));
        command
    }

    /// Where a host keeps its temporary files.
    pub(crate) fn far(&self, host: usize) -> PathBuf {
        self.desk.work.path().join(format!("far{host}"))
    }

    /// Nothing of ours is on a host, neither a file nor a process.
    pub(crate) fn is_clean(&self, host: usize) -> bool {
        let files = read_dir(self.far(host)).unwrap().count();
        files == 0 && far_command_lines(&self.far(host)).is_empty() && !self.has_node(host)
    }

    /// A node runs in the namespace, wherever its program is.
    fn has_node(&self, host: usize) -> bool {
        let output = Command::new("ip").args(["netns", "pids", &self.namespace(host)]).output().unwrap();
        let pids = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = pids.lines().filter_map(|pid| read_to_string(format!("/proc/{pid}/cmdline")).ok());
        lines.map(|line| line.replace('\0', " ")).any(|line| line.contains("fullwire node --listen"))
    }

    /// Bytes that a host has sent on the data network.
    pub(crate) fn sent_bytes(&self, host: usize) -> u64 {
        // Read where its sshd lives: no program is started for it, which costs more than a stream.
        let devices = format!("/proc/{}/net/dev", self.sshds[host - 1].id());
        let devices = std::fs::read_to_string(devices).expect("its sshd runs");
        // Eight columns of what was received come first.
        let sent =
            devices.lines().find_map(|line| line.trim().strip_prefix("eth1:")?.split_whitespace().nth(8));
        sent.and_then(|bytes| bytes.parse().ok()).expect("bytes sent over eth1")
    }

    /// Two bridges in their own namespace, and two cables from each host to them.
    fn lay_cables(&self) {
        let switch = format!("{}sw", self.tag);
        assert!(ip(&["netns", "add", &switch]));
        for bridge in ["ssh", "data"] {
            assert!(ip(&["-n", &switch, "link", "add", bridge, "type", "bridge"]));
            assert!(ip(&["-n", &switch, "link", "set", bridge, "up"]));
        }
        for host in 0..=self.hosts {
            let namespace = self.namespace(host);
            assert!(ip(&["netns", "add", &namespace]));
            assert!(ip(&["-n", &namespace, "link", "set", "lo", "up"]));
            let last = if host == 0 { 250 } else { host };
            for (device, bridge, network) in [("eth0", "ssh", 77), ("eth1", "data", 78)] {
                let port = format!("{bridge}{host}");
                let ends = ["link", "add", device, "type", "veth", "peer", "name", &port, "netns", &switch];
                assert!(ip(&[&["-n", &namespace], ends.as_slice()].concat()));
                let address = format!("10.{network}.0.{last}/24");
                assert!(ip(&["-n", &namespace, "addr", "add", &address, "dev", device]));
                assert!(ip(&["-n", &namespace, "link", "set", device, "up"]));
                assert!(ip(&["-n", &switch, "link", "set", &port, "master", bridge, "up"]));
            }
            self.shape(host, CABLE);
            let toward =
                format!("tc qdisc replace dev data{host} root tbf rate {CABLE} burst 32k latency 50ms");
            let words: Vec<&str> =
                ["netns", "exec", &switch].into_iter().chain(toward.split_whitespace()).collect();
            assert!(ip(&words));
        }
    }

    fn keys(&self, folder: &Path) {
        for key in ["host", "user"] {
            let file = folder.join(key).display().to_string();
            let made =
                Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f", &file]).status();
            assert!(made.unwrap().success());
        }
        create_dir_all("/run/sshd").unwrap();
        (1..=self.hosts).for_each(|host| create_dir(self.far(host)).unwrap());
    }

    /// The same program with another version number in it, wherever the number is: whole in its data, or in parts within
    /// an instruction. Both sides speak the same protocol, as two releases do.
    fn install_other_version(&self) {
        let ours = env!("CARGO_PKG_VERSION");
        assert_eq!(ours.len(), OTHER_VERSION.len(), "the number is replaced in place");
        let (head, tail) = ours.split_at(4);
        let mut program = std::fs::read(&self.program).unwrap();
        // Without optimisation a search of our own takes seconds.
        let mut grep = Command::new("grep");
        grep.args(["--only-matching", "--byte-offset", "--text", "--fixed-strings", head]).env("LC_ALL", "C");
        let found = grep.arg(&self.program).output().unwrap().stdout;
        let places = String::from_utf8_lossy(&found);
        for at in places.lines().filter_map(|line| line.split(':').next()?.parse::<usize>().ok()) {
            let near = &program[at + 4..(at + 16).min(program.len())];
            if near.windows(tail.len()).any(|part| part == tail.as_bytes()) {
                program[at..at + 4].copy_from_slice(&OTHER_VERSION.as_bytes()[..4]);
            }
        }
        let folder = self.desk.work.path().join("installed");
        create_dir(&folder).unwrap();
        let file = folder.join("fullwire");
        write(&file, program).unwrap();
        set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
        let version = Command::new(&file).arg("--version").output().unwrap();
        let version = String::from_utf8_lossy(&version.stdout).into_owned();
        assert!(version.contains(OTHER_VERSION), "{version}");
    }

    fn sshd(&self, host: usize, folder: &Path) -> Child {
        let config = folder.join(format!("sshd{host}"));
        let is_other = self.other == Some(host);
        let installed = folder.join("installed").display().to_string();
        let path = if is_other { format!(" PATH={installed}:/usr/bin:/bin") } else { String::new() };
        let text = format!(
            "ListenAddress 10.77.0.{host}\nPort 22\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\nStrictModes no\n\
             UsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\nSetEnv TMPDIR={}{path}\n",
            folder.join("host").display(),
            folder.join("user.pub").display(),
            self.far(host).display()
        );
        write(&config, text).unwrap();
        let namespace = self.namespace(host);
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &namespace]);
        if is_other {
            // In the mount namespace that `ip netns exec` has made.
            let script = "mount -t tmpfs -o noexec none \"$0\" && mount -t tmpfs -o noexec none \"$HOME\" && exec \"$@\"";
            command.args(["sh", "-c", script]).arg(self.far(host));
        }
        command.args(["/usr/sbin/sshd", "-D", "-e", "-f"]).arg(config);
        command.stderr(Stdio::null()).spawn().unwrap()
    }

    fn wait_for_sshds(&self) {
        let deadline = Instant::now() + Duration::from_secs(20);
        for host in 1..=self.hosts {
            let shell = format!("exec 3<>/dev/tcp/10.77.0.{host}/22");
            let namespace = self.namespace(0);
            let connect = ["netns", "exec", &namespace, "bash", "-c", &shell];
            while !Command::new("ip").args(connect).stderr(Stdio::null()).status().unwrap().success() {
                assert!(Instant::now() < deadline, "sshd of host {host} does not listen");
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for sshd in &mut self.sshds {
            let _ = sshd.kill();
            let _ = sshd.wait();
        }
        ip(&["netns", "del", &format!("{}sw", self.tag)]);
        for host in 0..=self.hosts {
            ip(&["netns", "del", &self.namespace(host)]);
        }
    }
}

fn ip(words: &[&str]) -> bool {
    Command::new("ip").args(words).status().is_ok_and(|status| status.success())
}
