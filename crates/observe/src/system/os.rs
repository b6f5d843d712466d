//! Kernel, distribution, what the machine is (DMI), uptime.

use super::uptime::uptime_ns;
use crate::{Root, secrets, text};
use fullwire_model::host::{Host, Os};
use fullwire_model::{Gap, GapReason};
use sha2::{Digest as _, Sha256};

pub(super) fn read(root: &Root, host: &mut Host) {
    let mut os = Os { page_bytes: page_bytes(root, &mut host.gaps), ..Os::default() };
    kernel(root, &mut os, &mut host.gaps);
    distribution(root, &mut os, &mut host.gaps);
    host.hostname = hostname(root).unwrap_or_default();
    os.uptime_s = uptime_ns(root).map(|ns| ns as f64 / 1e9);
    let dmi = Dmi::read(root);
    os.model = dmi.model();
    os.virtualization = virtualization(root, &dmi, &os.architecture);
    os.cloud = dmi.cloud().map(str::to_owned);
    os.machine = machine(root);
    let first = || root.attribute("/proc/1/comm").map(|name| name == "systemd");
    os.systemd = root.answer("systemd", || Ok(root.exists(BOOTED))).ok().or_else(first);
    if os.virtualization.is_none() {
        host.gaps.push(Gap::new(
            "/sys/class/dmi/id",
            GapReason::Absent,
            "cannot tell a virtual machine from bare metal: neither DMI nor a hypervisor flag could be read",
        ));
    }
    host.os = os;
}

/// There where systemd is the service manager that runs, and not where it is only installed (`sd_booted(3)`). A tree of files
/// has the name of its first process.
const BOOTED: &str = "/run/systemd/system";

/// Where a machine's own number is: that of the installation (machine-id(5)), and that of the board.
const MACHINE: [&str; 3] = ["/etc/machine-id", "/var/lib/dbus/machine-id", "/sys/class/dmi/id/product_uuid"];
/// Of this start alone, for what has no number: a container's image.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// A capture has the hash alone.
fn machine(root: &Root) -> Option<String> {
    let absent = || Gap::new("machine", GapReason::Absent, "it has no number of its own");
    root.answer("machine", || this_machine().or_else(|| hashed(BOOT)).ok_or_else(absent)).ok()
}

/// What tells this machine from every other one; `None`: it has no lasting number of its own. machine-id(5) demands that the
/// number itself is not given away: it is hashed together with this program's name.
pub fn this_machine() -> Option<String> {
    MACHINE.iter().find_map(|path| hashed(path))
}

fn hashed(path: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let number = Some(text.trim()).filter(|text| !matches!(*text, "" | "uninitialized"))?;
    let hash = Sha256::digest(format!("fullwire machine {number}"));
    Some(hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect())
}

fn hostname(root: &Root) -> Option<String> {
    ["/proc/sys/kernel/hostname", "/etc/hostname", "/sos_commands/host/hostname"]
        .iter()
        .find_map(|path| root.attribute(path).filter(|name| !name.is_empty()))
}

fn kernel(root: &Root, os: &mut Os, gaps: &mut Vec<Gap>) {
    os.command_line = secrets::kernel_command_line(&root.attribute("/proc/cmdline").unwrap_or_default());
    let uname = root.answer("uname", || {
        let uname = rustix::system::uname();
        Ok([uname.release(), uname.version(), uname.machine()]
            .map(|text| text.to_string_lossy().into_owned()))
    });
    if let Ok(uname) = uname {
        [os.kernel_release, os.kernel_version, os.architecture] = uname;
        return;
    }
    os.kernel_release = root.attribute("/proc/sys/kernel/osrelease").unwrap_or_default();
    os.kernel_version = root.attribute("/proc/sys/kernel/version").unwrap_or_default();
    os.architecture = root.attribute("/proc/sys/kernel/arch").unwrap_or_default();
    if let Some(line) = root.attribute("/sos_commands/kernel/uname_-a") {
        uname_line(&line, os);
    }
    if os.kernel_release.is_empty() {
        // Linux version 4.18.0-553.el8_10.x86_64 (mockbuild@…) (gcc …) #1 SMP …
        let version = root.read("/proc/version", gaps).unwrap_or_default();
        version.split_whitespace().nth(2).unwrap_or_default().clone_into(&mut os.kernel_release);
        os.kernel_version = version.find('#').map_or(String::new(), |at| version[at..].trim().to_owned());
    }
    if os.architecture.is_empty() {
        os.architecture = architecture_of(&os.kernel_release).unwrap_or_default().to_owned();
    }
}

