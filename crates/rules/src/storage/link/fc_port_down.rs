use fullwire_model::assessment::Evidence;

rule! {
    /// # What it checks
    /// Passes when every FC host port that is in use is Online. A port is in use when disks or paths are known behind
    /// it, when it reports what it is attached to, or when the kernel logged within a day that its link went down. Any
    /// other port is a port without a cable, which is only worth a note.
    /// # Why it matters
    /// The paths over it are lost.
    /// # Evidence
    /// `/sys/class/fc_host/hostN/port_state`, `port_type`; SCSI addresses of disks and paths; kernel log.
    /// # Remedy
    /// Transceiver, cable, switch port; `echo 1 > /sys/class/fc_host/hostN/issue_lip`, which IBM Z's driver refuses.
    /// # Source
    /// Linux `drivers/scsi/scsi_transport_fc.c` (port states; a port without a link has the type Unknown);
    /// `drivers/scsi/qla2xxx/qla_isr.c` (LOOP DOWN); IBM, Device Drivers, Features, and Commands, "Recovering a failed FCP device"; `node_exporter` fibrechannel collector.
    code: "fc-port-down",
    title: "a Fibre Channel port is not online",
    layer: Storage, severity: Critical, on: [Port],
    check: |run| run.host.fc_hosts.iter().map(|port| judge(run, port)).collect(),
}

/// The ports of arrays that were reached over it.
fn remote_ports(run: &Run, port: &FcHost) -> Option<Evidence> {
    let behind = run.host.fc_remote_ports.iter().filter(|remote| remote.host == port.name);
    let targets: Vec<String> = behind
        .filter(|remote| remote.roles.contains("Target"))
        .map(|remote| format!("{} {}", remote.name, remote.port_state))
        .collect();
    (!targets.is_empty()).then(|| Evidence {
        text: format!("ports of the array behind it: {}", facts::listed(&targets)),
        source: "/sys/class/fc_remote_ports".to_owned(),
    })
}

fn judge(run: &Run, port: &FcHost) -> Outcome {
    match port.port_state.as_str() {
        "" => facts::unread(&format!("port_state of {}", port.name)),
        "Online" => Outcome::Passes,
        state => {
            let used = facts::lost::is_used_port(run, port);
            let what =
                if used { "the paths over it are down" } else { "nothing is known to be connected to it" };
            let mut finding = finding!(
                Kind::Port.named(&port.name),
                "Fibre Channel port {} is {state}: {what}",
                port.name,
            );
            finding.evidence.extend(remote_ports(run, port));
            finding
                .severity(if used { Severity::Critical } else { Severity::Info })
                .evidence(
                    format!("port_state {state}, {}", port.port_name),
                    format!("/sys/class/fc_host/{}/port_state", port.name),
                )
                .advice(advice(&run.host, port))
                .into()
        }
    }
}

fn advice(host: &Host, port: &FcHost) -> Advice {
    let advice = because("Every disk zoned to this port has one path less.")
        .now("Check transceiver, cable and switch port first: they are the usual cause");
    // zfcp, the only driver there, refuses a LIP (drivers/s390/scsi/zfcp_scsi.c has no issue_fc_host_lip).
    let advice = if host.os.architecture == "s390x" {
        advice.now(format!(
            "`lszfcp -H -a` shows the FCP device of {}. Where its attribute `failed` is 1 the driver has given it up, and tries \
             again once 0 is written there (`echo 0 > /sys/bus/ccw/drivers/zfcp/DEVICE/failed`)",
            port.name
        ))
    } else {
        advice
            .run(sh!("echo 1 > /sys/class/fc_host/{}/issue_lip", port.name), "Makes the port log in again")
            .resets_link(&port.name)
            .check(
                sh!(
                    "grep -lx Online /sys/class/fc_host/*/port_state | grep -qvF {}",
                    format!("/{}/", port.name)
                ),
                "another port is online: a LIP stops the I/O of this adapter for a moment",
            )
            .look("dmesg | tail -n 20", "Shows its state now")
    };
    advice
        .persist("Repair the transceiver, cable or switch port")
        .undo("Nothing to undo")
        .expecting(format!("port_state Online, paths back in `{}`", show_paths(host)))
}
