use crate::facts::words::{rate, time};
use fullwire_model::reach::AddressReach;

rule! {
    /// # What it checks
    /// Passes when the address family that connections to a peer use first (IPv6 or IPv4, as the resolver orders them) answers,
    /// connects about as fast and carries about as much as the other.
    /// # Why it matters
    /// The two families of one name may lead over different networks: a tunnel, a management interface, a firewall that drops
    /// instead of refusing. Clients use the first that answers, and say nothing about it.
    /// # Evidence
    /// The fastest of several connections to each address; a short stream to each, one after the other, and where they differ
    /// the fastest of three.
    /// # Remedy
    /// Correct that family's route or firewall, or remove its address from the name; until then let the database's
    /// configuration name the other address.
    /// # Source
    /// RFC 6724 section 6 and gai.conf(5): how addresses are ordered, without regard to speed. RFC 8305 (Happy Eyeballs)
    /// section 1: the delay where the first family does not answer.
    code: "address-family-slower",
    title: "the address family in use is slower than the other",
    layer: Network, severity: Warning, on: [Path],
    check: |run| run.peers.iter().filter(|peer| !peer.loopback).map(judge).collect(),

    /// Of the other family's throughput: short streams on one path differ by less (own choice).
    const MUCH_LESS: f64 = 0.7;
    /// Of the other family's time to connect (own choice).
    const MUCH_LATER: f64 = 2.0;
    /// More than scheduling explains (own choice).
    const LATER_BY_NS: u64 = 1_000_000;
}

fn judge(peer: &Peer) -> Outcome {
    let Some(reach) = &peer.reach else { return unknown!("the addresses of {} were not tried", peer.target) };
    // With one family there is nothing to choose.
    let [first, other] = reach.addresses.as_slice() else { return Outcome::Passes };
    let (target, used, others) = (&peer.target, family(first), family(other));
    let told = |says: &dyn Fn(f64) -> String, one, two, message: String| {
        let evidence = format!("{}: {}; {}: {}", first.address, says(one), other.address, says(two));
        finding(peer, message, evidence, first, other)
    };
    let rates = first.bytes_per_s.zip(other.bytes_per_s).filter(|(one, two)| *one < MUCH_LESS * two);
    match (first.connect_min_ns, other.connect_min_ns, rates) {
        (None, None, _) => unknown!("{target} answered over neither family"),
        (None, Some(_), _) => {
            let message = format!(
                "{target} does not answer over {used}, which is tried first: each new connection waits before {others} is used"
            );
            let evidence = format!("{}: no answer; {}: answered", first.address, other.address);
            finding(peer, message, evidence, first, other).into()
        }
        (Some(_), Some(_), Some((one, two))) => {
            let message = format!(
                "{used} to {target} carries {}, {others} {}, and {used} is what connections use",
                rate(one),
                rate(two)
            );
            told(&rate, one, two, message).measured(one, two, Unit::BytesPerS).into()
        }
        (Some(one), Some(two), None) if is_later(one, two) => {
            let (one, two) = (one as f64, two as f64);
            let message = format!(
                "a connection to {target} takes {} over {used}, which is tried first, and {} over {others}",
                time(one),
                time(two)
            );
            told(&time, one, two, message).measured(one, two, Unit::Ns).into()
        }
        _ => Outcome::Passes,
    }
}

fn is_later(used_ns: u64, other_ns: u64) -> bool {
    used_ns as f64 > MUCH_LATER * other_ns as f64 && used_ns - other_ns > LATER_BY_NS
}

fn finding(
    peer: &Peer,
    message: String,
    evidence: String,
    first: &AddressReach,
    other: &AddressReach,
) -> Finding {
    let (host, family) = (route::host_of(peer.target.as_str()), family(first));
    RULE.finding(Kind::Path.named(&peer.target), message).evidence(evidence, "probe")
        .because("The resolver orders the addresses of a name by rules that know nothing of speed.")
        .now(format!("Compare `ip route get {}` and `ip route get {}`: interface and next hop show where {family} takes another way", as_word(route::host_of(&first.address)), as_word(route::host_of(&other.address))))
        .now(format!("Correct the {family} route or firewall, or remove the {family} address of {host} from DNS and /etc/hosts of the hosts that connect to it"))
        .persist(format!("Until then name the address instead of the host (tnsnames.ora, primary_conninfo, SOURCE_HOST): {}", route::host_of(&other.address)))
        .expecting(format!("the same figures over both families, or one family only: repeat `fullwire assess --peer {host}`", host = as_word(host)))
}

/// `[2001:db8::2]:5555` or `192.0.2.2:5555`.
fn family(address: &AddressReach) -> &'static str {
    if address.address.starts_with('[') { "IPv6" } else { "IPv4" }
}