/// `Linux HOST RELEASE #BUILD … MACHINE [PROCESSOR [PLATFORM]] GNU/Linux`.
fn uname_line(line: &str, os: &mut Os) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (Some(release), Some(machine)) = (words.get(2), words.iter().find_map(|word| architecture_of(word)))
    else {
        return;
    };
    (*release).clone_into(&mut os.kernel_release);
    machine.clone_into(&mut os.architecture);
    let end = words.iter().skip(3).position(|word| *word == machine).map_or(words.len(), |at| at + 3);
    os.kernel_version = words.get(3..end).unwrap_or_default().join(" ");
}

/// The architecture that a release ends in or a word is.
fn architecture_of(word: &str) -> Option<&'static str> {
    [
        ("x86_64", "x86_64"),
        ("aarch64", "aarch64"),
        ("ppc64le", "ppc64le"),
        ("s390x", "s390x"),
        ("amd64", "x86_64"),
    ]
    .into_iter()
    .find_map(|(suffix, name)| word.ends_with(suffix).then_some(name))
}

/// Bytes of a page: requested on the live host; elsewhere the architectures with only one size tell.
pub(super) fn page_bytes(root: &Root, gaps: &mut Vec<Gap>) -> u64 {
    if let Ok(bytes) = root.answer("page size", || Ok(rustix::param::page_size() as u64)) {
        return bytes;
    }
    let mut os = Os::default();
    kernel(root, &mut os, &mut Vec::new());
    match os.architecture.as_str() {
        "x86_64" | "s390x" => 4096,
        _ => {
            let map = root.attribute("/proc/1/smaps");
            let size = map.as_deref().and_then(|map| text::field(map, "KernelPageSize")).and_then(text::kib);
            if size.is_none() {
                gaps.push(Gap::new(
                    "page size",
                    GapReason::Absent,
                    "the tree does not contain the page size",
                ));
            }
            size.unwrap_or(0)
        }
    }
}

fn distribution(root: &Root, os: &mut Os, gaps: &mut Vec<Gap>) {
    let text = ["/etc/os-release", "/usr/lib/os-release", "/sos_commands/release/os-release"]
        .iter()
        .find_map(|path| root.try_read(path, 1 << 16).ok());
    let Some((text, _)) = text else {
        return older_release(root, os, gaps);
    };
    for (name, value) in text.lines().filter_map(assignment) {
        match name {
            "ID" => os.distribution = value,
            "VERSION_ID" => os.version = value,
            "PRETTY_NAME" => os.pretty_name = value,
            "ID_LIKE" => os.like = value.split_whitespace().map(str::to_owned).collect(),
            _ => {}
        }
    }
}

/// `NAME=value`, `NAME="value"`.
fn assignment(line: &str) -> Option<(&str, String)> {
    let (name, value) = line.split_once('=')?;
    Some((name.trim(), value.trim().trim_matches(['"', '\'']).to_owned()))
}

/// What came before os-release.
fn older_release(root: &Root, os: &mut Os, gaps: &mut Vec<Gap>) {
    if let Some(line) = root.attribute("/etc/redhat-release") {
        let oracle = root.exists("/etc/oracle-release");
        os.distribution = String::from(if oracle { "ol" } else { "rhel" });
        os.like = vec!["rhel".to_owned(), "fedora".to_owned()];
        let number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
        os.version = line.split_whitespace().find(number).map(str::to_owned).unwrap_or_default();
        os.pretty_name = line;
    } else if let Some(text) = root.attribute("/etc/lsb-release") {
        for (name, value) in text.lines().filter_map(assignment) {
            match name {
                "DISTRIB_ID" => os.distribution = value.to_ascii_lowercase(),
                "DISTRIB_RELEASE" => os.version = value,
                "DISTRIB_DESCRIPTION" => os.pretty_name = value,
                _ => {}
            }
        }
    } else {
        gaps.push(Gap::new("/etc/os-release", GapReason::Absent, "no file names the distribution"));
    }
}

/// What the firmware says of the machine.
#[derive(Debug, Default)]
struct Dmi {
    known: bool,
    vendor: String,
    product: String,
    bios: String,
    asset_tag: String,
}

impl Dmi {
    fn read(root: &Root) -> Self {
        let id = |name: &str| root.attribute(&format!("/sys/class/dmi/id/{name}")).unwrap_or_default();
        let vendor = id("sys_vendor");
        let known = !vendor.is_empty();
        let bios = format!("{} {}", id("bios_vendor"), id("bios_version"));
        Self { known, vendor, product: id("product_name"), bios, asset_tag: id("chassis_asset_tag") }
    }

