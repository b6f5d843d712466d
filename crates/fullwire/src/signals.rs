//! SIGINT, SIGTERM, SIGHUP and SIGQUIT as a flag that probes look at, so that they clean up behind themselves.

use anyhow::{Context, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Exit status of a command that a signal ended early, as shells have it for SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// A sleeper looks at the flag this often.
const TICK: Duration = Duration::from_millis(100);

/// Signals are watched once, for the whole process.
static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// A flag that these signals raise. A second signal ends the process immediately, as if no one listened.
pub(crate) fn on_signals() -> Result<Arc<AtomicBool>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    if let Some(flag) = FLAG.get() {
        return Ok(Arc::clone(flag));
    }
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop))
            .context("watch for signals")?;
        signal_hook::flag::register(signal, Arc::clone(&stop)).context("watch for signals")?;
    }
    Ok(Arc::clone(FLAG.get_or_init(|| stop)))
}

/// Whether such a signal has come; false where no one watches for them.
pub(crate) fn raised() -> bool {
    FLAG.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// Sleeps until then; false when a signal has come.
pub(crate) fn sleep_until(when: Instant, stop: &AtomicBool) -> bool {
    while Instant::now() < when {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        std::thread::sleep(when.saturating_duration_since(Instant::now()).min(TICK));
    }
    !stop.load(Ordering::Relaxed)
}
