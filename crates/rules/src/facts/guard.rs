use fullwire_model::Run;
use fullwire_model::assessment::Severity;
use fullwire_model::host::{Database, Host};

/// A database of one of these kinds runs here.
pub(crate) fn runs(host: &Host, kinds: &[&str]) -> bool {
    host.databases.iter().any(|database| kinds.contains(&database.kind.as_str()))
}

/// An Oracle instance runs here, or one is to (`--sga`).
pub(crate) fn is_oracle(run: &Run) -> bool {
    run.command.sga_bytes.is_some() || runs(&run.host, &["oracle"])
}

/// It is a node of a database cluster.
pub(crate) fn is_clustered(host: &Host) -> bool {
    host.databases.iter().any(|database| database.clustered)
}

/// A cluster or a mirror must see the error to act; elsewhere queueing is many an array's default, and what a root
/// file system on the SAN needs. ASM alone is no mirror: most leave that to the array (EXTERNAL REDUNDANCY). Nor is
/// ocssd.bin alone a cluster: Oracle Restart runs it for ASM on a single host.
pub(crate) fn must_see_errors(run: &Run) -> bool {
    let host = &run.host;
    let managers = ["pacemakerd", "corosync", "crsd.bin"];
    let groups = run.views.iter().filter_map(|views| views.asm_groups.as_ref()).flatten();
    is_clustered(host)
        || groups.map(|group| group.redundancy.as_str()).any(|kind| !matches!(kind, "" | "EXTERN"))
        || host.daemons().any(|process| managers.contains(&process.name.as_str()))
}

/// The users that Oracle instances run as, where known.
pub(crate) fn oracle_owners(host: &Host) -> Vec<u32> {
    let oracle = host.databases.iter().filter(|database| database.kind.starts_with("oracle"));
    oracle.filter_map(|database| database.uid).collect()
}

/// Databases whose shared memory is a System V segment or a mapping that this host must hold.
pub(crate) fn database_instances(host: &Host) -> impl Iterator<Item = &Database> {
    host.databases.iter().filter(|database| database.kind != "oracle-asm")
}

/// A database runs here, or one is to.
pub(crate) fn is_database_host(run: &Run) -> bool {
    run.command.sga_bytes.is_some() || !run.host.databases.is_empty()
}

/// Hygiene that only a database feels: a warning where one runs, worth knowing elsewhere.
pub(crate) fn hygiene(run: &Run) -> Severity {
    if is_database_host(run) { Severity::Warning } else { Severity::Info }
}

/// It runs in a virtual machine: the hypervisor shapes its interfaces and makes up its slots. A container on bare metal
/// sees the real ones.
pub(crate) fn is_guest(host: &Host) -> bool {
    let machine = |kind: &str| kind != "none" && !kind.starts_with("container");
    !is_dom0(host)
        && (host.os.virtualization.as_deref().is_some_and(machine)
            || host.cpu.flags.iter().any(|flag| flag == "hypervisor"))
}

/// It is the domain that runs Xen: its interfaces and slots are the machine's.
pub(crate) fn is_dom0(host: &Host) -> bool {
    host.os.virtualization.as_deref() == Some("dom0")
}

/// The running kernel is this version or a later one, by its release alone: what a distribution carried back is not known.
/// A release that is not known is none.
pub(crate) fn kernel_is_at_least(host: &Host, wanted: (u32, u32)) -> bool {
    let mut numbers = host.os.kernel_release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    numbers.next().zip(numbers.next()).is_some_and(|version| version >= wanted)
}

/// What keeps the databases available, and with them settings of their own, is there (`patroni`, `galera`, ...).
pub(crate) fn is_managed_by(host: &Host, name: &str) -> bool {
    host.management.availability.contains_key(name)
}

/// A node of Kubernetes: kubelet does not start on a host with swap (`failSwapOn`, true by default), and keeps settings of
/// the kernel and the limits of its pods itself.
pub(crate) fn has_kubelet(host: &Host) -> bool {
    host.management.kubelet.is_some()
        || host.mounts.iter().any(|mount| mount.target.starts_with("/var/lib/kubelet"))
        || host.daemons().any(|process| process.name == "kubelet")
}

/// It runs virtual machines: QEMU reserves all memory of a guest when it starts, which strict accounting refuses although
/// most of it is never touched (Linux Documentation/mm/overcommit-accounting.rst).
pub(crate) fn has_guests(host: &Host) -> bool {
    host.processes.iter().any(|process| process.name.starts_with("qemu-") || process.name == "kvm")
}

/// The server's version is this one or a later one; `None`: it is not known so far. `8.0.30+` is 8.0.30 or any later one.
pub(crate) fn version_is_at_least(database: &Database, wanted: &[u32]) -> Option<bool> {
    let version = database.version.as_deref()?;
    let (version, or_later) = version.strip_suffix('+').map_or((version, false), |least| (least, true));
    let numbers: Vec<u32> = version.split(['.', '-']).map_while(|part| part.parse().ok()).collect();
    let compared = wanted.len().min(numbers.len());
    let known = numbers.len() >= wanted.len() || numbers[..compared] != wanted[..compared];
    let reached = numbers.as_slice() >= wanted;
    (known && !numbers.is_empty() && (reached || !or_later)).then_some(reached)
}

/// It is a container: the kernel's settings and the swap are its host's.
pub(crate) fn is_container(host: &Host) -> bool {
    host.os.virtualization.as_deref().is_some_and(|kind| kind.starts_with("container"))
}

/// The guest cannot see through to the hardware: claims about disks and clocks may be fiction.
pub(crate) fn is_virtual(host: &Host) -> bool {
    host.os.virtualization.as_deref().is_some_and(|kind| !["none", "dom0"].contains(&kind))
}
