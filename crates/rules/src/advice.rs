//! Remedies that many rules share, for the distribution at hand.

use fullwire_model::assessment::Advice;
use fullwire_model::host::Host;

/// Set a kernel parameter: now, after a reboot, and back.
pub fn set_sysctl(host: &Host, name: &str, value: &str, why: &str, expect: &str) -> Advice {
    let before = host.sysctl(name).map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    Advice {
        why: why.to_owned(),
        now: vec![format!("sysctl -w {name}='{value}'")],
        persist: vec![format!(
            "echo \"{name} = {value}\" > /etc/sysctl.d/97-fullwire-{}.conf",
            last_word(name)
        )],
        undo: before.map(|before| format!("sysctl -w {name}='{before}'")).into_iter().collect(),
        expect: expect.to_owned(),
    }
}

fn last_word(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
