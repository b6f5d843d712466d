//! The largest size that passes, by halving.

/// What became of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passage {
    /// It arrived.
    Passed,
    /// It did not, as often as it was tried.
    Lost,
    /// It could not be tried.
    Unknown,
}

/// What a search found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// The largest size that passed; `None`: not even the smallest did.
    pub(super) largest: Option<u64>,
    /// Every size tried, in order.
    pub(super) tried: Vec<(u64, bool)>,
}

/// Tries the top first (the usual case), then what was hinted at, then halves what is left.
pub(super) fn largest(
    smallest: u64,
    top: u64,
    mut passes: impl FnMut(u64) -> Passage,
    hints: &[u64],
) -> Found {
    let mut found = Found::default();
    let (mut low, mut high) = (smallest, top);
    let mut attempt = |size: u64, found: &mut Found| {
        let passage = passes(size);
        if passage != Passage::Unknown {
            found.tried.push((size, passage == Passage::Passed));
        }
        passage
    };
    match attempt(top, &mut found) {
        Passage::Passed => {
            found.largest = Some(top);
            return found;
        }
        Passage::Unknown => return found,
        Passage::Lost => {}
    }
    if smallest >= top || attempt(smallest, &mut found) != Passage::Passed {
        return found;
    }
    found.largest = Some(smallest);
    // A hint is tried as itself and as the size just above it: two probes then end the search.
    let mut hints: Vec<u64> = hints.iter().flat_map(|&hint| [hint, hint + 1]).collect();
    hints.reverse();
    while high - low > 1 {
        let hint = hints.pop().filter(|&hint| low < hint && hint < high);
        let size = match hint {
            Some(hint) => hint,
            None if hints.is_empty() => next_size(low, high),
            None => continue,
        };
        match attempt(size, &mut found) {
            Passage::Passed => {
                low = size;
                found.largest = Some(size);
            }
            Passage::Lost => high = size,
            Passage::Unknown => return found,
        }
    }
    found
}

/// 1500 and its neighbour before the middle: most paths that fall short fall to Ethernet's size.
fn next_size(low: u64, high: u64) -> u64 {
    const ETHERNET: u64 = 1500;
    if low < ETHERNET && ETHERNET < high {
        return ETHERNET;
    }
    if low == ETHERNET && ETHERNET + 1 < high {
        return ETHERNET + 1;
    }
    low + (high - low) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn up_to(limit: u64) -> impl FnMut(u64) -> Passage {
        move |size| if size <= limit { Passage::Passed } else { Passage::Lost }
    }

    #[test]
    fn a_packet_of_9000_bytes_passes_one_of_9001_does_not() {
        assert_eq!(largest(576, 65_535, up_to(9000), &[]).largest, Some(9000));
    }

    #[test]
    fn a_path_as_wide_as_its_interface_takes_one_probe() {
        assert_eq!(largest(576, 9000, up_to(9000), &[]).tried, [(9000, true)]);
    }

    #[test]
    fn what_a_router_told_ends_the_search_at_once() {
        let found = largest(576, 9000, up_to(1400), &[1400]);
        assert_eq!(found.tried, [(9000, false), (576, true), (1400, true), (1401, false)]);
        assert_eq!(found.largest, Some(1400));
    }

    #[test]
    fn nothing_passes() {
        assert_eq!(largest(576, 9000, |_| Passage::Lost, &[]).largest, None);
        assert_eq!(largest(576, 9000, |_| Passage::Unknown, &[]), Found::default());
    }

    proptest! {
        #[test]
        fn finds_any_limit_within_few_probes(limit in 576_u64..=65_535, top in 577_u64..=65_535, hint in 0_u64..70_000) {
            let found = largest(576, top, up_to(limit), &[hint]);
            prop_assert_eq!(found.largest, Some(limit.min(top)));
            prop_assert!(found.tried.len() <= 24);
        }
    }
}
