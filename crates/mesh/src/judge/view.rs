//! A mesh with its cells and hosts found by name at once: a mesh of a thousand hosts is asked for each ordered pair.

use fullwire_model::mesh::{Mesh, MeshCell};
use std::collections::HashMap;
use std::ops::Deref;

/// A mesh that is looked at.
#[derive(Debug)]
pub(super) struct View<'a> {
    mesh: &'a Mesh,
    positions: HashMap<&'a str, usize>,
    cells: HashMap<(&'a str, &'a str, &'a str), &'a MeshCell>,
}

impl<'a> View<'a> {
    pub(super) fn of(mesh: &'a Mesh) -> Self {
        // Of two of the same name the first one counts, as in the mesh itself.
        let mut positions = HashMap::new();
        for (position, host) in mesh.hosts.iter().enumerate() {
            positions.entry(host.name.as_str()).or_insert(position);
        }
        let mut cells = HashMap::new();
        for cell in &mesh.cells {
            cells.entry((cell.network.as_str(), cell.from.as_str(), cell.to.as_str())).or_insert(cell);
        }
        Self { mesh, positions, cells }
    }

    /// The cell of an ordered pair on a network.
    pub(super) fn cell(&self, network: &str, from: &str, to: &str) -> Option<&'a MeshCell> {
        self.cells.get(&(network, from, to)).copied()
    }

    /// Position of a host in the matrix.
    pub(super) fn position(&self, host: &str) -> Option<usize> {
        self.positions.get(host).copied()
    }
}

impl Deref for View<'_> {
    type Target = Mesh;

    fn deref(&self) -> &Mesh {
        self.mesh
    }
}
