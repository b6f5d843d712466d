//! What all sessions of a responder share.

use super::budget::Budget;
use super::facts::FactsSource;
use super::gate::Gate;
use super::limits::Limits;
use super::lobby::Tokens;
use super::remote_file::WriteDir;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The limits, what is in use of them, and what the administrator allows.
pub(crate) struct Shared {
    pub(crate) limits: Limits,
    pub(crate) tokens: Tokens,
    pub(crate) budget: Arc<Budget>,
    pub(crate) write_dir: Option<WriteDir>,
    pub(crate) facts: Option<FactsSource>,
    pub(crate) gate: Option<Arc<dyn Gate>>,
    pub(crate) sockbuf_bytes: Option<u64>,
    pub(crate) log: Arc<dyn Fn(&str) + Send + Sync>,
    pub(crate) stop: AtomicBool,
    pub(crate) once: bool,
    /// Sessions alive.
    pub(crate) sessions: AtomicUsize,
    /// The same by the client's place.
    pub(crate) addresses: Mutex<HashMap<IpAddr, usize>>,
}

impl Shared {
    pub(crate) fn addresses(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
