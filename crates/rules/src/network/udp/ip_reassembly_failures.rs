rule! {
    /// # What it checks
    /// Passes when reassemblies of IP fragments do not fail.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// Every failed one is a lost block of a protocol over UDP; on a cluster interconnect it is a lost block of
    /// the global cache.
    /// # Evidence
    /// Growth of `IpReasmFails` against `IpReasmReqds` over the windows.
    /// # Remedy
    /// Jumbo frames, so that blocks need no fragments; `net.ipv4.ipfrag_high_thresh` larger; find the loss of
    /// fragments.
    /// # Source
    /// Linux `Documentation/networking/snmp_counter.rst`, ip-sysctl.rst (`ipfrag_high_thresh`, `ipfrag_time`); Oracle
    /// support practice for gc blocks lost (`ReasmFails`).
    code: "ip-reassembly-failures",
    title: "IP fragment reassembly fails",
    layer: Network, severity: Warning, on: [Protocol],
    check: |run| each::counters(run, &["IpReasmFails", "IpReasmReqds"], judge),

    /// Of the fragments that came; a stray one now and then is no fault.
    const SHARE: f64 = 0.001;
}

fn judge(side: &side::Side, grown: &each::Grown) -> Outcome {
    let (failed, fragments) = (grown.of("IpReasmFails"), grown.of("IpReasmReqds"));
    let share = failed as f64 / fragments.max(1) as f64;
    let weight = grown.span.weight((failed, 5), share >= SHARE, RULE.severity);
    let Some(severity) = weight else { return Outcome::Passes };
    finding!(side.subject(Kind::Protocol, "IP reassembly"), "{failed} reassemblies of IP fragments failed{} ({fragments} fragments came): each is a lost datagram", grown.span.when(failed))
        .severity(severity)
        .measured(share, SHARE, Unit::Ratio)
        .evidence(grown.text(), side.source("/proc/net/snmp"))
        .advice(advice(side).on(side.peer))
        .into()
}

const NAME: &str = "net.ipv4.ipfrag_high_thresh";

/// What is not known cannot be doubled, and may be larger already.
fn advice(side: &side::Side) -> Advice {
    let why = "A block is lost when one of its fragments is lost, or when there is no memory to wait for it.";
    let expect = "IpReasmFails stops growing; with jumbo frames 8 KiB blocks need no fragments";
    match side.host.sysctl_number(NAME) {
        Some(now) => set_sysctl(side.host, NAME, &(now * 2).max(16 << 20).to_string(), why, expect),
        None => because(why)
            .look(sh!("sysctl {}", NAME), "Shows how many bytes may wait for missing fragments")
            .now(format!("Raise {NAME} to twice that, at least to {}", 16_u64 << 20))
            .persist("Keep it in a file of /etc/sysctl.d")
            .expecting(expect),
    }
}
