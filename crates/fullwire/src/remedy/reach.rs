//! By which interfaces people reach this host over ssh: who changes one of them may cut himself off.

use super::shell;
use crate::ask;
use anyhow::{Context as _, Result};
use fullwire_model::assessment::{Phase, Step, StepKind};
use fullwire_model::host::Host;
use fullwire_observe::Root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;

/// The state of an open connection in `/proc/net/tcp` (`TCP_ESTABLISHED`, `include/net/tcp_states.h`).
const ESTABLISHED: &str = "01";

/// The interfaces that carry the ssh connections of this host, with all above and below them. All of them count, for inside
/// tmux nothing tells which is one's own.
pub(crate) fn ssh_interfaces(host: &Host) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (local, remote) in ssh_connections() {
        let ways = [holder(host, local), way_back(local, remote)];
        // An address of lo, of nobody here, or without a known way back: any interface may carry it.
        if ways.iter().all(|way| way.as_ref().is_some_and(|name| carries(host, name))) {
            found.extend(ways.into_iter().flatten());
        } else if !local.is_loopback() {
            found.extend(host.nics.iter().map(|nic| nic.name.clone()));
        }
    }
    around(host, found)
}

fn carries(host: &Host, name: &str) -> bool {
    host.nic(name).is_some_and(|nic| !matches!(nic.kind.as_str(), "loopback" | "dummy"))
}

/// The interface by which an answer leaves.
fn way_back(local: IpAddr, remote: IpAddr) -> Option<String> {
    let shown = shell::look(&format!("ip -o route get {remote} from {local}")).ok()?;
    let mut words = shown.split_whitespace().skip_while(|word| *word != "dev");
    words.nth(1).map(str::to_owned)
}

/// These interfaces, with all above and below them.
fn around(host: &Host, interfaces: BTreeSet<String>) -> BTreeSet<String> {
    let mut beside: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for nic in &host.nics {
        for other in nic.lower.iter().chain(&nic.master) {
            beside.entry(&nic.name).or_default().push(other);
            beside.entry(other).or_default().push(&nic.name);
        }
    }
    let mut found = interfaces.clone();
    let mut open: Vec<String> = interfaces.into_iter().collect();
    while let Some(name) = open.pop() {
        for other in beside.get(name.as_str()).into_iter().flatten() {
            if found.insert((*other).to_owned()) {
                open.push((*other).to_owned());
            }
        }
    }
    found
}

/// The same of this host as it is now.
pub(crate) fn ssh_interfaces_now() -> Result<BTreeSet<String>> {
    let root = Root::live().context("open this host's /proc and /sys")?;
    Ok(ssh_interfaces(&fullwire_observe::host(&root, &ask::of_host(Vec::new()))))
}

/// The interface that has the address; loopback carries what never leaves the host.
fn holder(host: &Host, address: IpAddr) -> Option<String> {
    if address.is_loopback() {
        return None;
    }
    let has = |text: &String| text.split('/').next().and_then(|text| text.parse().ok()) == Some(address);
    host.nics.iter().find(|nic| nic.addresses.iter().any(has)).map(|nic| nic.name.clone())
}

/// A step may cut off what comes in by these interfaces.
pub(crate) fn may_cut(step: &Step, interfaces: &BTreeSet<String>) -> bool {
    let changes = step.phase == Phase::Now && !matches!(step.kind, StepKind::Look | StepKind::Save);
    changes && step.command().is_some_and(|run| touches(run, &step.interrupts, interfaces))
}

/// A command changes one of these interfaces.
pub(crate) fn touches(run: &str, interrupts: &str, interfaces: &BTreeSet<String>) -> bool {
    if interfaces.is_empty() {
        return false;
    }
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "._-@:".contains(c);
    let mut words = run.split(|c: char| !is_of_name(c));
    // What a route or a rule of routing leads to is not always in the command.
    let first: Vec<&str> = run.split_whitespace().take(3).collect();
    let is_routing = first.first() == Some(&"ip")
        && first.iter().any(|word| matches!(*word, "route" | "rule" | "addr" | "address"));
    let restarts_network = interrupts.contains("network");
    is_routing
        || restarts_network
        || words.any(|word| interfaces.contains(word))
        || interfaces.contains(interrupts)
}

/// Both ends of the connections of sshd in this network namespace.
fn ssh_connections() -> BTreeSet<(IpAddr, IpAddr)> {
    let is_ours = |process: &std::path::PathBuf| {
        fs::read_link(process.join("ns/net")).ok() == fs::read_link("/proc/self/ns/net").ok()
    };
    let processes = sshd_processes().into_iter().filter(is_ours);
    let sockets: BTreeSet<String> = processes.flat_map(|process| sockets_of(&process)).collect();
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(fs::read_to_string);
    tables.iter().flatten().flat_map(|text| connections(text, &sockets)).collect()
}

fn sshd_processes() -> Vec<std::path::PathBuf> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let is_sshd = |path: &Path| {
        fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim_end().starts_with("sshd"))
    };
    entries.flatten().map(|entry| entry.path()).filter(|path| is_sshd(path)).collect()
}

