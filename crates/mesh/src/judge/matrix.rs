//! Numbers by sender and receiver.

/// A square of numbers, some of which are missing. Rows send, columns receive.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    size: usize,
    cells: Vec<Option<f64>>,
}

impl Matrix {
    /// With no number.
    pub fn empty(size: usize) -> Self {
        Self { size, cells: vec![None; size * size] }
    }

    /// Of what the function says of each ordered pair; what is no finite number is missing.
    pub fn of(size: usize, mut value: impl FnMut(usize, usize) -> Option<f64>) -> Self {
        let mut matrix = Self::empty(size);
        for from in 0..size {
            for to in (0..size).filter(|&to| to != from) {
                matrix.set(from, to, value(from, to));
            }
        }
        matrix
    }

    /// Hosts.
    pub fn size(&self) -> usize {
        self.size
    }

    /// A cell.
    pub fn get(&self, from: usize, to: usize) -> Option<f64> {
        self.cells[from * self.size + to]
    }

    /// Sets a cell.
    pub fn set(&mut self, from: usize, to: usize, value: Option<f64>) {
        self.cells[from * self.size + to] = value.filter(|value| value.is_finite());
    }

    /// Cells with a number.
    pub fn known(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let place = |index: usize| (index / self.size, index % self.size);
        self.cells.iter().enumerate().filter_map(move |(index, value)| {
            let (from, to) = place(index);
            value.map(|value| (from, to, value))
        })
    }

    /// The numbers of a row.
    pub fn row(&self, from: usize) -> Vec<f64> {
        (0..self.size).filter_map(|to| self.get(from, to)).collect()
    }

    /// The numbers of a column.
    pub fn column(&self, to: usize) -> Vec<f64> {
        (0..self.size).filter_map(|from| self.get(from, to)).collect()
    }
}
