//! Teams: the kernel knows the ports, the daemon (`teamd`) all the rest. It is asked on its socket; a sosreport
//! keeps what `teamdctl` printed.

use crate::Root;
use crate::root::gap_of;
use fullwire_model::host::{Bond, BondSlave, Nic};
use fullwire_model::{Gap, GapReason};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType, socket_with,
};
use serde_json::Value;
use std::time::Duration;

/// The daemon answers from memory.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// A state of a team with hundreds of ports.
const ANSWER_BYTES: usize = 256 << 10;

pub(super) fn read(root: &Root, nics: &[Nic], gaps: &mut Vec<Gap>) -> Vec<Bond> {
    nics.iter().filter(|nic| nic.kind == "team").map(|nic| one(root, &nic.name, nics, gaps)).collect()
}

fn one(root: &Root, name: &str, nics: &[Nic], gaps: &mut Vec<Gap>) -> Bond {
    let subject = format!("teamd {name}");
    let captured = format!("/sos_commands/teamd/teamdctl_{name}_state_dump");
    let state = root
        .answer(&subject, || ask(&subject, name))
        .or_else(|gap| root.try_read(&captured, ANSWER_BYTES).map(|(text, _)| text).map_err(|_| gap));
    let bond = state.and_then(|text| {
        parse(name, &text).ok_or_else(|| {
            Gap::new(&subject, GapReason::Malformed, format!("{captured}:1: not a team's state"))
        })
    });
    bond.unwrap_or_else(|gap| {
        gaps.push(gap);
        from_ports(name, nics)
    })
}

/// What the kernel alone reports: which ports there are.
fn from_ports(name: &str, nics: &[Nic]) -> Bond {
    let slaves = nics.iter().filter(|nic| nic.master.as_deref() == Some(name));
    let slave = |nic: &Nic| BondSlave {
        name: nic.name.clone(),
        mii_status: if nic.carrier == Some(true) { "up" } else { "down" }.to_owned(),
        speed_mbit_per_s: nic.speed_mbit_per_s,
        duplex: nic.duplex.clone(),
        ..BondSlave::default()
    };
    Bond { name: name.to_owned(), slaves: slaves.map(slave).collect(), ..Bond::default() }
}

/// `StateDump` of teamd's socket protocol: a request in lines, an answer with its status in the first line.
fn ask(subject: &str, name: &str) -> Result<String, Gap> {
    let failed = |errno: rustix::io::Errno| gap_of(subject, &errno.into());
    let socket = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
        .map_err(failed)?;
    for direction in [Timeout::Recv, Timeout::Send] {
        set_socket_timeout(&socket, direction, Some(TIME_LIMIT)).map_err(failed)?;
    }
    let path = ["/run/teamd", "/var/run/teamd"].map(|directory| format!("{directory}/{name}.sock"));
    let address = SocketAddrUnix::new(path[0].as_str())
        .or_else(|_| SocketAddrUnix::new(path[1].as_str()))
        .map_err(failed)?;
    rustix::net::connect(&socket, &address).map_err(failed)?;
    rustix::net::send(&socket, b"REQUEST\nStateDump\n", SendFlags::NOSIGNAL).map_err(failed)?;
    let mut buffer = vec![0_u8; ANSWER_BYTES];
    let (length, _) = rustix::net::recv(&socket, &mut buffer[..], RecvFlags::empty()).map_err(failed)?;
    let text = String::from_utf8_lossy(buffer.get(..length).unwrap_or_default()).into_owned();
    match text.split_once('\n') {
        Some(("REPLY_SUCC", state)) => Ok(state.to_owned()),
        _ => Err(Gap::new(subject, GapReason::Unsupported, "teamd does not report its state")),
    }
}

