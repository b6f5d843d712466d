//! Reads the host's settings and topology next to the sampler: that takes longer than a sample may.

use crate::ask;
use anyhow::{Context, Result};
use fullwire_model::host::Host;
use fullwire_observe::Root;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Settings are read again after this long, even when no state changed.
const EVERY: Duration = Duration::from_secs(60);

/// Two readings are at least so far apart, however often links flap.
const AT_MOST_EVERY: Duration = Duration::from_secs(2);

/// The thread that reads. It ends when this is dropped.
pub(super) struct Watcher {
    wanted: SyncSender<()>,
    hosts: Receiver<Host>,
}

impl Watcher {
    pub(super) fn start(root: impl FnOnce() -> Result<Root>) -> Result<Self> {
        let root = root()?;
        let (wanted, wishes) = sync_channel::<()>(1);
        let (sender, hosts) = sync_channel(1);
        std::thread::Builder::new()
            .name("host-watcher".into())
            .spawn(move || watch(&root, &wishes, &sender))
            .context("start the thread that watches the host's settings")?;
        Ok(Self { wanted, hosts })
    }

    /// Has the host read immediately: something changed.
    pub(super) fn look_now(&self) {
        let _ = self.wanted.try_send(());
    }

    /// What was read since the last call.
    pub(super) fn news(&self) -> Option<Host> {
        self.hosts.try_iter().last()
    }
}

fn watch(root: &Root, wishes: &Receiver<()>, hosts: &SyncSender<Host>) {
    loop {
        match wishes.recv_timeout(EVERY) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let host = fullwire_observe::host(root, &ask::of_host(Vec::new()));
        if hosts.send(host).is_err() {
            return;
        }
        std::thread::sleep(AT_MOST_EVERY);
    }
}