/// The inodes of a process's sockets.
fn sockets_of(process: &Path) -> Vec<String> {
    let Ok(descriptors) = fs::read_dir(process.join("fd")) else { return Vec::new() };
    let targets = descriptors.flatten().filter_map(|one| fs::read_link(one.path()).ok());
    targets
        .filter_map(|target| Some(target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
        .collect()
}

/// Both ends of the open connections of these sockets.
fn connections(table: &str, sockets: &BTreeSet<String>) -> Vec<(IpAddr, IpAddr)> {
    let lines = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines
        .filter(|words| {
            words.get(3) == Some(&ESTABLISHED) && words.get(9).is_some_and(|inode| sockets.contains(*inode))
        })
        .filter_map(|words| {
            let end = |at: usize| address(words.get(at)?.split(':').next()?);
            Some((end(1)?, end(2)?))
        })
        .collect()
}

/// An address as the kernel prints it: 32-bit words in the order of this machine's bytes.
fn address(hex: &str) -> Option<IpAddr> {
    let word = |at: usize| Some(u32::from_str_radix(hex.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    match hex.len() {
        8 => Some(Ipv4Addr::from(word(0)?).into()),
        32 => {
            let words = [word(0)?, word(8)?, word(16)?, word(24)?].concat();
            let bytes: [u8; 16] = words.try_into().ok()?;
            Some(Ipv6Addr::from(bytes).to_canonical())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::sh;

    fn host() -> Host {
        serde_json::from_str(
            r#"{ "nics": [
                { "name": "bond0.100", "kind": "vlan", "lower": ["bond0"], "addresses": ["10.0.0.5/24"] },
                { "name": "bond0", "kind": "bond", "lower": ["eth0", "eth1"] },
                { "name": "eth0", "master": "bond0" }, { "name": "eth1", "master": "bond0" },
                { "name": "eth2", "addresses": ["192.168.1.5/24"] } ] }"#,
        )
        .expect("a host")
    }

    fn step(run: fullwire_model::assessment::ShellCommand, kind: StepKind) -> Step {
        Step { run: Some(run), kind, ..Step::by_hand(Phase::Now, "") }
    }

    #[test]
    fn an_address_is_found_with_all_that_carries_it() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
             \x20  0: 0500000A:0016 0900000A:D1B2 01 00000000:00000000 02:000A 00000000     0        0 4711 2\n\
             \x20  1: 0501A8C0:0016 0900000A:D1B2 01 00000000:00000000 02:000A 00000000     0        0 4712 2\n\
             \x20  2: 00000000:0016 00000000:0000 0A 00000000:00000000 02:000A 00000000     0        0 4711 2\n";
        if cfg!(target_endian = "little") {
            let found = connections(table, &BTreeSet::from(["4711".to_owned()]));
            let end = |text: &str| text.parse::<IpAddr>().expect("an address");
            assert_eq!(found, [(end("10.0.0.5"), end("10.0.0.9"))]);
            assert_eq!(
                address("0000000000000000FFFF00000500000A"),
                Some(found[0].0),
                "an IPv4 address of IPv6"
            );
        }
        assert_eq!(holder(&host(), "10.0.0.5".parse().expect("an address")).as_deref(), Some("bond0.100"));
    }

    #[test]
    fn all_above_and_below_the_way_in_belongs_to_it() {
        let found =
            |name: &str| around(&host(), BTreeSet::from([name.to_owned()])).into_iter().collect::<Vec<_>>();
        assert_eq!(found("bond0.100"), ["bond0", "bond0.100", "eth0", "eth1"]);
        assert_eq!(found("eth1"), found("bond0.100"));
        assert_eq!(found("eth2"), ["eth2"]);
    }

    #[test]
    fn what_touches_the_way_in_is_seen() {
        let names = BTreeSet::from(["bond0", "bond0.100", "eth0"].map(str::to_owned));
        let cuts = |run, kind| may_cut(&step(run, kind), &names);
        assert!(cuts(sh!("ip link set dev {} mtu {}", "bond0.100", 9000), StepKind::LinkReset));
        assert!(cuts(sh!("echo 1 > /sys/class/net/{}/bonding/miimon", "bond0"), StepKind::Set));
        assert!(cuts(sh!("ip -4 route replace {} dev {}", "10.0.2.1/32", "eth2"), StepKind::Set));
        assert!(!cuts(sh!("ip link set dev {} mtu {}", "eth2", 9000), StepKind::LinkReset));
        assert!(!cuts(sh!("sysctl -w net.core.rmem_max={}", 1), StepKind::Set));
        assert!(!cuts(sh!("ethtool -g {}", "eth0"), StepKind::Look));
        assert!(!cuts(sh!("tc -d qdisc show dev {} > /root/saved.txt", "eth0"), StepKind::Save));
        assert!(!may_cut(
            &step(sh!("ip link set dev {} down", "eth0"), StepKind::LinkDown),
            &BTreeSet::new()
        ));
    }
}
