//! Settings for one destination, next to every other route.

use super::condition::no_line;
use super::{AdviceExt, because, sh};
use crate::facts::route;
use fullwire_model::assessment::{Advice, ShellCommand};
use fullwire_model::host::Host;
use std::net::IpAddr;

/// Send packets of this size to one host; `None` where the way to it is not known.
pub(crate) fn set_route_mtu(host: &Host, remote: &str, mtu_bytes: u64) -> Option<Advice> {
    let text = format!(
        "Limits packets to {remote} to {mtu_bytes} bytes; other routes and the interface do not change"
    );
    set_route(host, remote, &sh!("mtu lock {}", mtu_bytes), &text)
}

/// Use a congestion control for the connections to one host (ip-route(8), `congctl`).
pub(crate) fn set_route_congestion(host: &Host, remote: &str, name: &str) -> Option<Advice> {
    let text = format!("New connections to {remote} use {name}; connections to other hosts do not change");
    set_route(host, remote, &sh!("congctl {}", name), &text)
}

/// Who makes and removes routes as routers come and go (iproute2, `etc/iproute2/rt_protos`).
const BY_A_DAEMON: &str = "proto (gated|mrt|zebra|bird|babel|openr|bgp|isis|ospf|rip|eigrp)";

fn set_route(host: &Host, remote: &str, words: &ShellCommand, text: &str) -> Option<Advice> {
    let address = route::ip(remote)?;
    let way = route::route_to(host, &address.to_string()).filter(|way| !way.interface.is_empty())?;
    if follows_own_table(host, way.source.as_deref()) {
        return None;
    }
    let (family, length) = if matches!(address, IpAddr::V4(_)) { ("-4", 32) } else { ("-6", 128) };
    let single = format!("{address}/{length}");
    let via = way.gateway.as_ref().map_or(ShellCommand::empty(), |gateway| sh!(" via {}", gateway));
    let family = ShellCommand::from(family);
    // A route without the source that the kernel chose until now could send from another address.
    let source = way.source.as_ref().map_or(ShellCommand::empty(), |source| sh!(" src {}", source));
    let dev = sh!("dev {}{}", way.interface, source);
    let own = host
        .routes
        .iter()
        .find(|one| !one.looked_up && (one.destination == single || one.destination == address.to_string()));
    let advice =
        because("").run(sh!("ip {} route replace {}{} {} {}", family, single, via, dev, words), text).check(
            no_line(&sh!("ip {} route show match {}", family, address), BY_A_DAEMON),
            format!("no routing daemon made the route to {address}: a fixed one stays when its router fails"),
        );
    let shown = sh!("ip {} route show exact {}", family, single);
    let advice = advice.reads_back(sh!("{} | grep -qF {}", shown, words.as_str()));
    Some(match own {
        None => {
            let dev = sh!("dev {}", way.interface);
            advice
                .undo_run(sh!("ip {} route del {} {}", family, single, dev), "Removes the route to this host")
        }
        Some(own) => {
            let source = own.source.as_ref().map_or(ShellCommand::empty(), |source| sh!(" src {}", source));
            let dev = sh!("dev {}{}", way.interface, source);
            let mtu = own.mtu_bytes.map_or(ShellCommand::empty(), |mtu| sh!(" mtu {}", mtu));
            advice.undo_run(
                sh!("ip {} route replace {}{} {}{}", family, single, via, dev, mtu),
                "Sets the route as it was",
            )
        }
    })
}

/// Packets with this source, or some where it is not known, are sent by a table of their own (`ip rule`): a route in the main
/// table does not reach them.
fn follows_own_table(host: &Host, source: Option<&str>) -> bool {
    let source = source.and_then(route::ip);
    let mut rules = host.source_rules.iter().flatten();
    rules.any(|rule| source.is_none_or(|source| route::contains(rule, source)))
}

/// Take a word and its number out of the route that the kernel uses for an address, such as `cwnd lock 10`; `None` where
/// the table that was read has no such route. The rest of the route is read again when the command runs.
pub(crate) fn unset_route(
    host: &Host,
    remote: &str,
    word: &'static str,
    number: u64,
    why: &str,
) -> Option<Advice> {
    let address = route::ip(remote)?;
    let prefix = &route::listed(host, address)?.destination;
    let family = ShellCommand::from(if address.is_ipv4() { "-4" } else { "-6" });
    let shown = sh!("ip {} route show to exact {}", family, prefix);
    let without = sh!(
        "grep -m 1 {} | sed -E {}",
        format!(" {word} {number}"),
        format!("s/ {word} [0-9]+//; s/ linkdown//")
    );
    let change = sh!("ip {} route change", family);
    // It fails where nothing is cached.
    let forgotten = sh!("ip tcp_metrics flush {} || true", address);
    let advice = because(why)
        .run(
            sh!("{} $({} | {})", change, shown, without),
            format!("Removes `{word} {number}` from the route to {prefix}"),
        )
        .reads_back(no_line(&shown, &format!(" {word} {number}")))
        // What connections learnt under the route outlives it there (ip-tcp_metrics(8)).
        .run(forgotten.clone(), format!("Forgets what earlier connections to {address} learnt"))
        .persist(format!(
            "Remove `{word}` from the permanent route (nmcli, route files of ifcfg, systemd-networkd)"
        ))
        .undo_run(
            sh!(
                "{} && {} $({} | head -n 1 | sed 's/ linkdown//') {} {}",
                forgotten,
                change,
                shown,
                ShellCommand::from(word),
                number
            ),
            format!("Sets `{word} {number}` again, for new connections immediately"),
        );
    Some(advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gateway_is_kept_and_the_way_back_is_there() {
        let host: Host = serde_json::from_str(
            r#"{ "routes": [ { "destination": "default", "gateway": "10.0.1.2", "interface": "eth0" },
                             { "destination": "10.0.1.0/24", "interface": "eth0", "source": "10.0.1.9" } ] }"#,
        )
        .unwrap();
        let commands = |remote: &str| {
            let advice = set_route_mtu(&host, remote, 1400).expect("a way");
            advice.steps.into_iter().map(|step| step.run.unwrap().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(
            commands("10.0.2.1"),
            [
                "ip -4 route replace 10.0.2.1/32 via 10.0.1.2 dev eth0 mtu lock 1400",
                "ip -4 route del 10.0.2.1/32 dev eth0"
            ]
        );
        assert_eq!(
            commands("10.0.1.7")[0],
            "ip -4 route replace 10.0.1.7/32 dev eth0 src 10.0.1.9 mtu lock 1400"
        );
        assert!(set_route_mtu(&Host::default(), "10.0.2.1", 1400).is_none());
        // From this address packets go by another table than the one that the command would write to.
        let mut ruled = host.clone();
        ruled.source_rules = Some(vec!["10.0.1.9/32".into()]);
        assert!(set_route_mtu(&ruled, "10.0.1.7", 1400).is_none());
        ruled.source_rules = Some(vec!["10.0.3.0/24".into()]);
        assert!(set_route_mtu(&ruled, "10.0.1.7", 1400).is_some());
    }
}
