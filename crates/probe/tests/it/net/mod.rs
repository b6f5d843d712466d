//! The network probe against a live responder.

mod budget;
mod hostile;
mod measure;
mod path;
mod replay;
mod ssh;

use fullwire_model::net::NetPlan;
use fullwire_probe::net::{Access, ConnectOptions, NetError, NetReport, Responder, ServeConfig, measure};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::JoinHandle;
use std::time::Duration;

/// A responder in a thread of this process, stopped and joined when dropped.
struct Served {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    fn start(config: ServeConfig) -> Self {
        let responder =
            Responder::bind(ServeConfig { listen: "127.0.0.1:0".into(), ..config }).expect("a free port");
        let address = responder.address();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let thread = std::thread::spawn(move || responder.run(&flag));
        Self { address, stop, thread: Some(thread) }
    }

    fn open() -> Self {
        Self::start(ServeConfig::default())
    }

    fn keyed(key: &str) -> Self {
        Self::start(ServeConfig { access: Access::Key(key.into()), ..ServeConfig::default() })
    }

    /// Stops it; how long that took.
    fn stop(&mut self) -> Duration {
        let begun = std::time::Instant::now();
        self.stop.store(true, SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the responder ends without a panic");
        }
        begun.elapsed()
    }

    fn plan(&self, plan: NetPlan) -> NetPlan {
        NetPlan { target: self.address.to_string().into(), ..plan }
    }

    fn measure(&self, plan: NetPlan) -> Result<NetReport, NetError> {
        measure(&self.plan(plan), &quick(), &mut |_| {})
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop();
    }
}

fn quick() -> ConnectOptions {
    ConnectOptions { timeout: Duration::from_secs(3), facts: false, ..ConnectOptions::default() }
}

fn ms(ms: u64) -> u64 {
    ms * 1_000_000
}
