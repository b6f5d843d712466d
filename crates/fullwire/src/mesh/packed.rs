//! Results that wait until their list of tests is over, or until they are kept.
//!
//! A mesh has two or more for each ordered pair of hosts, and as records each may be as large as a document may be: those of one
//! large host, or of one that lies, would fill the memory. As packed text they take a hundredth of it.

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use fullwire_mesh::conduct::HostId;
use fullwire_model::Run;
use fullwire_model::host::Host;
use fullwire_model::json::Record as _;
use std::io::{Read as _, Write as _};

/// The results of one host, packed: two with each of 200 hosts whose runs name 5,000 disks take half of it.
pub(super) const MOST_OF_A_HOST_BYTES: usize = 256 << 20;
/// What is unpacked again: what was packed was a record of at most 96 MiB.
const LONGEST_BYTES: u64 = 256 << 20;

/// A run as text, compressed. Its host's own records are not in it: whoever conducts the mesh has them once.
pub(super) struct Packed(Vec<u8>);

impl Packed {
    pub(super) fn of(mut run: Run) -> Result<Self> {
        run.host = Host::default();
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&run.write().context("pack a result")?)?;
        Ok(Self(encoder.finish()?))
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.len()
    }

    /// The run, of this host.
    pub(super) fn open(&self, host: &Host) -> Result<Run> {
        let mut text = Vec::new();
        DeflateDecoder::new(self.0.as_slice()).take(LONGEST_BYTES).read_to_end(&mut text)?;
        let mut run = Run::read(&text).context("unpack a result")?;
        run.host.clone_from(host);
        Ok(run)
    }
}

/// The runs that a mesh was made of, one in memory at a time.
pub(crate) struct Runs {
    hosts: Vec<Host>,
    packed: Vec<(HostId, Packed)>,
}

impl Runs {
    pub(super) fn of(hosts: Vec<Host>) -> Self {
        Self { hosts, packed: Vec::new() }
    }

    pub(super) fn add(&mut self, host: HostId, run: Packed) {
        self.packed.push((host, run));
    }

    /// A host said what it has.
    pub(super) fn host(&mut self, host: HostId) -> &mut Host {
        &mut self.hosts[host]
    }

    pub(super) fn open(&self, host: HostId, run: &Packed) -> Result<Run> {
        run.open(&self.hosts[host])
    }

    pub(crate) fn len(&self) -> usize {
        self.packed.len()
    }

    /// One after the other.
    pub(crate) fn each(&self) -> impl Iterator<Item = Result<Run>> {
        self.packed.iter().map(|(host, run)| self.open(*host, run))
    }
}
