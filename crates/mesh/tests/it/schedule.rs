//! No resource above its capacity in any round, each ordered pair exactly once, rounds within their bound.

use fullwire_mesh::pairs::{FULL_UP_TO, Pair, choose, tournament};
use fullwire_mesh::schedule::{Resources, rounds};
use fullwire_mesh::topology::Topology;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

fn names(hosts: usize) -> Vec<String> {
    (0..hosts).map(|host| format!("h{host}")).collect()
}

/// Racks with these numbers of hosts and uplinks, two sites around them.
fn topology(hosts: usize, racks: &[(usize, u32)]) -> Topology {
    let mut text = String::new();
    let mut next = 0;
    let mut made = Vec::new();
    for (index, &(size, tests)) in racks.iter().enumerate() {
        let members: Vec<String> = (next..hosts.min(next + size)).map(|host| format!("h{host}")).collect();
        next += members.len();
        if !members.is_empty() {
            let _ = writeln!(text, "r{index} tests={tests}: {}", members.join(" "));
            made.push(format!("r{index}"));
        }
    }
    for (index, half) in made.chunks(made.len().div_ceil(2).max(1)).enumerate() {
        let _ = writeln!(text, "s{index} tests=2: {}", half.join(" "));
    }
    Topology::parse(&text, &names(hosts)).expect("a sound topology")
}

fn connected(hosts: usize, pairs: &[Pair]) -> bool {
    let mut reached = BTreeSet::from([0]);
    loop {
        let before = reached.len();
        for &(one, other) in pairs {
            if reached.contains(&one) || reached.contains(&other) {
                reached.extend([one, other]);
            }
        }
        if reached.len() == before {
            return before == hosts;
        }
    }
}

#[test]
fn a_tournament_has_every_pair_once_and_every_host_once_in_a_round() {
    for hosts in 0..60 {
        let rounds = tournament(hosts);
        let pairs: Vec<Pair> = rounds.concat();
        let different: BTreeSet<Pair> = pairs.iter().copied().collect();
        assert_eq!(
            (pairs.len(), different.len()),
            (hosts * hosts.saturating_sub(1) / 2, pairs.len()),
            "{hosts}"
        );
        let expected = if hosts < 2 { 0 } else { hosts - 1 + hosts % 2 };
        assert_eq!(rounds.len(), expected, "{hosts}");
        for round in &rounds {
            let busy: BTreeSet<usize> = round.iter().flat_map(|&(one, other)| [one, other]).collect();
            assert_eq!(busy.len(), round.len() * 2, "{hosts}");
        }
    }
}

#[test]
fn without_links_the_rounds_are_those_of_the_tournament() {
    for hosts in 2..41 {
        let topology = Topology::flat(hosts);
        let resources = Resources::new(hosts, 1, &topology);
        let (pairs, sampled) = choose(hosts, &topology, 1);
        let demands: Vec<Vec<usize>> = pairs.iter().map(|&pair| resources.of_pair(pair, &topology)).collect();
        let last = rounds(&demands, &resources).into_iter().max();
        assert_eq!((last, sampled), (Some(hosts - 2 + hosts % 2), false), "{hosts}");
    }
}

/// The latest round that `rounds` may give to any demand: the bound that its documentation derives.
fn last_round_bound(demands: &[Vec<usize>], resources: &Resources) -> usize {
    let mut load = vec![0_u32; resources.len()];
    demands.iter().flatten().for_each(|&resource| load[resource] += 1);
    let kept_out = |&resource: &usize| (load[resource].max(1) - 1) / resources.capacity(resource);
    let latest = |demand: &Vec<usize>| demand.iter().map(kept_out).sum::<u32>();
    demands.iter().map(latest).max().map_or(0, |round| round as usize)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_resource_is_above_its_capacity_and_each_pair_comes_once(
        hosts in 2_usize..90,
        racks in proptest::collection::vec((1_usize..30, 1_u32..4), 0..6),
        per_host in 1_u32..3,
        seed: u64,
    ) {
        let topology = topology(hosts, &racks);
        let resources = Resources::new(hosts, per_host, &topology);
        let (pairs, sampled) = choose(hosts, &topology, seed);
        prop_assert_eq!(sampled, hosts > FULL_UP_TO);
        let different: BTreeSet<Pair> = pairs.iter().copied().collect();
        prop_assert_eq!(different.len(), pairs.len());
        if !sampled {
            prop_assert_eq!(pairs.len(), hosts * (hosts - 1) / 2);
        }
        prop_assert!(connected(hosts, &pairs), "nobody is left out");

        let demands: Vec<Vec<usize>> = pairs.iter().map(|&pair| resources.of_pair(pair, &topology)).collect();
        let round_of = rounds(&demands, &resources);
        let mut used: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        for (demand, &round) in demands.iter().zip(&round_of) {
            for &resource in demand {
                let count = used.entry((round, resource)).or_default();
                *count += 1;
                prop_assert!(*count <= resources.capacity(resource), "resource {} in round {}", resource, round);
            }
        }
        let last = round_of.iter().copied().max().unwrap_or(0);
        prop_assert!(last <= last_round_bound(&demands, &resources));
    }

    #[test]
    fn a_sample_is_the_same_for_a_seed_and_another_for_another(seed: u64) {
        let topology = topology(200, &[(30, 1), (30, 1), (20, 1), (20, 1)]);
        let one = choose(200, &topology, seed).0;
        prop_assert_eq!(&one, &choose(200, &topology, seed).0);
        prop_assert_ne!(&one, &choose(200, &topology, seed ^ 1).0);
        // Full within each rack: every pair of the first 30 hosts is there.
        let within = one.iter().filter(|&&(_, other)| other < 30).count();
        prop_assert_eq!(within, 30 * 29 / 2);
    }
}