/// The daemon's state.
fn parse(name: &str, text: &str) -> Option<Bond> {
    let state: Value = serde_json::from_str(text.trim_end_matches('\0')).ok()?;
    let runner = state["setup"]["runner_name"].as_str()?;
    let mut bond = Bond { name: name.to_owned(), mode: runner.to_owned(), ..Bond::default() };
    bond.active_slave = state["runner"]["active_port"].as_str().map(str::to_owned);
    bond.lacp_rate =
        state["runner"]["fast_rate"].as_bool().map(|fast| if fast { "fast" } else { "slow" }.to_owned());
    for (port, facts) in state["ports"].as_object()? {
        bond.slaves.push(BondSlave {
            name: port.clone(),
            mii_status: if facts["link"]["up"].as_bool() == Some(true) { "up" } else { "down" }.to_owned(),
            speed_mbit_per_s: facts["link"]["speed"].as_u64().filter(|&speed| speed > 0),
            duplex: facts["link"]["duplex"].as_str().map(str::to_owned),
            link_failures: failures(&facts["link_watches"]["list"]),
            aggregator_id: facts["runner"]["aggregator"]["id"].as_u64().and_then(|id| u32::try_from(id).ok()),
            partner_mac: facts["runner"]["partner_lacpdu_info"]["system"].as_str().map(str::to_owned),
            ..BondSlave::default()
        });
    }
    let any_up = bond.slaves.iter().any(|slave| slave.mii_status == "up");
    bond.mii_status = String::from(if any_up { "up" } else { "down" });
    if runner == "lacp" {
        let selected =
            |port: &&BondSlave| state["ports"][&port.name]["runner"]["aggregator"]["selected"] == true;
        let active = bond.slaves.iter().find(selected);
        bond.aggregator_id = active.and_then(|port| port.aggregator_id);
        bond.partner_mac = active.and_then(|port| port.partner_mac.clone());
        bond.ad_num_ports = u32::try_from(bond.slaves.iter().filter(selected).count()).ok();
    }
    Some(bond)
}

/// Times that any of a port's watches saw its link go down.
fn failures(watches: &Value) -> Option<u64> {
    let counts = watches.as_object()?.values().filter_map(|watch| watch["down_count"].as_u64());
    Some(counts.fold(0, u64::saturating_add))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STATE: &str = r#"{"ports":{"eth1":{"ifinfo":{"ifname":"eth1"},"link":{"duplex":"full","speed":10000,"up":true},
        "link_watches":{"list":{"link_watch_0":{"down_count":2,"name":"ethtool","up":true}},"up":true},
        "runner":{"aggregator":{"id":3,"selected":true},"selected":true,"partner_lacpdu_info":{"system":"aa:bb:cc:dd:ee:ff"}}},
        "eth2":{"link":{"duplex":"","speed":0,"up":false},"runner":{"aggregator":{"id":0,"selected":false}}}},
        "runner":{"active":true,"fast_rate":true},"setup":{"runner_name":"lacp","kernel_team_mode_name":"loadbalance"}}"#;

    #[test]
    fn reads_a_daemons_state() {
        let team = parse("team0", STATE).expect("a good state");
        assert_eq!(
            (team.mode.as_str(), team.lacp_rate.as_deref(), team.mii_status.as_str()),
            ("lacp", Some("fast"), "up")
        );
        assert_eq!((team.aggregator_id, team.ad_num_ports), (Some(3), Some(1)));
        assert_eq!((team.slaves[0].speed_mbit_per_s, team.slaves[0].link_failures), (Some(10_000), Some(2)));
        assert_eq!((team.slaves[1].mii_status.as_str(), team.slaves[1].speed_mbit_per_s), ("down", None));
        assert_eq!(team.partner_mac.as_deref(), Some("aa:bb:cc:dd:ee:ff"));
    }

    proptest! {
        #[test]
        fn mangled_states_never_panic(cut in 0..STATE.len(), noise in "(?s).{0,40}") {
            let mangled: String = STATE.chars().take(cut).chain(noise.chars()).collect();
            prop_assert!(parse("team0", &mangled).is_none_or(|team| team.name == "team0"));
        }
    }
}
