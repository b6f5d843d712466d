rule! {
    /// # What it checks
    /// Passes when `net.core.rmem_max` and `wmem_max` are not below the third values of `tcp_rmem` and `tcp_wmem`, or as the
    /// kernel has them by default; on an Oracle host when they are not below 4194304 and 1048576.
    /// # Why it matters
    /// Programs that set their buffers themselves (`RECV_BUF_SIZE`, `SEND_BUF_SIZE`, UDP of the interconnect) get
    /// at most these, and lose autotuning.
    /// # Evidence
    /// `net.core.rmem_max`, `net.core.wmem_max`, `net.ipv4.tcp_rmem`, `tcp_wmem`.
    /// # Remedy
    /// Raise `net.core.rmem_max` and `wmem_max` to the third values.
    /// # Source
    /// Oracle Database 26ai, minimum kernel parameter values (`rmem_max` 4194304, `wmem_max` 1048576); SUSE note
    /// 2382421; socket(7).
    code: "tcp-core-buffers",
    title: "fixed socket buffers are smaller than the autotuned ones",
    layer: Network, severity: Warning, on: [Setting],
    check: |run| PAIRS.iter().map(|pair| judge(run, pair)).collect(),

    /// What the kernel starts with (`net/core/sock.c`), bytes.
    const KERNEL_DEFAULT: u64 = 212_992;
}

/// Core limit, the TCP setting that it should follow, Oracle's least value.
const PAIRS: [(&str, &str, u64); 2] = [
    ("net.core.rmem_max", "net.ipv4.tcp_rmem", 4_194_304),
    ("net.core.wmem_max", "net.ipv4.tcp_wmem", 1_048_576),
];

fn judge(run: &Run, (core, tcp, oracle): &(&str, &str, u64)) -> Outcome {
    let Some(now) = run.host.sysctl_number(core) else { return unknown!("{core} could not be read") };
    let largest = run.host.sysctl_numbers(tcp).and_then(|numbers| numbers.get(2).copied()).unwrap_or(0);
    let needs_oracle = facts::is_oracle(run) && now < *oracle;
    let wanted = if needs_oracle { largest.max(*oracle) } else { largest.max(KERNEL_DEFAULT) };
    // TCP's autotuning does not look at it, and nobody changed it: only a program that asks for its own buffer is limited,
    // and then `socket-buffer-clamped` has seen it.
    if !needs_oracle && now == KERNEL_DEFAULT {
        return Outcome::Passes;
    }
    // What the vendor asks for is set on purpose, for the datagrams of the interconnect.
    if now >= wanted || (facts::is_oracle(run) && !needs_oracle) {
        return Outcome::Passes;
    }
    let text = if needs_oracle {
        format!("{core} is {now}, Oracle requires {oracle} at least")
    } else {
        format!(
            "{core} is {now}, below the {wanted} of {}: programs that set their own buffers get less than autotuning",
            if wanted == largest { tcp } else { "the kernel's default" }
        )
    };
    RULE.finding(Kind::Setting.named(*core), text)
        .severity(if needs_oracle { Severity::Warning } else { Severity::Info })
        .measured(now as f64, wanted as f64, Unit::Bytes)
        .evidence(format!("{core} = {now}, {tcp} up to {largest}"), "/proc/sys/net")
        .advice(set_sysctl(
            &run.host,
            core,
            &wanted.to_string(),
            "A fixed buffer is silently reduced to this value.",
            if facts::is_oracle(run) {
                "buffers have the sizes requested by RECV_BUF_SIZE and SEND_BUF_SIZE"
            } else {
                "buffers have the sizes that programs request (SO_RCVBUF, SO_SNDBUF)"
            },
        ))
        .into()
}
