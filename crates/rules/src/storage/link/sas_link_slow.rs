rule! {
    /// # What it checks
    /// Passes when each SAS phy that has a link runs at the fastest rate that it supports.
    /// # Why it matters
    /// The lane carries 10 bits for 8: 6 Gbit/s are 600 MB/s, 12 Gbit/s 1,200 MB/s. A slow phy is often a bad
    /// cable or an old expander.
    /// # Evidence
    /// `negotiated_linkrate` and `maximum_linkrate`.
    /// # Remedy
    /// Cable, backplane, expander; `maximum_linkrate` set by hand.
    /// # Source
    /// Linux `drivers/scsi/scsi_transport_sas.c` (`negotiated_linkrate`, `maximum_linkrate`).
    code: "sas-link-slow",
    title: "a SAS or SATA phy negotiated less than it supports",
    layer: Storage, severity: Warning, on: [Port],
    check: |run| run.host.sas_phys.iter().map(judge).collect(),
}

fn judge(phy: &SasPhy) -> Outcome {
    let (Some(rate), Some(most)) = (phy.negotiated_gbit_per_s, phy.maximum_gbit_per_s) else {
        return facts::unread(&format!("the link rate of {}", phy.name));
    };
    // A 6 Gbit/s disk on a 12 Gbit/s adapter is as it must be: worth knowing, no more.
    if rate >= most {
        return Outcome::Passes;
    }
    let severity = if rate <= most / 4.0 { Severity::Warning } else { Severity::Info };
    finding!(Kind::Port.named(&phy.name), "SAS phy {} runs at {rate:.1} Gbit/s of {most:.1}", phy.name)
        .severity(severity)
        .measured(rate * 1e8, most * 1e8, Unit::BytesPerS)
        .evidence(
            format!("negotiated_linkrate {rate}, maximum_linkrate {most}"),
            format!("/sys/class/sas_phy/{}", phy.name),
        )
        .because("The lane's rate is the ceiling of the disks behind it.")
        .look(sh!("grep . /sys/class/sas_phy/{}/*count", phy.name), "Errors point at the cable")
        .persist("replace cable or backplane if the disk supports more")
        .expecting("the rate of the slower of disk and adapter")
        .into()
}
