//! What another may cost us: so much at once, and so much each second after that.

#[cfg(feature = "estate")]
use std::collections::BTreeMap;
use std::time::Instant;

/// Of one who may be hostile; a token bucket.
#[derive(Debug)]
pub(crate) struct Allowance {
    left: f64,
    most: f64,
    per_s: f64,
    at: Instant,
}

impl Allowance {
    /// So much at once, and each second.
    pub(crate) fn new((most, per_s): (f64, f64)) -> Self {
        Self { left: most, most, per_s, at: Instant::now() }
    }

    /// Takes this much; false, and nothing taken, if less is left.
    pub(crate) fn takes(&mut self, amount: f64) -> bool {
        let is_there = self.left() >= amount;
        if is_there {
            self.left -= amount;
        }
        is_there
    }

    /// Takes this much, or all that is left: it has cost that already.
    #[cfg(feature = "estate")]
    pub(crate) fn pays(&mut self, amount: f64) {
        self.left = (self.left() - amount).max(0.0);
    }

    /// What is left now.
    pub(crate) fn left(&mut self) -> f64 {
        let now = Instant::now();
        self.left = (self.left + now.duration_since(self.at).as_secs_f64() * self.per_s).min(self.most);
        self.at = now;
        self.left
    }
}

/// Of each of many by name: of those who spend nothing none is kept.
#[cfg(feature = "estate")]
#[derive(Debug)]
pub(crate) struct Allowances {
    of_each: (f64, f64),
    by_name: BTreeMap<String, Allowance>,
}

/// Names that are spending at once; beyond these all share one allowance.
#[cfg(feature = "estate")]
const SPENDING: usize = 4096;

#[cfg(feature = "estate")]
impl Allowances {
    pub(crate) fn new(of_each: (f64, f64)) -> Self {
        Self { of_each, by_name: BTreeMap::new() }
    }

    pub(crate) fn of(&mut self, name: &str) -> &mut Allowance {
        if self.by_name.len() >= SPENDING && !self.by_name.contains_key(name) {
            self.by_name.retain(|_, one| one.left() < one.most);
        }
        let name = if self.by_name.len() < SPENDING || self.by_name.contains_key(name) { name } else { "" };
        self.by_name.entry(name.to_owned()).or_insert_with(|| Allowance::new(self.of_each))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "estate")]
    #[test]
    fn names_without_end_take_no_memory_without_end() {
        let mut all = Allowances::new((1.0, 0.0));
        // Whoever has spent nothing is forgotten, and has it all the next time.
        assert!((0..3 * SPENDING).all(|name| all.of(&name.to_string()).left() > 0.0));
        assert!(all.by_name.len() <= SPENDING);
        let spent = (0..3 * SPENDING).filter(|name| all.of(&name.to_string()).takes(1.0)).count();
        assert!(
            (SPENDING - 1..=SPENDING + 1).contains(&spent) && all.by_name.len() <= SPENDING + 1,
            "{spent}"
        );
        assert!(!all.of("0").takes(1.0), "who has spent it has nothing");
    }

    #[test]
    fn no_more_is_taken_than_was_given() {
        let mut allowance = Allowance::new((10.0, 0.0));
        assert!(
            allowance.takes(4.0) && !allowance.takes(7.0) && allowance.takes(6.0) && !allowance.takes(1.0)
        );
        allowance.per_s = 1e9;
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(!allowance.takes(11.0) && allowance.takes(10.0), "it does not grow beyond what it was");
    }
}
