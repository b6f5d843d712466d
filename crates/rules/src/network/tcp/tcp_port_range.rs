use fullwire_model::assessment::Check;

rule! {
    /// # What it checks
    /// Applies on an Oracle host; passes when `net.ipv4.ip_local_port_range` is within 9000 to 65535.
    /// # Why it matters
    /// Ports below 9000 collide with listeners and with services of the cluster; few ports run out when
    /// sessions come and go. A service whose port is within the range may find it taken when it is restarted.
    /// # Evidence
    /// `net.ipv4.ip_local_port_range`; an Oracle instance on this host.
    /// # Remedy
    /// `sysctl -w net.ipv4.ip_local_port_range='9000 65500'`.
    /// # Source
    /// Oracle Database 26ai, minimum kernel parameter values (`ip_local_port_range` 9000 to 65500); oracle
    /// preinstall RPM; tuned profile oracle. Linux Documentation/networking/ip-sysctl.rst, `ip_local_reserved_ports`.
    code: "tcp-port-range",
    title: "the local port range is not what Oracle recommends",
    layer: Network, severity: Warning, on: [Setting],
    when: |run| facts::is_oracle(run),
}

const NAME: &str = "net.ipv4.ip_local_port_range";

fn check(run: &Facts) -> Vec<Outcome> {
    let Some([low, high]) = run.host.sysctl_numbers(NAME).and_then(|range| <[u64; 2]>::try_from(range).ok())
    else {
        return vec![unknown!("{NAME} could not be read")];
    };
    if low >= 9_000 && high >= 65_000 {
        return vec![Outcome::Passes];
    }
    let mut advice = set_sysctl(
        &run.host,
        NAME,
        "9000 65500",
        "Local ports must stay clear of listeners, and there must be enough of them.",
        "the installer's and cluvfy's check passes",
    );
    let listening = "{ port = $4; sub(/.*:/, \"\", port); port += 0; if (port >= 9000 && port < first) bad = 1 } END { exit bad || !NR }";
    advice.steps[0].checks.push(Check {
        run: sh!("ss -ltn | awk -v first={} {}", low, listening),
        text: format!(
            "no service listens at a port from 9000 to {}: reserve it first (net.ipv4.ip_local_reserved_ports), or an outgoing connection may have it while the service is restarted",
            low.saturating_sub(1)
        ),
    });
    vec![
        finding!(Kind::Setting.named(NAME), "{NAME} is {low} to {high}, Oracle requires 9000 to 65500")
            .measured(low as f64, 9_000.0, Unit::Count)
            .evidence(format!("{NAME} = {low} {high}"), "/proc/sys/net/ipv4/ip_local_port_range")
            .advice(advice)
            .into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By a real shell, of what ss lists.
    #[test]
    fn a_port_that_a_service_listens_at_is_seen() {
        let mut run = Run::default();
        run.host.databases.push(Database { kind: "oracle".into(), ..Database::default() });
        run.host.sysctls.insert(NAME.into(), "32768 60999".into());
        let Some(Outcome::Fires(finding)) = check(&Facts::of(&run)).pop() else { panic!("it does not fire") };
        let look = &finding.advice.steps[0].checks[0].run;
        let holds = |address: &str| {
            let whole = format!(
                "ss() {{ echo State Recv-Q Send-Q Local Peer; echo LISTEN 0 128 {address} '*:*'; }}; {look}"
            );
            std::process::Command::new("sh").args(["-c", &whole]).status().expect("sh").success()
        };
        assert!(holds("0.0.0.0:1521") && holds("[::]:40000"));
        assert!(!holds("0.0.0.0:9100") && !holds("[::]:27017") && !holds("10.0.0.1:9000"));
    }
}
