use crate::advice::set_sysctl;
use crate::prelude::*;

rule! {
    /// # What it checks
    /// Applies on an Oracle host; passes when `net.ipv4.ip_local_port_range` is within 9000 to 65535.
    ///
    /// # Why it matters
    /// Ports below 9000 collide with listeners and with services of the cluster; few ports run out when
    /// sessions come and go.
    ///
    /// # Evidence
    /// `net.ipv4.ip_local_port_range`; an Oracle instance on this host.
    ///
    /// # Remedy
    /// `sysctl -w net.ipv4.ip_local_port_range='9000 65500'`.
    ///
    /// # Source
    /// Oracle Database 26ai, minimum kernel parameter values (`ip_local_port_range` 9000 to 65500); oracle
    /// preinstall RPM; tuned profile oracle.
    code: "tcp-port-range",
    title: "the local port range is not what Oracle recommends",
    layer: Network, severity: Warning, on: [Setting],
}

const NAME: &str = "net.ipv4.ip_local_port_range";

fn check(run: &Facts) -> Vec<Outcome> {
    if !facts::is_oracle(run) {
        return Vec::new();
    }
    let Some([low, high]) = run.host.sysctl_numbers(NAME).and_then(|range| <[u64; 2]>::try_from(range).ok())
    else {
        return vec![Outcome::Unknown(format!("{NAME} could not be read"))];
    };
    if low >= 9_000 && high >= 65_000 {
        return vec![Outcome::Passes];
    }
    vec![
        RULE.finding(
            Kind::Setting.named(NAME),
            format!("{NAME} is {low} to {high}, Oracle requires 9000 to 65500"),
        )
        .measured(low as f64, 9_000.0, Unit::Count)
        .evidence(format!("{NAME} = {low} {high}"), "/proc/sys/net/ipv4/ip_local_port_range")
        .advice(set_sysctl(
            &run.host,
            NAME,
            "9000 65500",
            "Local ports must stay clear of listeners, and there must be enough of them.",
            "the installer's and cluvfy's check passes",
        ))
        .into(),
    ]
}
