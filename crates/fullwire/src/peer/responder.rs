//! The far end: what it says of its host, and how it is started on loopback.

use crate::ask;
use crate::peer::key;
use anyhow::{Context, Result};
use fullwire_observe::{CountersAsk, Root};
use fullwire_probe::net::{Access, FactsAsk, FactsSource, PeerFacts, Responder, ServeConfig};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Answers a client's question about this host by observing it.
pub(crate) fn facts() -> Result<FactsSource> {
    let root = Root::live().context("open this host's /proc and /sys")?;
    Ok(Arc::new(move |ask: &FactsAsk| match ask {
        FactsAsk::Host { client } => {
            let peers = client.parse().into_iter().collect();
            PeerFacts { host: Some(fullwire_observe::host(&root, &ask::of_host(peers))), counters: None }
        }
        FactsAsk::Counters => {
            let counters = fullwire_observe::counters(&root, &CountersAsk::default());
            PeerFacts { host: None, counters: Some(counters) }
        }
    }))
}

/// Our own responder on loopback, for as long as it is held.
pub(crate) struct Loopback {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// What only this session knows: other users of this host find the port, and are refused.
    pub(crate) key: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Loopback {
    /// Starts it on a port that the kernel chooses.
    pub(crate) fn start() -> Result<Self> {
        let key = key::new_key().context("make a key")?;
        // It says nothing of this host: the session has read it already, perhaps with more rights than a client has.
        let config = ServeConfig {
            listen: "127.0.0.1:0".into(),
            access: Access::Key(key.clone()),
            facts: None,
            ..ServeConfig::default()
        };
        let responder = Responder::bind(config).context("start a responder on loopback")?;
        let (address, stop) = (responder.address(), Arc::new(AtomicBool::new(false)));
        let flag = Arc::clone(&stop);
        let serve = move || responder.run(&flag);
        let thread =
            std::thread::Builder::new().name("loopback".into()).spawn(serve).context("start a thread")?;
        Ok(Self { address, key, stop, thread: Some(thread) })
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
