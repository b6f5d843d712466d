rule! {
    /// # What it checks
    /// Passes when no FC host port runs slower than another one of its kind. A port that supports more than the fabric
    /// has is a design: a note.
    /// # Why it matters
    /// The link is the ceiling of the paths over it: 8GFC carries 800 MB/s, 32GFC 3,200 MB/s.
    /// # Evidence
    /// `speed` and `supported_speeds` of the port.
    /// # Remedy
    /// A transceiver or switch port of the same generation; auto-negotiation at both ends.
    /// # Source
    /// Linux `drivers/scsi/scsi_transport_fc.c` (speed, `supported_speeds`); FC-PI payload rates, 100 MB/s for each
    /// nominal Gbit/s.
    code: "fc-speed-low",
    title: "a Fibre Channel port negotiated less than it supports",
    layer: Storage, severity: Warning, on: [Port],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let online = || run.host.fc_hosts.iter().filter(|port| port.port_state == "Online");
    let slower_than_kin = |port: &FcHost| {
        let mut kin = online().filter(|other| other.supported_gbit_per_s == port.supported_gbit_per_s);
        kin.any(|other| other.speed_gbit_per_s > port.speed_gbit_per_s)
    };
    online().map(|port| judge(port, slower_than_kin(port))).collect()
}

fn judge(port: &FcHost, slower_than_kin: bool) -> Outcome {
    let (Some(speed), Some(supported)) = (port.speed_gbit_per_s, port.supported_gbit_per_s) else {
        return facts::unread(&format!("the speed of {}", port.name));
    };
    if speed >= supported {
        return Outcome::Passes;
    }
    finding!(
        Kind::Port.named(&port.name),
        "Fibre Channel port {} runs at {speed:.0} Gbit/s of {supported:.0}: {:.0} MB/s instead of {:.0}",
        port.name,
        speed * 100.0,
        supported * 100.0,
    )
    .severity(if slower_than_kin { Severity::Warning } else { Severity::Info })
    .measured(speed * 100e6, supported * 100e6, Unit::BytesPerS)
    .evidence(
        format!("speed {speed} Gbit, supported up to {supported} Gbit"),
        format!("/sys/class/fc_host/{}", port.name),
    )
    .because("All paths over the port share its rate.")
    .now("compare transceiver, switch port and array port: the slowest decides")
    .persist("equip the slower end; set both ends to auto-negotiation")
    .expecting("the supported speed in `speed`; sequential reads rise with it")
    .into()
}
