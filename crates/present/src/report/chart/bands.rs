//! Latency over time in squares: how many of the requests fell into each band, and how much of the time that all took.

/// Upper ends of the bands, ns; the last band has none.
const ENDS_NS: [f64; 7] = [1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8];

/// What each band is called, the slowest first.
pub(crate) const NAMES: [&str; ENDS_NS.len() + 1] =
    ["above 100 ms", "to 100 ms", "to 30 ms", "to 10 ms", "to 3 ms", "to 1 ms", "to 0.3 ms", "to 0.1 ms"];

/// A square is empty, or has one of so many shades.
const SHADES: f64 = 4.0;

/// What a square stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    /// The share of the requests of that time.
    Requests,
    /// The time that its requests took together, beside the most of any square.
    Time,
}

/// Requests and the time that they took, by time and band.
#[derive(Debug, Clone)]
pub(crate) struct Bands {
    /// Of each band, the slowest first: requests, and ns that they took, in each column.
    cells: Vec<Vec<(f64, f64)>>,
}

impl Bands {
    pub(crate) fn new(columns: usize) -> Self {
        Self { cells: vec![vec![(0.0, 0.0); columns.max(1)]; NAMES.len()] }
    }

    /// Counts requests that took so long on average.
    pub(crate) fn add(&mut self, column: usize, requests: f64, mean_ns: f64) {
        if !(requests > 0.0 && mean_ns > 0.0 && (requests * mean_ns).is_finite()) {
            return;
        }
        let band = ENDS_NS.iter().filter(|end| mean_ns > **end).count();
        if let Some(cell) = self.cells[NAMES.len() - 1 - band].get_mut(column) {
            *cell = (cell.0 + requests, cell.1 + requests * mean_ns);
        }
    }

    /// The time that all requests took, ns.
    pub(crate) fn took_ns(&self) -> f64 {
        self.cells.iter().flatten().map(|cell| cell.1).sum()
    }

    /// The shade of each square, 0 for none, by band and column.
    pub(crate) fn shades(&self, weight: Weight) -> Vec<Vec<u8>> {
        let column = |at: usize| self.cells.iter().map(|band| band[at].0).sum::<f64>();
        let longest = self.cells.iter().flatten().map(|cell| cell.1).fold(0.0, f64::max);
        let share = |at: usize, cell: &(f64, f64)| match weight {
            Weight::Requests => cell.0 / column(at).max(f64::MIN_POSITIVE),
            Weight::Time => cell.1 / longest.max(f64::MIN_POSITIVE),
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 4")]
        let shade = |(at, cell): (usize, &(f64, f64))| (share(at, cell) * SHADES).ceil().min(SHADES) as u8;
        self.cells.iter().map(|band| band.iter().enumerate().map(shade).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_slow_requests_are_little_by_number_and_most_of_the_time() {
        let mut bands = Bands::new(2);
        bands.add(0, 990.0, 2e5);
        bands.add(0, 10.0, 2e8);
        bands.add(1, 0.0, 5e6);
        let (requests, time) = (bands.shades(Weight::Requests), bands.shades(Weight::Time));
        let of =
            |shades: &[Vec<u8>], name: &str| shades[NAMES.iter().position(|own| *own == name).unwrap()][0];
        assert_eq!((of(&requests, "to 0.3 ms"), of(&requests, "above 100 ms")), (4, 1));
        assert_eq!((of(&time, "to 0.3 ms"), of(&time, "above 100 ms")), (1, 4));
        assert!(requests.iter().all(|band| band[1] == 0), "what did nothing has no shade");
    }
}
