rule! {
    /// # What it checks
    /// Passes when every port of an array that an adapter has found can still be reached.
    /// # Why it matters
    /// While a port is blocked, I/O to it waits; after `fast_io_fail_tmo` it fails over to another path, after
    /// `dev_loss_tmo` its disks are removed. A marginal port loses frames, and each of them costs a timeout.
    /// # Evidence
    /// `/sys/class/fc_remote_ports/*/port_state` of the ports that are targets. A port that is gone for good (`Not
    /// Present`) is history: the paths behind it have a separate rule.
    /// # Remedy
    /// Look at the array port and the switch port between. Multipath takes the other paths meanwhile.
    /// # Source
    /// Linux `drivers/scsi/scsi_transport_fc.c` (states of remote ports, `FC_PORTSTATE_BLOCKED`,
    /// `FC_PORTSTATE_MARGINAL`).
    code: "fc-remote-port-lost",
    title: "a port of the array is not reachable",
    layer: Storage, severity: Critical, on: [RemotePort],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let targets = run.host.fc_remote_ports.iter().filter(|port| port.roles.contains("Target"));
    let lost: Vec<&str> = facts::lost::lost_ports(run).map(|port| port.name.as_str()).collect();
    // Behind an adapter port that is down all of them are lost; `fc-port-down` names the one cause.
    targets
        .filter(|port| port.port_state == "Online" || !lost.contains(&port.host.as_str()))
        .map(judge)
        .collect()
}

/// Its world-wide name, by which the array and the switch know it too.
fn called(port: &FcRemotePort) -> &str {
    if port.port_name.is_empty() { &port.name } else { &port.port_name }
}

fn judge(port: &FcRemotePort) -> Outcome {
    let (severity, what) = match port.port_state.as_str() {
        "" => return facts::unread(&format!("port_state of {}", port.name)),
        "Blocked" => (Severity::Critical, "does not answer: I/O to it waits"),
        "Marginal" => (Severity::Warning, "loses frames (marginal): I/O to it is slow or fails"),
        _ => return Outcome::Passes,
    };
    let path = format!("/sys/class/fc_remote_ports/{}/port_state", port.name);
    finding!(
        Kind::RemotePort.named(&port.name),
        "the array port {} behind {} {what}",
        called(port),
        port.host,
    )
    .severity(severity)
    .evidence(
        format!(
            "port_state {}, dev_loss_tmo {}",
            port.port_state,
            port.dev_loss_tmo_s.map_or("not read".to_owned(), |seconds| format!("{seconds} s"))
        ),
        path.clone(),
    )
    .because("Every path through this port is lost or slow.")
    .look(sh!("cat {}", path), "Shows the state again: a failover of the array takes seconds")
    .look("multipath -ll || true", "Shows which paths are left")
    .persist("Repair the port of the array, its transceiver or its switch port")
    .expecting("port_state Online")
    .into()
}
