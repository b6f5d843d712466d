//! SIGINT, SIGTERM, SIGHUP and SIGQUIT as a flag that probes look at, so that they clean up behind themselves.

use anyhow::{Context, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A sleeper looks at the flag so often.
const TICK: Duration = Duration::from_millis(200);

/// A flag that these signals raise. A second signal ends the process at once, as if nobody listened.
pub(crate) fn on_signals() -> Result<Arc<AtomicBool>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop))
            .context("watch for signals")?;
        signal_hook::flag::register(signal, Arc::clone(&stop)).context("watch for signals")?;
    }
    Ok(stop)
}

/// Sleeps until then; false when told to stop.
pub(crate) fn sleep_until(when: Instant, stop: &AtomicBool) -> bool {
    while Instant::now() < when {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        std::thread::sleep(when.saturating_duration_since(Instant::now()).min(TICK));
    }
    !stop.load(Ordering::Relaxed)
}