    /// Maker, model and firmware, as support asks for them; serial numbers are root's and stay there.
    fn model(&self) -> Option<String> {
        let machine = [self.vendor.trim(), self.product.trim()].map(str::to_owned);
        let machine = machine.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let firmware = self.bios.trim();
        let firmware = if firmware.is_empty() { String::new() } else { format!(", firmware {firmware}") };
        (!machine.is_empty()).then(|| machine + &firmware)
    }

    /// The cloud, by what each provider documents for recognising its instances.
    fn cloud(&self) -> Option<&'static str> {
        let vendor = self.vendor.as_str();
        match () {
            () if vendor == "Amazon EC2" || self.bios.to_ascii_lowercase().contains("amazon") => Some("aws"),
            () if self.asset_tag == "7783-7084-3265-9085-8269-3286-77" => Some("azure"),
            () if vendor == "Google" || self.product == "Google Compute Engine" => Some("gcp"),
            () if self.asset_tag == "OracleCloud.com" => Some("oci"),
            () if vendor == "Alibaba Cloud" => Some("alibaba"),
            () if vendor == "Hetzner" => Some("hetzner"),
            () if vendor == "DigitalOcean" => Some("digitalocean"),
            () if self.product.starts_with("OpenStack") => Some("openstack"),
            () => None,
        }
    }

    /// The hypervisor that put these names there.
    fn hypervisor(&self) -> Option<&'static str> {
        let all = format!("{} {} {}", self.vendor, self.product, self.bios);
        if self.product.rsplit_once('.').is_some_and(|(_, size)| size == "metal") {
            return None; // an EC2 bare-metal instance
        }
        [
            ("VMware", "vmware"),
            ("Microsoft Corporation Virtual Machine", "hyperv"),
            ("innotek GmbH", "virtualbox"),
            ("VirtualBox", "virtualbox"),
            ("Xen", "xen"),
            ("KVM", "kvm"),
            ("QEMU", "kvm"),
            ("Bochs", "kvm"),
            ("Amazon EC2", "kvm"),
            ("Google Compute Engine", "kvm"),
            ("OpenStack", "kvm"),
            ("Parallels", "parallels"),
            ("Nutanix", "kvm"),
        ]
        .into_iter()
        .find_map(|(mark, name)| all.contains(mark).then_some(name))
    }
}

fn virtualization(root: &Root, dmi: &Dmi, architecture: &str) -> Option<String> {
    if let Some(container) = container(root) {
        return Some(format!("container:{container}"));
    }
    let cpuinfo = root.try_read("/proc/cpuinfo", 1 << 14).map(|(text, _)| text).unwrap_or_default();
    if cpuinfo.contains("User Mode Linux") {
        return Some("uml".to_owned());
    }
    // A sosreport has systemd's opinion.
    let status = root.attribute("/sos_commands/host/hostnamectl_status").unwrap_or_default();
    if let Some(name) = status.lines().find_map(|line| line.trim().strip_prefix("Virtualization:")) {
        return Some(named(name.trim()));
    }
    // Xen gives its first domain the machine's own tables (Linux drivers/xen/xenfs/super.c, `control_d`).
    let controls = root.attribute("/proc/xen/capabilities").is_some_and(|text| text.contains("control_d"));
    let on_a_board =
        !root.is_live() && dmi.known && dmi.hypervisor().is_none() && by_clock(root) == Some("xen");
    if controls || on_a_board {
        return Some("dom0".to_owned());
    }
    if root.attribute("/sys/hypervisor/type").as_deref() == Some("xen") {
        return Some("xen".to_owned());
    }
    let flagged =
        text::field(&cpuinfo, "flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    if let Some(name) = dmi.hypervisor().or_else(|| by_clock(root)) {
        return Some(name.to_owned());
    }
    match (flagged, dmi.known || (architecture == "x86_64" && cpuinfo.contains("flags"))) {
        (true, _) => Some("other".to_owned()),
        (false, true) => Some("none".to_owned()),
        (false, false) => None,
    }
}

/// A paravirtual clock gives away a hypervisor without DMI (Firecracker, direct boot).
fn by_clock(root: &Root) -> Option<&'static str> {
    let sources = root.attribute("/sys/devices/system/clocksource/clocksource0/available_clocksource")?;
    [("kvm-clock", "kvm"), ("hyperv", "hyperv"), ("xen", "xen")]
        .into_iter()
        .find_map(|(mark, name)| sources.contains(mark).then_some(name))
}

/// The container runtime that we are in. Where kernel threads are seen we are in none, whatever an image
/// has left in the file system of a virtual machine.
/// systemd names containers next to machines (`systemd-detect-virt --container`): a container sees its host's kernel settings.
fn named(name: &str) -> String {
    const CONTAINERS: [&str; 9] =
        ["docker", "lxc", "lxc-libvirt", "openvz", "podman", "proot", "rkt", "systemd-nspawn", "wsl"];
    if CONTAINERS.contains(&name) { format!("container:{name}") } else { name.to_owned() }
}

