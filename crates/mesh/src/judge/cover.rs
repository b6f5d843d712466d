//! Bad cells as the fewest places that explain them: a host before its paths.

use std::collections::BTreeSet;

/// A row or a column is bad when this many of its cells are.
const MOST: f64 = 0.75;

/// Where the bad cells lie.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// All that a host sends and receives.
    Host(usize),
    /// All that a host sends.
    Sender(usize),
    /// All that a host receives.
    Receiver(usize),
    /// What a host sends to some others, but not to the rest.
    SenderInPart(usize, Vec<usize>),
    /// What a host receives from some others, but not from the rest.
    ReceiverInPart(usize, Vec<usize>),
    /// Both ways between a host and some others, but not the rest.
    HostInPart(usize, Vec<usize>),
    /// All from some hosts to some others.
    Block(Vec<usize>, Vec<usize>),
    /// One path, one way.
    Path(usize, usize),
    /// One path, both ways.
    BothWays(usize, usize),
}

impl Place {
    /// Whether a cell lies there.
    pub fn holds(&self, from: usize, to: usize) -> bool {
        match self {
            Self::Host(host) => from == *host || to == *host,
            Self::Sender(host) => from == *host,
            Self::Receiver(host) => to == *host,
            Self::SenderInPart(host, peers) => from == *host && peers.contains(&to),
            Self::ReceiverInPart(host, peers) => to == *host && peers.contains(&from),
            Self::HostInPart(host, peers) => {
                (from == *host && peers.contains(&to)) || (to == *host && peers.contains(&from))
            }
            Self::Block(senders, receivers) => senders.contains(&from) && receivers.contains(&to),
            Self::Path(one, other) => (from, to) == (*one, *other),
            Self::BothWays(one, other) => (from, to) == (*one, *other) || (to, from) == (*one, *other),
        }
    }

    /// It is about one host.
    pub fn host(&self) -> Option<usize> {
        match self {
            Self::Host(host)
            | Self::Sender(host)
            | Self::Receiver(host)
            | Self::SenderInPart(host, _)
            | Self::ReceiverInPart(host, _)
            | Self::HostInPart(host, _) => Some(*host),
            Self::Block(..) | Self::Path(..) | Self::BothWays(..) => None,
        }
    }
}

/// Explains bad cells among the measured ones.
///
/// Greedy: the host whose row, column or both are bad in at least three quarters and explain the most goes first, and its
/// cells count for no one else. Of a pair alone no one can say which end it is: that is a path.
pub fn cover(size: usize, measured: &BTreeSet<(usize, usize)>, bad: &BTreeSet<(usize, usize)>) -> Vec<Place> {
    let mut left = bad.clone();
    let mut counted = measured.clone();
    let mut places = Vec::new();
    while let Some(place) = worst_host(size, &counted, &left) {
        left.retain(|&(from, to)| !place.holds(from, to));
        counted.retain(|&(from, to)| !place.holds(from, to));
        places.push(place);
    }
    if let Some(block) = block(&counted, &left) {
        left.retain(|&(from, to)| !block.holds(from, to));
        places.push(block);
    }
    while let Some(place) = in_part(size, &left) {
        left.retain(|&(from, to)| !place.holds(from, to));
        places.push(place);
    }
    places.extend(paths(&left));
    places
}

/// The host that explains the most, at least two cells.
fn worst_host(
    size: usize,
    measured: &BTreeSet<(usize, usize)>,
    bad: &BTreeSet<(usize, usize)>,
) -> Option<Place> {
    let candidates =
        (0..size).flat_map(|host| [Place::Host(host), Place::Sender(host), Place::Receiver(host)]);
    let explained = |place: &Place| {
        let count = |cells: &BTreeSet<(usize, usize)>| {
            cells.iter().filter(|&&(from, to)| place.holds(from, to)).count()
        };
        (count(bad), count(measured))
    };
    let sound = |place: &Place| {
        let (bad, measured) = explained(place);
        bad >= 2 && bad as f64 >= MOST * measured as f64
    };
    // Of a whole host both sides must be bad for themselves: a full row and an empty column are a sender.
    let both = |place: &Place| match place {
        Place::Host(host) => sound(&Place::Sender(*host)) && sound(&Place::Receiver(*host)),
        _ => true,
    };
    let sound = candidates.filter(|place| sound(place) && both(place));
    // Of equals the first: a host before its sides, which explain less.
    sound.rev_max_by_key(explained)
}

/// The first of those with the largest key.
trait FirstMax: Iterator + Sized {
    fn rev_max_by_key<K: Ord>(self, key: impl Fn(&Self::Item) -> K) -> Option<Self::Item> {
        self.reduce(|best, next| if key(&next) > key(&best) { next } else { best })
    }
}

