//! When each pair is measured, so that no resource carries more than it can: hosts carry one exclusive test at a time,
//! uplinks as many as the topology says.

use crate::pairs::Pair;
use crate::topology::Topology;
use std::cmp::Reverse;

/// What tests compete for: the hosts first, then the uplinks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resources {
    hosts: usize,
    capacity: Vec<u32>,
}

impl Resources {
    /// Hosts that carry `per_host` tests at the same time, and the uplinks of the topology.
    pub fn new(hosts: usize, per_host: u32, topology: &Topology) -> Self {
        let uplinks = (0..topology.groups()).map(|group| topology.uplink_tests(group));
        Self { hosts, capacity: std::iter::repeat_n(per_host, hosts).chain(uplinks).collect() }
    }

    /// The same, with this many resources more that carry one test each; the number of the first of them.
    pub fn extend(&mut self, more: usize) -> usize {
        let first = self.capacity.len();
        self.capacity.extend(std::iter::repeat_n(1, more));
        first
    }

    /// The same, with one resource more that carries this many tests; its number.
    pub fn extend_by(&mut self, capacity: u32) -> usize {
        self.capacity.push(capacity);
        self.capacity.len() - 1
    }

    /// What a test between two hosts needs.
    pub fn of_pair(&self, (one, other): Pair, topology: &Topology) -> Vec<usize> {
        let uplinks = topology.uplinks(one, other);
        [one, other].into_iter().chain(uplinks.into_iter().map(|group| self.hosts + group)).collect()
    }

    /// Tests that a resource carries at the same time.
    pub fn capacity(&self, resource: usize) -> u32 {
        self.capacity[resource]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.capacity.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.capacity.is_empty()
    }
}

/// The round of each demand, a list of resources: the first in which all of them have room, those first that compete
/// most.
///
/// A demand is kept out of a round only by a resource that is full there, so no demand is later than
/// `Σ ⌊(load - 1) / capacity⌋` over its resources. With hosts alone and the order of [`crate::pairs::tournament`], the
/// rounds are those of the tournament.
pub fn rounds(demands: &[Vec<usize>], resources: &Resources) -> Vec<usize> {
    let mut load = vec![0_u32; resources.len()];
    demands.iter().flatten().for_each(|&resource| load[resource] += 1);
    let pressure = |demand: &[usize]| {
        demand
            .iter()
            .map(|&resource| load[resource].div_ceil(resources.capacity(resource)))
            .max()
            .unwrap_or(0)
    };
    let mut order: Vec<usize> = (0..demands.len()).collect();
    // A stable sort: equals stay in the order of the tournament.
    order.sort_by_key(|&index| Reverse(pressure(&demands[index])));
    let mut used: Vec<Vec<u32>> = vec![Vec::new(); resources.len()];
    let mut round_of = vec![0; demands.len()];
    for index in order {
        let demand = &demands[index];
        let room = |round: usize| {
            let full = |&resource: &usize| {
                used[resource].get(round).is_some_and(|&count| count >= resources.capacity(resource))
            };
            !demand.iter().any(full)
        };
        // Every resource has room after its last use.
        let last = demand.iter().map(|&resource| used[resource].len()).max().unwrap_or(0);
        let round = (0..last).find(|&round| room(round)).unwrap_or(last);
        for &resource in demand {
            let rounds = &mut used[resource];
            if rounds.len() <= round {
                rounds.resize(round + 1, 0);
            }
            rounds[round] += 1;
        }
        round_of[index] = round;
    }
    round_of
}
