rule! {
    /// # What it checks
    /// Passes when pause frames do not rise while a path is measured. A driver that counts none leaves it unknown.
    /// # Why it matters
    /// A receiver (host or switch) whose buffers fill asks its neighbour to pause: all traffic through that port waits.
    /// # Evidence
    /// Growth of the driver's pause counters (`rx_pause`, `rx_flow_control_xoff` and their like), flow control
    /// as set (`ethtool -a`).
    /// # Remedy
    /// Find the slow receiver behind the pause frames; switch flow control off toward storage and interconnect
    /// unless the vendor asks for it.
    /// # Source
    /// IEEE 802.3 annex 31B; Red Hat Enterprise Linux 10, Network troubleshooting and performance tuning,
    /// chapter 14; NetApp ontap-apps-dbs, Ethernet settings (flow control off). Names: Linux `i40e_ethtool.c`
    /// (`port.link_xoff_rx`), `ice_ethtool.c` (`link_xoff_rx.nic`), `igb_ethtool.c` and ixgbe (`rx_flow_control_xoff`).
    code: "nic-pause-frames",
    title: "pause frames stop the link",
    layer: Network, severity: Warning, on: [Nic], limits: [PauseFrames],
    check: |run| each::nic(run, each::in_use, |side, nic| judge(run, side, nic)),

    /// Fewer in a second are a blink: of 10 Gbit/s they take 3 % at most (65,535 quanta of 512 bits each), of a faster link less.
    const A_SECOND: f64 = 10.0;
    /// The speed that the allowed rate is given for; a faster link may pause more often.
    const AT_MBIT_PER_S: f64 = 10_000.0;
}

fn judge(run: &Run, side: &side::Side, nic: &Nic) -> Outcome {
    let at = side.subject(Kind::Nic, &nic.name);
    let sum = |direction: &'static str| {
        side.counted(|counters| {
            let driver = &counters.nics.get(&nic.name)?.driver;
            let pauses = driver.iter().filter(|(name, _)| is_pause(name, direction));
            pauses.map(|(_, count)| *count).max()
        })
    };
    let (received, sent) = (sum("rx"), sum("tx"));
    let Some(counted) = received.or(sent) else {
        return unknown!("the pause frames of {at} were not counted over a window");
    };
    let (received, sent) = (received.unwrap_or_default(), sent.unwrap_or_default());
    let rate = received.count.max(sent.count) as f64 / counted.seconds.max(1.0);
    let allowed = A_SECOND * (nic.speed_mbit_per_s.unwrap_or(0) as f64 / AT_MBIT_PER_S).max(1.0);
    if rate < allowed {
        return Outcome::Passes;
    }
    // Over all the time since boot a mean of that height is no burst; of a lossless network it may be by design.
    let by_design = counted.is_total() && carries_storage(side, nic);
    let over = if counted.is_total() { " on average since boot" } else { "" };
    let who = if received.count >= sent.count { "its switch port sends" } else { "it sends" };
    let finding =
        finding!(&at, "{who} {rate:.0} pause frames per second on {at}{over}: the link is being paused")
            .severity(if by_design { Severity::Info } else { Severity::Warning })
            .measured(rate, allowed, Unit::PerS)
            .evidence(
                format!(
                    "{}, {} {}",
                    counted.span().count("pause received", received.count),
                    counted.span().count("sent", sent.count),
                    counted.span().in_seconds()
                ),
                side.source(&format!("ethtool -S {}", nic.name)),
            )
            .advice(advice(side, nic).on(side.peer));
    finding.explains(explain::paths_over(run, side, &nic.name, Mechanism::PauseFrames)).into()
}

/// Lossless Ethernet (RDMA, Fibre Channel over Ethernet, DCB) and some iSCSI arrays need flow control: then the slow receiver is the remedy.
fn advice(side: &side::Side, nic: &Nic) -> Advice {
    let why = "A slow receiver pauses every sender behind the port; TCP would slow down only its own sender.";
    let expect = "no pause frames; the slow receiver shows by its own drops";
    if carries_storage(side, nic) {
        return because(why)
            .now("Find the slow receiver by the pause counters of the switch ports. Leave flow control on: RoCE, FCoE and some iSCSI arrays become slow or lose connections without it")
            .persist("Relieve or repair that receiver, or give storage its own priority (PFC)")
            .expecting(expect);
    }
    let pause = nic.pause.clone();
    let word = |on: bool| if on { "on" } else { "off" };
    let back = pause.map_or("rx on tx on".into(), |pause| sh!("rx {} tx {}", word(pause.rx), word(pause.tx)));
    because("")
        .now(format!(
            "`dcb pfc show dev {0}` or `mlnx_qos -i {0}`: if a priority has PFC, or an array's vendor demands flow control, \
             leave it on and look for the slow receiver",
            as_word(&nic.name)
        ))
        .and(set_ethtool(side.host, &nic.name, "-A", ["rx off tx off".into(), back], why, expect))
}

/// Storage over this kind of network may depend on a link that loses nothing.
fn carries_storage(side: &side::Side, nic: &Nic) -> bool {
    let lossless = |disk: &Disk| matches!(disk.transport.as_str(), "iscsi" | "nvme-rdma" | "fcoe");
    let rdma = ["mlx", "bnxt", "irdma", "qede"].iter().any(|driver| nic.driver.starts_with(driver));
    rdma || side.host.disks.iter().any(lossless) || !side.host.iscsi_sessions.is_empty()
}

/// The direction is at either end of the name: `rx_pause`, `port.link_xoff_rx`, `link_xoff_rx.nic`.
fn is_pause(name: &str, direction: &str) -> bool {
    let lower = name.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| word == direction)
        && (lower.contains("pause") || lower.contains("xoff"))
        && !lower.contains("duration")
        && !lower.contains("storm")
}
