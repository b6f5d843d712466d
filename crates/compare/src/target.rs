//! What was measured: all that belongs to the target and not to the question, so that two targets can be compared.

use fullwire_model::Run;
use fullwire_model::assessment::PathKind;
use fullwire_model::comparison::TargetDifference;
use fullwire_model::disk::DiskResult;
use fullwire_model::host::{Host, Mount};
use fullwire_model::net::NetResult;

/// A target, property by property, as people write them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TargetProperties {
    pub(crate) kind: PathKind,
    /// What makes it this target; what else is true of it may change by a setting.
    pub(crate) identity: Vec<(&'static str, String)>,
    properties: Vec<(&'static str, String)>,
}

impl TargetProperties {
    /// Of a network test: the way to the peer.
    pub fn of_net(run: &Run, result: &NetResult) -> Self {
        let path = &result.path;
        let nic = run.host.nic(&path.interface);
        let peer = run.peer(&result.target).and_then(|peer| peer.host.as_ref());
        let peer_nic =
            peer.and_then(|host| host.nics.iter().find(|nic| has_address(&nic.addresses, &path.remote)));
        let number = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
        let identity = vec![("source", result.plan.source.clone())];
        let properties = vec![
            ("interface", path.interface.clone()),
            ("MTU", number(nic.and_then(|nic| nic.mtu_bytes))),
            ("link speed, Mbit/s", number(nic.and_then(|nic| nic.speed_mbit_per_s))),
            ("kind of interface", nic.map(|nic| nic.kind.clone()).unwrap_or_default()),
            ("queueing disciplines", nic.map(disciplines).unwrap_or_default()),
            ("gateway", path.gateway.clone().unwrap_or_default()),
            ("MTU of the peer", number(peer_nic.and_then(|nic| nic.mtu_bytes))),
        ];
        Self { kind: PathKind::Network, identity, properties }
    }

    /// Of a storage probe: the file system and what is below it.
    pub fn of_disk(run: &Run, result: &DiskResult) -> Self {
        let mount = run.host.mounts.iter().rev().find(|mount| mount.target == result.mount_point);
        let identity =
            vec![("kind of target", result.target_kind.clone()), ("file system", result.file_system.clone())];
        let properties = vec![
            ("mount options", mount.map(options).unwrap_or_default()),
            (
                "NFS server",
                mount.and_then(|mount| mount.nfs.as_ref()).map(|nfs| nfs.server.clone()).unwrap_or_default(),
            ),
            ("device", result.device.clone()),
            ("stack", stack(&run.host, &result.device)),
        ];
        Self { kind: PathKind::Storage, identity, properties }
    }

    /// The properties in which another target differs; of lists, what both have is left out.
    pub fn differences(&self, other: &Self) -> Vec<TargetDifference> {
        let own = self.identity.iter().chain(&self.properties);
        let both = own.zip(other.identity.iter().chain(&other.properties));
        both.filter(|(own, others)| own.1 != others.1)
            .map(|((name, a), (_, b))| TargetDifference {
                name: (*name).to_owned(),
                a: without(a, b),
                b: without(b, a),
            })
            .collect()
    }
}

/// The parts of a list that another one lacks.
fn without(list: &str, other: &str) -> String {
    let theirs: Vec<&str> = other.split(',').map(str::trim).collect();
    list.split(',').map(str::trim).filter(|part| !theirs.contains(part)).collect::<Vec<_>>().join(", ")
}

fn has_address(addresses: &[String], wanted: &str) -> bool {
    !wanted.is_empty() && addresses.iter().any(|own| own.split('/').next() == Some(wanted))
}

fn disciplines(nic: &fullwire_model::host::Nic) -> String {
    let of = |one: &fullwire_model::host::Qdisc| {
        one.rate_bytes_per_s
            .map_or_else(|| one.kind.clone(), |rate| format!("{} {} Mbit/s", one.kind, rate * 8.0 / 1e6))
    };
    nic.qdiscs.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// Sorted, for the kernel lists them as it likes.
fn options(mount: &Mount) -> String {
    let mut all: Vec<&str> = mount.options.iter().map(String::as_str).collect();
    all.sort_unstable();
    all.join(",")
}

/// Device names and what each is, top first: `dm-3 lvm, sdb disk`.
fn stack(host: &Host, device: &str) -> String {
    let all = host.stack(device);
    all.iter().map(|disk| format!("{} {}", disk.name, disk.kind)).collect::<Vec<_>>().join(", ")
}
