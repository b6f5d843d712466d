//! Who is measured with whom: every pair up to some dozens of hosts, beyond that a sample that still reaches everyone.

use crate::topology::Topology;
use std::collections::BTreeSet;

/// Up to this many hosts every pair is measured: 40 hosts take 39 rounds of both directions, 16 minutes of 10 s streams.
pub const FULL_UP_TO: usize = 40;

/// Beyond that, each host is paired with this many at random. With four, the graph of pairs is connected with a
/// probability of nearly one, and five runs in a row cover most of a group of 40.
const RANDOM_PEERS: usize = 4;

/// A pair of hosts, the smaller position first.
pub type Pair = (usize, usize);

/// All pairs in the rounds of a tournament (circle method): host 0 stays, the others rotate. In each round a host meets
/// one other at most: `n` hosts take `n - 1` rounds, an odd number `n` with one host idle in each.
///
/// Source: the Berger tables of chess tournaments; <https://en.wikipedia.org/wiki/Round-robin_tournament#Circle_method>.
pub fn tournament(hosts: usize) -> Vec<Vec<Pair>> {
    if hosts < 2 {
        return Vec::new();
    }
    let seats = hosts + hosts % 2;
    let others = seats - 1;
    let seat = |round: usize, place: usize| if place == 0 { 0 } else { (place - 1 + round) % others + 1 };
    let meeting = |round: usize, place: usize| {
        let (one, other) = (seat(round, place), seat(round, seats - 1 - place));
        (one.min(other), one.max(other))
    };
    (0..others)
        .map(|round| {
            let meetings = (0..seats / 2).map(|place| meeting(round, place));
            meetings.filter(|&(_, other)| other < hosts).collect()
        })
        .collect()
}

/// The pairs to be measured, in an order in which neighbours share few hosts, and whether they are a sample.
pub fn choose(hosts: usize, topology: &Topology, seed: u64) -> (Vec<Pair>, bool) {
    let all = tournament(hosts).concat();
    if hosts <= FULL_UP_TO {
        return (all, false);
    }
    let sample = sample(hosts, topology, seed);
    (all.into_iter().filter(|pair| sample.contains(pair)).collect(), true)
}

/// Every pair within a group of up to [`FULL_UP_TO`] hosts, one pair between each two groups, and some random peers for
/// each host.
fn sample(hosts: usize, topology: &Topology, seed: u64) -> BTreeSet<Pair> {
    let mut chance = Chance(seed);
    let mut pairs = BTreeSet::new();
    let members: Vec<Vec<usize>> = (0..topology.groups())
        .map(|group| (0..hosts).filter(|&host| topology.group_of(host) == Some(group)).collect())
        .collect();
    for own in members.iter().filter(|own| own.len() <= FULL_UP_TO) {
        for (index, &one) in own.iter().enumerate() {
            pairs.extend(own[index + 1..].iter().map(|&other| pair(one, other)));
        }
    }
    for (index, own) in members.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
        for other in members[index + 1..].iter().filter(|other| !other.is_empty()) {
            pairs.insert(pair(own[chance.below(own.len())], other[chance.below(other.len())]));
        }
    }
    for host in 0..hosts {
        for _ in 0..RANDOM_PEERS.min(hosts - 1) {
            // One of the others: the host's own place is left out.
            let other = chance.below(hosts - 1);
            pairs.insert(pair(host, other + usize::from(other >= host)));
        }
    }
    pairs
}

fn pair(one: usize, other: usize) -> Pair {
    (one.min(other), one.max(other))
}

/// `SplitMix64` (Steele, Lea, Flood, 2014): the same sample from the same seed on every machine.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `bound`, which is not 0. The bias of the remainder is below 2^-50 for any number of hosts.
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap_or(0)
    }
}
