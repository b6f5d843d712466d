//! One command at a time changes a host.

use anyhow::{Context, Result};
use std::fs::File;
use std::sync::OnceLock;

/// Held by a command that changes the host, from before it reads the journals to its end.
static HOST: OnceLock<File> = OnceLock::new();

/// From here on this process alone changes the host.
pub(crate) fn hold() -> Result<()> {
    let lock = fullwire_probe::state::lock_host().context("take the lock of whoever changes this host")?;
    match lock {
        Some(lock) => {
            // A process is one command: it asks once.
            let _ = HOST.set(lock);
            Ok(())
        }
        None => Err(busy()),
    }
}

pub(crate) fn busy() -> anyhow::Error {
    anyhow::anyhow!(
        "another fullwire, or a command of one that was killed, is changing this host: wait until it has ended; nothing was changed"
    )
}

/// The lock, where this process has it.
pub(crate) fn lock() -> Option<&'static File> {
    HOST.get()
}
