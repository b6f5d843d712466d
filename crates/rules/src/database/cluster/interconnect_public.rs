rule! {
    /// # What it checks
    /// Passes when every interconnect that the instances use is marked private (`Pub` = N).
    /// # Why it matters
    /// Cache traffic between the nodes then shares a network with clients, backups and standbys, without jumbo
    /// frames and without protection.
    /// # Evidence
    /// `Pub` in the section "Cluster Interconnect" of the report (`G``V$CLUSTER_INTERCONNECTS``.IS_PUBLIC`).
    /// # Remedy
    /// Declare the private interface: `oifcfg setif -global IF/SUBNET:cluster_interconnect`, take the public one
    /// out, restart the clusterware.
    /// # Source
    /// Oracle Database Reference, `V$CLUSTER_INTERCONNECTS`; Oracle Clusterware Administration Guide, oifcfg.
    code: "interconnect-public",
    title: "the interconnect runs on a public network",
    layer: Database, severity: Critical, on: [Report],
    check: |run| report::each(run, |report| vec![judge(report)]),
}

fn judge(report: &AwrReport) -> Outcome {
    let Some(rac) = &report.rac_statistics else { return Outcome::Passes };
    if rac.interconnects.iter().all(|one| one.public.is_none()) {
        return unknown!("{} does not list the interconnects", report.source);
    }
    let Some(public) = rac.interconnects.iter().find(|one| one.public == Some(true)) else {
        return Outcome::Passes;
    };
    finding!(report::subject(report), "the interconnect {} ({}) is a public network", public.interface, public.address)
        .evidence(format!("{} {} Pub Y", public.interface, public.address), &report.source)
        .measured(1.0, 0.0, Unit::Count)
        .because("Cache traffic of the cluster shares a network with everything else.")
        .now("oifcfg getif")
        .persist("oifcfg setif -global INTERFACE/SUBNET:cluster_interconnect on a private network; restart the clusterware")
        .expecting("Pub N for every interconnect in the next report")
        .into()
}
