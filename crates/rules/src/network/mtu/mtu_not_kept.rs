use fullwire_model::assessment::StepKind;

rule! {
    /// # What it checks
    /// Passes when an interface runs with the MTU that its profile or script sets at boot. A file that sets none brings 1500,
    /// `InfiniBand` what its links have, Open vSwitch what its ports have; one that leaves the address to DHCP is not judged, because the server may set the MTU as well.
    /// # Why it matters
    /// Either the change was made by hand and is gone after the next boot, or the file was changed and never applied: the
    /// paths to the storage or the nodes of a cluster then differ in MTU.
    /// # Evidence
    /// The MTU of the interface; `mtu` of NetworkManager's profile, `MTU` of its `ifcfg` file.
    /// # Remedy
    /// The MTU that is meant, now and in the file.
    /// # Source
    /// nm-settings-nmcli(5), `802-3-ethernet.mtu`; Red Hat `sysconfig.txt` and SUSE ifcfg(5), `MTU`; Linux Documentation/infiniband/ipoib.rst;
    /// ovs-vswitchd.conf.db(5), `mtu_request`.
    code: "mtu-not-kept",
    title: "an interface runs with another MTU than its file sets",
    layer: Network, severity: Warning, on: [Nic],

    /// What an interface has unless something sets another (IEEE 802.3).
    const ETHERNET_BYTES: u64 = 1500;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let has_file = |nic: &&Nic| nic.mtu_kept_bytes.is_some() || !nic.mtu_kept_in.is_empty();
    let kept: Vec<&Nic> = run.host.nics.iter().filter(has_file).collect();
    let of_storage: BTreeSet<String> =
        facts::interface::siblings(run).into_iter().flat_map(|group| group.names).collect();
    kept.into_iter().filter(|nic| nic.up != Some(false)).map(|nic| judge(run, nic, &of_storage)).collect()
}

fn judge(run: &Run, nic: &Nic, of_storage: &BTreeSet<String>) -> Outcome {
    let Some(now) = nic.mtu_bytes else { return facts::unread(&format!("the MTU of {}", nic.name)) };
    let kept = nic.mtu_kept_bytes.unwrap_or(ETHERNET_BYTES);
    if now == kept {
        return Outcome::Passes;
    }
    let inherits = |name: &String| run.host.nic(name).is_some_and(|below| below.mtu_kept_bytes == Some(now));
    // The links of InfiniBand and the mode give their interface its MTU: 2044, 4092 or 65520. Open vSwitch gives its own the
    // smallest of the bridge's ports.
    let by_link = matches!(nic.kind.as_str(), "infiniband" | "openvswitch");
    if nic.mtu_kept_bytes.is_none() && (now < kept || by_link || nic.lower.iter().any(inherits)) {
        return Outcome::Passes;
    }
    // A member of a bond takes the bond's MTU, whatever its own file says.
    let of_bond = nic.master.as_ref().and_then(|master| run.host.nic(master));
    if of_bond.is_some_and(|master| master.mtu_kept_bytes == Some(now)) {
        return Outcome::Passes;
    }
    let name = &nic.name;
    // The interface below it carries what the file asks for: the change was meant and has not taken effect.
    let below = nic.lower.iter().filter_map(|lower| run.host.nic(lower));
    let is_carried = now < kept && below.into_iter().any(|lower| lower.mtu_bytes >= Some(kept));
    // Someone raised it for a reason, and it is gone after a boot.
    let by_hand = nic.mtu_kept_bytes.is_none();
    let carries = of_storage.contains(name) || is_carried || by_hand;
    let message = if by_hand {
        format!("{name} runs with MTU {now}, but its file sets none: it is {kept} after the next boot")
    } else {
        format!("{name} runs with MTU {now}, its file sets {kept} at the next boot")
    };
    let again = activates(&run.host, nic);
    let cost = if again.contains("ifdown") { StepKind::LinkDown } else { StepKind::LinkReset };
    RULE.finding(Kind::Nic.named(name), message)
        .severity(if carries { Severity::Warning } else { Severity::Info })
        .measured(now as f64, kept as f64, Unit::Bytes)
        .evidence(format!("mtu {now}"), format!("/sys/class/net/{name}/mtu"))
        .evidence(
            if by_hand { "no line for the MTU".into() } else { format!("mtu {kept}") },
            nic.mtu_kept_in.clone(),
        )
        .because("Which of the two is meant? The next boot or restart of the network changes it.")
        .look(sh!("ip -d link show dev {}", name), "Shows the MTU that runs now")
        .now(format!("If {kept} is meant: {}activate the profile again{}", proof(kept), again))
        .kind(cost, name)
        .persist(format!("If {now} is meant: {}{} in {}", proof(now), line(nic, now), nic.mtu_kept_in))
        .undo(format!("`ip link set dev {} mtu {now}`, and the line of the file as it was", as_word(name)))
        .kind(StepKind::LinkReset, name)
        .expecting("the same MTU in the file, on the interface, and on all paths to the storage")
        .into()
}

/// Any path carries Ethernet's own MTU; a larger one is proved first.
fn proof(bytes: u64) -> &'static str {
    if bytes > ETHERNET_BYTES { "prove with `fullwire mtu HOST` that the path carries it, then " } else { "" }
}

/// What a file of the interface says to keep an MTU.
fn line(nic: &Nic, bytes: u64) -> String {
    if nic.mtu_kept_in.contains("/sysconfig/") {
        format!("set `MTU={bytes}`")
    } else {
        format!("set MTU {bytes}")
    }
}

/// How the one that keeps the interface reads its file again.
fn activates(host: &Host, nic: &Nic) -> String {
    let (name, file) = (as_word(&nic.name), &nic.mtu_kept_in);
    let by_file = || match () {
        () if file.contains("/NetworkManager/") => Keeper::NetworkManager,
        () if file.contains("/netplan/") => Keeper::Netplan,
        () if file.contains("/systemd/network/") => Keeper::Networkd,
        () if file.contains("/network-scripts/") => Keeper::NetworkScripts,
        () if file.contains("/sysconfig/network/") => Keeper::Wicked,
        () => Keeper::Ifupdown,
    };
    match Some(keeper(host, &nic.name)).filter(|keeper| *keeper != Keeper::Unknown).unwrap_or_else(by_file) {
        Keeper::NetworkManager => format!(" (`nmcli device reapply {name}`)"),
        Keeper::Netplan => " (`netplan try`)".to_owned(),
        Keeper::Networkd => format!(" (`networkctl reload && networkctl reconfigure {name}`)"),
        Keeper::Wicked => format!(" (`wicked ifreload {name}`)"),
        Keeper::Ifupdown | Keeper::NetworkScripts | Keeper::Unknown => {
            format!(" (`ifdown {name} && ifup {name}`)")
        }
    }
}
