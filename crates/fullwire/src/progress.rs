//! One line on stderr that says what is being done and how long it will take; nothing on a pipe.

use crate::show::Show;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// A bar over the whole of a command's work, in milliseconds of expected time.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    /// A bar that will take about so long.
    pub(crate) fn new(show: &Show, expected: Duration) -> Self {
        let length = u64::try_from(expected.as_millis()).unwrap_or(u64::MAX);
        let target =
            if show.progress_wanted() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(length), target);
        let style =
            ProgressStyle::with_template("{bar:24.cyan/dim} {msg}").expect("the template is constant");
        bar.set_style(style.progress_chars("━━─"));
        Self { bar, started: Instant::now() }
    }

    /// Says what is being done now.
    pub(crate) fn doing(&self, what: &str) {
        let left = self.bar.length().unwrap_or(0).saturating_sub(self.elapsed_ms());
        self.bar.set_message(format!("{what} (about {} s left)", left.div_ceil(1000)));
        self.tick();
    }

    /// Moves the bar to the time that has passed.
    pub(crate) fn tick(&self) {
        self.bar.set_position(self.elapsed_ms().min(self.bar.length().unwrap_or(0)));
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
