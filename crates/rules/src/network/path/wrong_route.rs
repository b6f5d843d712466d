rule! {
    /// # What it checks
    /// Passes unless the route to a peer leaves through an interface that is not in the peer's network although another
    /// interface is, or goes through a router although the peer is on the link. The peer's route back is judged the
    /// same way.
    /// # Why it matters
    /// A stale host route sends the traffic of the fast private network through a slow router; nothing is
    /// broken, it is only slow.
    /// # Evidence
    /// The kernel's answer for the peer's address (`ip route get`), the addresses of all interfaces.
    /// # Remedy
    /// Delete the route: `ip route del ADDRESS`; the connected network takes over.
    /// # Source
    /// RFC 1122 section 3.3.1 (hosts deliver locally what is on a connected network); ip-route(8).
    code: "wrong-route",
    title: "traffic leaves through the wrong interface",
    layer: Network, severity: Critical, on: [Route], limits: [WrongRoute],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut seen = Vec::new();
    for result in run.net.iter().filter(|result| !result.path.loopback) {
        if seen.contains(&&result.target) {
            continue;
        }
        seen.push(&result.target);
        outcomes.push(there(run, result));
        if let Some(peer) = run.peer(&result.target).and_then(|peer| peer.host.as_ref()) {
            outcomes.extend(back(peer, result));
        }
    }
    outcomes
}

fn there(run: &Run, result: &NetResult) -> Outcome {
    let route = route::looked_up(run, route::remote(result));
    let interface = match route {
        Some(route) => route.interface.as_str(),
        None => result.path.interface.as_str(),
    };
    let Some(address) = route::ip(route::remote(result)) else {
        return unknown!("the address of {} is not known", result.target);
    };
    if interface.is_empty() || run.host.nics.is_empty() {
        return unknown!("the route to {} is not known", result.target);
    }
    let gateway = route.and_then(|route| route.gateway.as_deref()).or(result.path.gateway.as_deref());
    judge(&run.host, address, interface, gateway, result, At::Here)
}

/// The peer's route to our address, if it reported one.
fn back(peer: &Host, result: &NetResult) -> Option<Outcome> {
    let address = route::ip(&result.path.local)?;
    let answers = |route: &&Route| {
        route.looked_up && route::ip(route.destination.split('/').next().unwrap_or("")) == Some(address)
    };
    let route = peer.routes.iter().find(answers)?;
    let at = At::peer(Some(&result.target));
    Some(judge(peer, address, &route.interface, route.gateway.as_deref(), result, at))
}

fn judge(
    host: &Host,
    address: IpAddr,
    interface: &str,
    gateway: Option<&str>,
    result: &NetResult,
    at: At,
) -> Outcome {
    let holds = |nic: &&Nic| nic.addresses.iter().any(|own| route::contains(own, address));
    let taken = host.nic(interface);
    let right =
        host.nics.iter().filter(|nic| nic.up != Some(false) && nic.carrier != Some(false)).find(holds);
    let direct = taken.as_ref().is_some_and(holds);
    let detour = direct && gateway.is_some();
    let Some(right) = right.filter(|_| detour || !direct) else { return Outcome::Passes };
    let right = &right.name;
    let via = gateway.map_or(String::new(), |gateway| format!(" by router {gateway}"));
    let route = Kind::Route.named(address.to_string()).aspect("route").at(at);
    let text = if detour {
        format!("the {route} goes{via} although {right} is in its network")
    } else {
        format!("the {route} leaves through {interface}{via} although {right} is in its network")
    };
    RULE.finding(route, text)
        .evidence(format!("{address}{via} dev {interface}"), "ip route get")
        .evidence(format!("{right}: {}", host.nic(right).map_or(String::new(), |nic| nic.addresses.join(", "))), "ip address")
        .explains([Explanation::of_path(&result.target, Mechanism::WrongRoute)])
        .because("A host route takes precedence over the connected network, however slow it is.")
        .and(correction(host, address, interface, gateway))
        .persist("remove the permanent static route (nmcli connection show, /etc/netplan, /etc/network/interfaces, ifroute-*)")
        .expecting(format!("traffic leaves through {right}; repeat `fullwire net {}`", as_word(&result.target)))
        .into()
}

/// Only a route to this one host can be deleted without others; connections over it pause while it changes.
fn correction(host: &Host, address: IpAddr, interface: &str, gateway: Option<&str>) -> Advice {
    let look = because("").look(
        sh!("ip route get {}; ip route show match {}; ip rule", address, address),
        "Shows which route decides",
    );
    let length = if address.is_ipv4() { 32 } else { 128 };
    let (single, bare) = (format!("{address}/{length}"), address.to_string());
    let is_own =
        |route: &&Route| !route.looked_up && (route.destination == single || route.destination == bare);
    let Some(own) = host.routes.iter().find(is_own) else {
        return look
            .now(format!(
                "No route to {address} alone was read: a route of a larger network, or a rule, sends it by {interface}. Correct that one; a packet to {address} must leave by the interface in its network"
            ))
            .pauses(&bare)
            .undo("Set the route or the rule as it was");
    };
    let via = gateway.map_or(ShellCommand::empty(), |gateway| sh!(" via {}", gateway));
    let source = own.source.as_ref().map_or(ShellCommand::empty(), |source| sh!(" src {}", source));
    look.run(
        sh!("ip route del {}", single),
        "Removes the route to this host: the connected network takes over, within a second for traffic that flows",
    )
    .pauses(&bare)
    .needs(format!("{address} answers over the connected network: `ping -I INTERFACE {address}`"))
    .undo_run(
        sh!("ip route replace {}{} dev {}{}", single, via, interface, source),
        "Adds it again",
    )
    .pauses(&bare)
}
