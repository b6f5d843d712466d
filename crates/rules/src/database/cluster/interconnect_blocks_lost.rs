rule! {
    /// # What it checks
    /// Passes when no global cache blocks were lost or corrupt in the interval. A note at up to one a minute and one in ten
    /// thousand received: a node's restart or a switch's failover loses a few.
    /// # Why it matters
    /// A lost block is requested again after a timeout of about half a second: one in a thousand is enough to
    /// spoil every mean.
    /// # Evidence
    /// `gc blocks lost` and `gc blocks corrupt` of the instance activity, `Lost` of a global report.
    /// # Remedy
    /// Find the drops: `fullwire check --only network` (rings, socket buffers, IP reassembly), `fullwire net
    /// --mode interconnect`, `fullwire mtu`; the same MTU on every port and switch.
    /// # Source
    /// Oracle Support note 563566.1, "Troubleshooting gc block lost and Poor Network Performance in a RAC
    /// Environment": any growth is a fault of network or UDP settings.
    code: "interconnect-blocks-lost",
    title: "blocks are lost on the interconnect",
    layer: Database, severity: Warning, on: [Report],
    check: |run| report::each(run, |report| vec![judge(report)]),

    /// Lost or corrupt blocks a minute from which on it is no single event (own choice).
    const LOST_A_MINUTE: f64 = 1.0;
    /// Their share of the blocks received from which on it is none (own choice).
    const LOST_SHARE: f64 = 1e-4;
}

fn judge(report: &AwrReport) -> Outcome {
    let Some(rac) = &report.rac_statistics else { return Outcome::Passes };
    if rac.blocks_lost.is_none() && rac.blocks_corrupt.is_none() {
        return unknown!("{} does not count lost blocks", report.source);
    }
    let (lost, corrupt) = (rac.blocks_lost.unwrap_or(0.0), rac.blocks_corrupt.unwrap_or(0.0));
    if lost + corrupt <= 0.0 {
        return Outcome::Passes;
    }
    // A node that restarts or a switch that fails over loses a few; a fault loses them all the time.
    let a_minute =
        report.elapsed_min.filter(|minutes| *minutes > 0.0).map(|minutes| (lost + corrupt) / minutes);
    let received =
        rac.load_per_s.iter().find(|(label, _)| label.contains("blocks received")).map(|(_, rate)| *rate);
    let share = received.zip(report.elapsed_min).map(|(rate, minutes)| rate * minutes * 60.0);
    let share = share.filter(|blocks| *blocks > 0.0).map(|blocks| (lost + corrupt) / blocks);
    let goes_on =
        a_minute.is_none_or(|rate| rate > LOST_A_MINUTE) || share.is_some_and(|share| share > LOST_SHARE);
    let severity = if goes_on { Severity::Warning } else { Severity::Info };
    finding!(report::subject(report), "{lost:.0} global cache blocks were lost and {corrupt:.0} corrupt in the interval")
        .severity(severity)
        .measured(lost + corrupt, 0.0, Unit::Count)
        .evidence(format!("gc blocks lost {lost:.0}, gc blocks corrupt {corrupt:.0}"), &report.source)
        .because("Each lost block costs a timeout before it is requested again.")
        .now("`fullwire check --only network` on both nodes: rings, socket buffers, reassembly failures")
        .now("`fullwire net PRIVATE-ADDRESS-OF-THE-OTHER-NODE --mode interconnect --length 8k` between the nodes")
        .persist("the same MTU on every interface and switch port of the private network; larger rings and UDP buffers")
        .expecting("no lost blocks in the next report")
        .into()
}
