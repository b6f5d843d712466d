//! Median polish: a number is the whole's plus its row's plus its column's plus a residue (Tukey, Exploratory Data
//! Analysis, 1977, chapter 11). Medians are not moved by the few that are off, which is what is looked for.

use super::matrix::Matrix;
use fullwire_model::median;

/// Sweeps; it settles within a few.
const SWEEPS: usize = 12;

/// Below this a sweep changes nothing more.
const SETTLED: f64 = 1e-9;

/// The median of absolute deviations times this is the standard deviation of a normal distribution.
const MAD_TO_SIGMA: f64 = 1.4826;

/// A matrix taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Polished {
    /// What all cells have in common.
    pub whole: f64,
    /// What each sender adds to it.
    pub rows: Vec<f64>,
    /// What each receiver adds to it.
    pub columns: Vec<f64>,
    /// What neither explains.
    pub residues: Matrix,
}

/// Takes a matrix apart.
pub fn polish(matrix: &Matrix) -> Polished {
    let size = matrix.size();
    let mut polished =
        Polished { whole: 0.0, rows: vec![0.0; size], columns: vec![0.0; size], residues: matrix.clone() };
    for _ in 0..SWEEPS {
        let moved = polished.sweep(true) + polished.sweep(false);
        if moved < SETTLED {
            break;
        }
    }
    polished
}

impl Polished {
    /// The scatter of the residues, as a standard deviation that the few that are off do not move.
    pub fn sigma(&self) -> f64 {
        let sizes: Vec<f64> = self.residues.known().map(|(_, _, residue)| residue.abs()).collect();
        MAD_TO_SIGMA * median(&sizes).unwrap_or(0.0)
    }

    /// Moves what the cells of each row, or of each column, have in common into its effect; how much that was.
    fn sweep(&mut self, rows: bool) -> f64 {
        let mut moved = 0.0;
        let effects = if rows { &mut self.rows } else { &mut self.columns };
        for own in 0..effects.len() {
            let cells = if rows { self.residues.row(own) } else { self.residues.column(own) };
            let Some(centre) = median(&cells) else { continue };
            effects[own] += centre;
            moved += centre.abs();
            for other in 0..effects.len() {
                let (from, to) = if rows { (own, other) } else { (other, own) };
                let residue = self.residues.get(from, to).map(|residue| residue - centre);
                self.residues.set(from, to, residue);
            }
        }
        self.whole += centre_on_zero(effects);
        moved
    }
}

/// Takes the median out of the effects; what was taken.
fn centre_on_zero(effects: &mut [f64]) -> f64 {
    let centre = median(effects).unwrap_or(0.0);
    for effect in &mut *effects {
        *effect -= centre;
    }
    centre
}