fn container(root: &Root) -> Option<String> {
    if root.attribute("/proc/2/comm").as_deref() == Some("kthreadd") {
        return None;
    }
    if let Some(name) = root.attribute("/run/systemd/container").filter(|name| !name.is_empty()) {
        return Some(name);
    }
    if root.exists("/.dockerenv") {
        return Some("docker".to_owned());
    }
    if root.exists("/run/.containerenv") {
        return Some("podman".to_owned());
    }
    let groups = root.attribute("/proc/1/cgroup")?;
    ["kubepods", "docker", "lxc"].into_iter().find(|mark| groups.contains(mark)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_uname_lines_of_two_distributions() {
        let mut os = Os::default();
        uname_line(
            "Linux compute4 5.4.0-97-generic #110~18.04.1-Ubuntu SMP Thu Jan 13 2022 x86_64 x86_64 x86_64 GNU/Linux",
            &mut os,
        );
        assert_eq!((os.kernel_release.as_str(), os.architecture.as_str()), ("5.4.0-97-generic", "x86_64"));
        assert_eq!(os.kernel_version, "#110~18.04.1-Ubuntu SMP Thu Jan 13 2022");
        uname_line("nonsense", &mut os);
        assert_eq!(os.kernel_release, "5.4.0-97-generic", "a line without sense changes nothing");
    }

    #[test]
    fn systemd_names_containers_beside_machines() {
        assert_eq!(named("lxc"), "container:lxc");
        assert_eq!(named("kvm"), "kvm");
    }

    /// Xen's first domain sees the machine's own tables, a guest those that Xen makes up.
    #[test]
    fn the_domain_that_runs_xen_is_no_guest() {
        let virtualization = |vendor: &str, product: &str| {
            let (_tree, root) = crate::tests::rooted(&[
                ("sys/class/dmi/id/sys_vendor", vendor),
                ("sys/class/dmi/id/product_name", product),
                ("sys/devices/system/clocksource/clocksource0/available_clocksource", "xen tsc\n"),
            ]);
            let mut host = Host::default();
            read(&root, &mut host);
            host.os.virtualization
        };
        assert_eq!(virtualization("Dell Inc.\n", "PowerEdge R740\n").as_deref(), Some("dom0"));
        assert_eq!(virtualization("Xen\n", "HVM domU\n").as_deref(), Some("xen"));
    }

    /// Another tree than a capture of ours is asked for its first process alone: what is below /run is in few of them.
    #[test]
    fn systemd_runs_where_it_was_booted() {
        let systemd = |root: &Root| {
            let mut host = Host::default();
            read(root, &mut host);
            host.os.systemd
        };
        let folder = tempfile::tempdir().expect("a directory");
        let live = || systemd(&Root::live_below(folder.path()).expect("a root"));
        assert_eq!(live(), Some(false));
        assert_eq!(systemd(&Root::tree(folder.path()).expect("a tree")), None);
        std::fs::create_dir_all(folder.path().join("run/systemd/system")).expect("a directory");
        assert_eq!(live(), Some(true));
        std::fs::create_dir_all(folder.path().join("proc/1")).expect("a directory");
        for (first, runs) in [("init\n", false), ("systemd\n", true)] {
            std::fs::write(folder.path().join("proc/1/comm"), first).expect("a file");
            assert_eq!(systemd(&Root::tree(folder.path()).expect("a tree")), Some(runs));
        }
    }

    #[test]
    fn names_machines_by_their_firmware() {
        let dmi = |vendor: &str, product: &str, tag: &str| Dmi {
            known: true,
            vendor: vendor.into(),
            product: product.into(),
            asset_tag: tag.into(),
            ..Dmi::default()
        };
        assert_eq!(dmi("VMware, Inc.", "VMware7,1", "No Asset Tag").hypervisor(), Some("vmware"));
        assert_eq!(dmi("Dell Inc.", "PowerEdge R740", "").hypervisor(), None);
        assert_eq!(dmi("Amazon EC2", "m5.metal", "").hypervisor(), None);
        let azure = dmi("Microsoft Corporation", "Virtual Machine", "7783-7084-3265-9085-8269-3286-77");
        assert_eq!((azure.hypervisor(), azure.cloud()), (Some("hyperv"), Some("azure")));
        assert_eq!(dmi("QEMU", "Standard PC", "OracleCloud.com").cloud(), Some("oci"));
    }
}
