//! What another may cost us: so much at once, and so much each second after that.

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

#[cfg(test)]
mod tests {
    use super::*;

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
