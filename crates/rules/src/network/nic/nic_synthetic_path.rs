rule! {
    /// # What it checks
    /// Passes when an Azure virtual machine has the hardware path of its interface (accelerated networking) in addition
    /// to the synthetic one.
    /// # Why it matters
    /// On the synthetic path every packet passes through the host's switch: higher and less steady latency, and a CPU
    /// of the machine for each few Gbit/s.
    /// # Evidence
    /// An interface of `hv_netvsc` without a virtual function (mlx5, mana) below it.
    /// # Remedy
    /// Switch accelerated networking on for the interface, with the machine stopped.
    /// # Source
    /// Microsoft Learn, "Accelerated Networking overview" and "Create an Azure VM with Accelerated Networking".
    code: "nic-synthetic-path",
    title: "accelerated networking is off",
    layer: Network, severity: Info, on: [Nic],
}

fn check(run: &Facts) -> Vec<Outcome> {
    if run.host.nics.is_empty() {
        return vec![unknown!("no interface could be read")];
    }
    let wanted = |side: &side::Side, nic: &Nic| {
        side.host.os.cloud.as_deref() == Some("azure")
            && nic.driver == "hv_netvsc"
            && each::has_a_part(side, nic)
    };
    each::nic(run, wanted, judge)
}

fn judge(side: &side::Side, nic: &Nic) -> Outcome {
    let enslaved = side
        .host
        .nics
        .iter()
        .any(|other| other.master.as_deref() == Some(&nic.name) || nic.lower.contains(&other.name));
    if enslaved {
        return Outcome::Passes;
    }
    let at = side.subject(Kind::Nic, &nic.name);
    finding!(&at, "{at} has only the synthetic path: accelerated networking is off")
        .evidence("driver hv_netvsc, no virtual function below it", side.source(&format!("/sys/class/net/{}", nic.name)))
        .because("With accelerated networking, packets bypass the host's virtual switch.")
        .look(sh!("ethtool -S {} | grep -F vf_ || true", nic.name), "Counts what passed the hardware path: nothing")
        .persist("With the machine deallocated: `az network nic update --accelerated-networking true`. The instance size must support it")
        .reboots()
        .undo("The same command with false")
        .reboots()
        .expecting("a second interface (mlx5 or mana) below this one, and a lower round trip")
        .on(side.peer)
        .into()
}
