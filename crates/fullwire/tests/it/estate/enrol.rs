//! `fullwire estate enrol --ssh` on a machine of its own: its own network, its own files (this machine's below an
//! overlay) and a real sshd; once with its own systemd, once without one.

use super::place::{Bus, Place};
use crate::network::ssh::ssh_with_own_configuration;
use crate::servers::wait_for;
use crate::skips::{given, installed, is_root};
use crate::tool::{PROGRAM, Running, json, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const SOON: Duration = Duration::from_secs(120);

/// Runs as the first process of a mount namespace. Arguments: folder, network namespace, how it is begun.
const BEGIN: &str = r#"
set -eu
folder=$1 namespace=$2 how=$3
mount -t tmpfs tmpfs "$folder/space"
cd "$folder/space"
mkdir upper work root
mount -t overlay overlay -o "lowerdir=/,upperdir=$PWD/upper,workdir=$PWD/work" root
mkdir root/etc/enrol
cp "$folder/host" "$folder/user.pub" "$folder/sshd_config" root/etc/enrol/
rm -f root/usr/bin/fullwire
if [ "$how" = systemd ]; then
    cat >root/etc/systemd/system/enrol-ssh.service <<UNIT
[Service]
ExecStartPre=/bin/mkdir -p /run/sshd
ExecStart=/usr/sbin/sshd -D -e -f /etc/enrol/sshd_config
UNIT
    printf '[Unit]\nWants=basic.target enrol-ssh.service\n' >root/etc/systemd/system/enrol.target
    exec systemd-nspawn --quiet --register=no --keep-unit --network-namespace-path="/run/netns/$namespace" \
        --directory="$PWD/root" --boot systemd.unit=enrol.target
fi
mount -t tmpfs tmpfs root/run
mkdir root/run/sshd
mount --rbind /dev root/dev
mount -t proc proc root/proc
exec ip netns exec "$namespace" chroot root /usr/sbin/sshd -D -e -f /etc/enrol/sshd_config
"#;

/// A machine that can be reached by ssh alone.
struct Machine {
    namespace: String,
    address: String,
    /// The system's ssh with the test's own keys.
    bin: PathBuf,
    /// Ended before its network.
    process: Option<Running>,
}

impl Machine {
    /// `None`, said aloud, where it cannot be had. `number`: of its network.
    fn begin(place: &Place, number: u8, systemd: bool) -> Option<Self> {
        let needed = ["ip", "sshd", "ssh", "unshare"].into_iter().chain(systemd.then_some("systemd-nspawn"));
        if !needed.into_iter().all(installed) {
            return None;
        }
        if !is_root() {
            return None;
        }
        let folder = place.desk.work.path();
        keys(folder);
        let namespace = format!("fwe{number}x{}", std::process::id() % 100_000);
        let address = format!("10.79.{number}.2");
        let near = format!("fwe{number}n{}", std::process::id() % 100_000);
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
        let begun = std::time::Instant::now();
        while !machine.ssh("true").status.success() {
            assert!(begun.elapsed() < SOON, "no ssh: {}", said());
            std::thread::sleep(Duration::from_millis(300));
        }
        Some(machine)
    }

    fn path(&self) -> String {
        format!("{}:{}", self.bin.display(), std::env::var("PATH").unwrap())
    }

    /// What this says there.
    fn ssh(&self, script: &str) -> Output {
        let target = format!("root@{}", self.address);
        let mut command = Command::new(self.bin.join("ssh"));
        command.args(["-o", "BatchMode=yes", "-o", "ConnectTimeout=5", &target, script]);
        command.stdin(Stdio::null()).output().unwrap()
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
    let config = "Port 22\nHostKey /etc/enrol/host\nAuthorizedKeysFile /etc/enrol/user.pub\nPidFile none\nStrictModes no\n\
                  UsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\n";
    std::fs::write(folder.join("sshd_config"), config).unwrap();
}

/// The program without its line tables, as it would be installed.
fn slim(place: &Place) -> PathBuf {
    let slim = place.path("fullwire");
    let stripped = Command::new("strip").arg("-o").arg(&slim).arg(PROGRAM).status();
    if !stripped.is_ok_and(|status| status.success()) {
        std::fs::copy(PROGRAM, &slim).unwrap();
    }
    slim
}

/// Enrols the machine as `db2`, in one command; what it said.
fn enrol(place: &Place, machine: &Machine) -> String {
    let mut command = place.desk.program(slim(place));
    let target = format!("root@{}", machine.address);
    command.args([
        "estate",
        "enrol",
        "db2",
        "--dir",
        "estate",
        "--ssh",
        &target,
        "--address",
        &machine.address,
    ]);
    let output = command.env("PATH", machine.path()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    stderr(&output)
}

/// This machine as `db1`.
fn near(place: &Place, number: u8) -> Running {
    let address = format!("10.79.{number}.1");
    let enrolled = place.desk.run(&["estate", "enrol", "db1", "--dir", "estate", "--address", &address]);
    assert!(enrolled.status.success(), "{}", stderr(&enrolled));
    let listen = format!("{address}:0");
    let mut command = place.desk.command();
    command.args(["agent", "--credential", "db1.json", "--store", "db1.db", "--listen", &listen]);
    Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

/// A round over both measures both ways.
fn measures(place: &Place) {
    let round = place.once(&["--duration", "1s", "--max-rate", "20MB"]);
    let round = json(&round);
    let cells = round["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 2, "{round:#}");
    assert!(cells.iter().all(|cell| cell["state"] == "measured"), "{:#}", round["cells"]);
    assert_eq!(round["hosts"][1]["version"], env!("CARGO_PKG_VERSION"));
}

/// An audit and a measurement of storage in the agent's own unit, and the same by the same user outside of it.
const BOTH_WAYS: &str = r#"
set -eu
cd /var/lib/fullwire/agent
check="/usr/bin/fullwire check --window 300ms --no-store --quiet --fail-on never --json-file"
disk="/usr/bin/fullwire disk /var/lib/fullwire/agent --duration 300ms --size 16M --no-store --quiet --fail-on never --json-file"
for what in check disk; do
    eval "words=\$$what"
    sed -e "s|^ExecStart=.*|ExecStart=$words /var/lib/fullwire/agent/$what-in.json|" -e s/^Type=.*/Type=oneshot/ -e /^Restart/d \
        /etc/systemd/system/fullwire-agent.service >/run/systemd/system/both-ways.service
    systemctl daemon-reload
    systemctl start both-ways.service
    setpriv --reuid=fullwire --regid=fullwire --clear-groups $words /var/lib/fullwire/agent/$what-out.json >/dev/null
    cat $what-in.json
    echo
    echo ---
    cat $what-out.json
    echo
    echo ---
done
"#;

fn the_sandbox_hides_nothing(machine: &Machine) {
    let both = machine.ssh(BOTH_WAYS);
    let journal = || stdout(&machine.ssh("journalctl --no-pager -u both-ways"));
    assert!(both.status.success(), "{}{}", stderr(&both), journal());
    let documents: Vec<serde_json::Value> = stdout(&both)
        .split("\n---\n")
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(|text| serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")))
        .collect();
    assert_eq!(documents.len(), 4);
    // Processes come and go: their numbers are no difference.
    let gaps = |document: &serde_json::Value| -> std::collections::BTreeSet<String> {
        let gaps = document["gaps"].as_array().unwrap().iter();
        let bare = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        gaps.map(|gap| bare(&format!("{} {}", gap["subject"], gap["reason"]))).collect()
    };
    for pair in documents.chunks(2) {
        let (inside, outside) = (gaps(&pair[0]), gaps(&pair[1]));
        // systemd forbids asking how the clock is disciplined together with setting it (ProtectClock): the unit says so.
        let more: Vec<&String> =
            inside.difference(&outside).filter(|gap| !gap.contains("adjtimex")).collect();
        assert!(more.is_empty(), "only in the unit: {more:#?}");
    }
    let engine = |document: &serde_json::Value| document["steps"][0]["engine"].clone();
    assert_eq!(engine(&documents[2]), engine(&documents[3]));
    assert!(documents[2]["steps"][0]["ios"].as_u64() > Some(0));
}

#[test]
fn one_command_installs_and_starts_the_agent_of_a_machine_with_systemd() {
    let mut place = given!(Place::with(0, &Bus { address: "10.79.1.1", ..Bus::default() }));
    place.gather = "8s";
    let machine = given!(Machine::begin(&place, 1, true));
    let said = enrol(&place, &machine);
    assert!(!said.contains("does not run systemd"), "{said}");
    let state = machine.ssh("systemctl is-active fullwire-agent; systemctl is-enabled fullwire-agent; stat -c %a /etc/fullwire/agent.json");
    let journal =
        || stdout(&machine.ssh("journalctl --no-pager -u fullwire-agent; systemctl status fullwire-agent"));
    assert_eq!(stdout(&state), "active\nenabled\n600\n", "{}", journal());
    let owner = machine.ssh("ps -o user= -C fullwire | sort -u; stat -c %U /etc/fullwire/agent.json");
    assert_eq!(stdout(&owner), "fullwire\nfullwire\n");
    let _near = near(&place, 1);
    measures(&place);
    the_sandbox_hides_nothing(&machine);
    // Doing it again brings a new credential, and the agent runs with it.
    let said = enrol(&place, &machine);
    assert!(said.contains("had a credential before"), "{said}");
    measures(&place);
}

#[test]
fn a_machine_without_systemd_has_all_and_says_how_the_agent_is_started() {
    let mut place = given!(Place::with(0, &Bus { address: "10.79.2.1", ..Bus::default() }));
    place.gather = "8s";
    let machine = given!(Machine::begin(&place, 2, false));
    let said = enrol(&place, &machine);
    let command = said.lines().find_map(|line| line.split_once("at each boot: ")).map(|(_, command)| command);
    let command = command.unwrap_or_else(|| panic!("{said}"));
    let started = machine.ssh(&format!("setsid {command} </dev/null >/var/log/agent.log 2>&1 &"));
    assert!(started.status.success(), "{}", stderr(&started));
    let log = || stdout(&machine.ssh("cat /var/log/agent.log"));
    wait_for("the agent is connected", SOON, || log().contains("connected"));
    let _near = near(&place, 2);
    measures(&place);
}
