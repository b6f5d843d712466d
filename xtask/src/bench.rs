//! Speed against peers, interleaved.

use anyhow::{Result, bail};

pub(crate) fn run(words: &[&str]) -> Result<()> {
    bail!("no benchmark called {words:?}")
}