impl<I: Iterator> FirstMax for I {}

/// All bad cells as one block of two or more hosts on both sides, all of whose measured cells are bad.
fn block(measured: &BTreeSet<(usize, usize)>, bad: &BTreeSet<(usize, usize)>) -> Option<Place> {
    let senders: BTreeSet<usize> = bad.iter().map(|cell| cell.0).collect();
    let receivers: BTreeSet<usize> = bad.iter().map(|cell| cell.1).collect();
    let (senders, receivers): (Vec<_>, Vec<_>) =
        (senders.into_iter().collect(), receivers.into_iter().collect());
    let block = Place::Block(senders.clone(), receivers.clone());
    let inside = measured.iter().filter(|&&(from, to)| block.holds(from, to)).count();
    (senders.len() >= 2 && receivers.len() >= 2 && bad.len() >= 4 && bad.len() == inside).then_some(block)
}

/// A host with two or more bad paths in one direction, or in both with the same others.
fn in_part(size: usize, bad: &BTreeSet<(usize, usize)>) -> Option<Place> {
    let to = |host| bad.iter().filter(|cell| cell.0 == host).map(|cell| cell.1).collect::<Vec<_>>();
    let from = |host| bad.iter().filter(|cell| cell.1 == host).map(|cell| cell.0).collect::<Vec<_>>();
    let sides = (0..size).flat_map(|host| {
        let (to, from) = (to(host), from(host));
        let both = if to == from { to.clone() } else { Vec::new() };
        [Place::HostInPart(host, both), Place::SenderInPart(host, to), Place::ReceiverInPart(host, from)]
    });
    let peers = |place: &Place| match place {
        Place::SenderInPart(_, peers) | Place::ReceiverInPart(_, peers) | Place::HostInPart(_, peers) => {
            peers.len()
        }
        _ => 0,
    };
    // Of equals the first: both ways explain more.
    sides.filter(|place| peers(place) >= 2).rev_max_by_key(peers)
}

/// Single paths; two ways of one pair together.
fn paths(bad: &BTreeSet<(usize, usize)>) -> Vec<Place> {
    let place = |&(from, to): &(usize, usize)| match (bad.contains(&(to, from)), from < to) {
        (false, _) => Some(Place::Path(from, to)),
        (true, true) => Some(Place::BothWays(from, to)),
        (true, false) => None,
    };
    bad.iter().filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(size: usize) -> BTreeSet<(usize, usize)> {
        (0..size).flat_map(|from| (0..size).map(move |to| (from, to))).filter(|(a, b)| a != b).collect()
    }

    fn places(size: usize, bad: impl Fn(usize, usize) -> bool) -> Vec<Place> {
        let bad = all(size).into_iter().filter(|&(from, to)| bad(from, to)).collect();
        cover(size, &all(size), &bad)
    }

    #[test]
    fn a_host_is_named_before_its_paths() {
        assert_eq!(places(6, |from, to| from == 2 || to == 2), [Place::Host(2)]);
        assert_eq!(places(6, |from, _| from == 2), [Place::Sender(2)]);
        assert_eq!(places(6, |_, to| to == 2), [Place::Receiver(2)]);
        assert_eq!(
            places(6, |from, to| from == 2 || (from, to) == (4, 5)),
            [Place::Sender(2), Place::Path(4, 5)]
        );
        assert_eq!(places(2, |from, _| from == 0), [Place::Path(0, 1)], "of a pair nobody can say which end");
        assert_eq!(places(2, |_, _| true), [Place::BothWays(0, 1)]);
    }

    #[test]
    fn two_bad_hosts_are_two_places_and_half_a_row_is_a_part() {
        assert_eq!(places(6, |from, to| from == 1 || to == 4), [Place::Sender(1), Place::Receiver(4)]);
        assert_eq!(
            places(8, |from, to| from == 3 && to % 2 == 0),
            [Place::SenderInPart(3, vec![0, 2, 4, 6])]
        );
        assert_eq!(places(6, |from, to| from < 3 && to >= 3), [Place::Block(vec![0, 1, 2], vec![3, 4, 5])]);
        assert_eq!(
            places(5, |from, to| (from + to) == 3 && from < 2 && to < 4),
            [Place::Path(0, 3), Place::Path(1, 2)]
        );
        let member = |host: usize, peer: usize| host == 3 && peer.is_multiple_of(2);
        assert_eq!(
            places(8, |from, to| member(from, to) || member(to, from)),
            [Place::HostInPart(3, vec![0, 2, 4, 6])]
        );
        assert_eq!(places(5, |_, _| false), []);
    }
}
