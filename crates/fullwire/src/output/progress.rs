//! One line on stderr that says what is being done and how long it will take; nothing on a pipe.

use crate::output::{Show, charset};
use fullwire_present::harmless;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// A bar over the whole of a command's work, in milliseconds of expected time.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    /// What is being done; the time that is left is added.
    now: RefCell<String>,
    /// Lines are printed above the bar.
    lines: bool,
}

impl Progress {
    /// A bar that will take about this long.
    pub(crate) fn new(show: &Show, expected: Duration) -> Self {
        let length = u64::try_from(expected.as_millis()).unwrap_or(u64::MAX);
        let target =
            if show.progress_wanted() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(length), target);
        let template = if show.coloured() { "{bar:24.cyan/dim} {msg}" } else { "{bar:24} {msg}" };
        let style = ProgressStyle::with_template(template).expect("the template is constant");
        bar.set_style(style.progress_chars(if charset::unicode() { "━━─" } else { "##-" }));
        Self { bar, started: Instant::now(), now: RefCell::default(), lines: false }
    }

    /// The same with a line of figures for each interval.
    pub(crate) fn with_lines(mut self) -> Self {
        self.lines = true;
        self
    }

    /// Prints a line above the bar, where lines are wanted and a person watches.
    pub(crate) fn line(&self, text: impl FnOnce() -> String) {
        if self.lines {
            self.bar.println(charset::shown(&text()));
        }
    }

    /// Says what is being done now.
    pub(crate) fn doing(&self, what: &str) {
        *self.now.borrow_mut() = charset::shown(&harmless(what)).into_owned();
        self.tick();
    }

    /// Moves the bar to the time that has passed, and counts down what is left.
    pub(crate) fn tick(&self) {
        let (length, elapsed) = (self.bar.length().unwrap_or(0), self.elapsed_ms());
        let left = length.saturating_sub(elapsed);
        self.bar.set_message(match left {
            0 => self.now.borrow().clone(),
            _ => format!("{} (about {} s left)", self.now.borrow(), left.div_ceil(1000)),
        });
        self.bar.set_position(elapsed.min(length));
    }

    /// It will still take about this long.
    pub(crate) fn left(&self, left: Duration) {
        let left_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        self.bar.set_length(self.elapsed_ms().saturating_add(left_ms));
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
