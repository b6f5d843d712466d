//! The live screen: its state, what keys do to it, and how it is drawn. It knows no terminal and no clock.

mod beside;
mod columns;
mod draw;
mod keys;
mod lines;
mod text;

pub use draw::draw;
pub use keys::{Action, BINDINGS, Binding, Key, action};
pub use text::look;

use crate::report::Beside;
use crate::report::chart::bands::Weight;
use beside::Track;
use fullwire_model::live::Live;
use jiff::tz::TimeZone;
use std::collections::{BTreeMap, VecDeque};

/// Points of a row's history.
const SPARK: usize = 120;

/// Rows whose history is kept.
const MOST_ROWS: usize = 4096;

/// How the screen may be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Face {
    /// Colours; without them severity is still told by words, glyphs and bold.
    pub colour: bool,
    /// Glyphs beyond ASCII.
    pub unicode: bool,
}

/// Where the figures come from, for the line of status.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Status {
    /// `LIVE` or `REPLAY`.
    pub source: String,
    /// The time of the look, as the host's people know it.
    pub time: String,
    /// Time between samples (`1 s`).
    pub interval: String,
    /// What is recorded (`rec 41 MB`); empty: nothing.
    pub recording: String,
    /// What watching costs (`self 0.4 %`).
    pub cost: String,
}

/// What is shown.
#[derive(Debug, Clone)]
pub struct Screen {
    /// How it is drawn.
    pub face: Face,
    /// The line of status.
    pub status: Status,
    live: Live,
    history: BTreeMap<String, VecDeque<f32>>,
    /// The first line of the body that is shown.
    top: usize,
    paused: bool,
    help: bool,
    filter: String,
    typing: bool,
    /// The time that is being typed; `None`: none is.
    wanted_time: Option<String>,
    /// What a jump could not do; shown until the next key.
    note: String,
    order: Order,
    latency: LatencyView,
    /// Another tool's file on the same axis.
    track: Option<Track>,
}

/// Whether the time of requests is drawn in bands, and what a square counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum LatencyView {
    /// Not drawn.
    #[default]
    Off,
    /// Drawn.
    By(Weight),
}

impl LatencyView {
    fn next(self) -> Self {
        match self {
            Self::Off => Self::By(Weight::Requests),
            Self::By(Weight::Requests) => Self::By(Weight::Time),
            Self::By(Weight::Time) => Self::Off,
        }
    }
}

/// By what processes are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// Bytes read and written.
    #[default]
    All,
    /// Bytes read.
    Reads,
    /// Bytes written.
    Writes,
    /// Their names.
    Name,
}

impl Order {
    fn next(self) -> Self {
        match self {
            Self::All => Self::Reads,
            Self::Reads => Self::Writes,
            Self::Writes => Self::Name,
            Self::Name => Self::All,
        }
    }
}

/// What the owner of the screen has to do after a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Draw again.
    Draw,
    /// Leave.
    Quit,
    /// Show the look this many samples further on; below 0 back.
    Step(i64),
    /// Show the look at which trouble begins next, or before (`false`).
    Trouble(bool),
    /// Show the look at this time, as it was typed.
    Time(String),
    /// Show what is newest from now on.
    Resume,
    /// Stop the program as the shell's job control has it.
    Suspend,
}

impl Screen {
    /// An empty screen.
    pub fn new(face: Face) -> Self {
        Self {
            face,
            status: Status::default(),
            live: Live::default(),
            history: BTreeMap::new(),
            top: 0,
            paused: false,
            help: false,
            filter: String::new(),
            typing: false,
            wanted_time: None,
            note: String::new(),
            order: Order::default(),
            latency: LatencyView::default(),
            track: None,
        }
    }

    /// Lays another tool's file beside the recording; its times are shown in this zone.
    pub fn lay(&mut self, beside: Beside, zone: TimeZone) {
        self.track = Some(Track::new(beside, zone));
    }

    /// Shows a look. `follows`: it is the one after that shown before, and goes into the rows' history.
    pub fn show(&mut self, live: Live, follows: bool) {
        if !follows {
            self.history.clear();
        }
        let storage = live.storage.iter().map(|row| {
            let moved = row.io.as_ref().map(|io| io.read_bytes_per_s + io.write_bytes_per_s);
            (format!("s {}", row.device), moved)
        });
        let network = live.network.iter().map(|row| {
            let moved = row.io.as_ref().map(|io| io.rx_bytes_per_s.max(io.tx_bytes_per_s));
            (format!("n {}", row.name), moved)
        });
        let cpu = std::iter::once(("cpu".to_owned(), live.cpu.busy));
        let waits = live.storage.iter().flat_map(|row| {
            let io = row.io.as_ref();
            [
                (format!("read wait {}", row.device), io.and_then(|io| io.read_await_ms)),
                (format!("reads {}", row.device), io.map(|io| io.reads_per_s)),
                (format!("write wait {}", row.device), io.and_then(|io| io.write_await_ms)),
                (format!("writes {}", row.device), io.map(|io| io.writes_per_s)),
            ]
        });
        for (key, value) in storage.chain(network).chain(cpu).chain(waits) {
            if self.history.len() >= MOST_ROWS && !self.history.contains_key(&key) {
                continue;
            }
            let points = self.history.entry(key).or_default();
            if points.len() >= SPARK {
                points.pop_front();
            }
            // A hole stays a hole.
            #[allow(clippy::cast_possible_truncation, reason = "it is drawn in eight steps")]
            points.push_back(value.map_or(f32::NAN, |value| value as f32));
        }
        self.live = live;
    }

    /// The look that is shown.
    pub fn live(&self) -> &Live {
        &self.live
    }

    /// Pauses, or continues.
    pub fn pause(&mut self, paused: bool) {
        self.paused = paused;
    }

    /// New looks are to wait.
    pub fn paused(&self) -> bool {
        self.paused
    }

    /// Takes a key. `height`: lines of the body that are visible, for paging.
    pub fn key(&mut self, key: Key, height: usize) -> Reply {
        self.note.clear();
        if self.typing {
            return self.type_filter(key);
        }
        if self.wanted_time.is_some() {
            return self.type_time(key);
        }
        if std::mem::take(&mut self.help) && key != Key::Control('c') {
            return Reply::Draw;
        }
        let Some(action) = action(key) else { return Reply::Draw };
        let page = height.saturating_sub(1).max(1);
        match action {
            Action::Quit => return Reply::Quit,
            Action::Suspend => return Reply::Suspend,
            Action::Help => self.help = true,
            Action::Up => self.top = self.top.saturating_sub(1),
            Action::Down => self.top = self.top.saturating_add(1),
            Action::PageUp => self.top = self.top.saturating_sub(page),
            Action::PageDown => self.top = self.top.saturating_add(page),
            Action::Home => self.top = 0,
            Action::End => self.top = usize::MAX,
            Action::Earlier => return self.step(-1),
            Action::Later => return self.step(1),
            Action::MinuteEarlier => return self.step(-60),
            Action::MinuteLater => return self.step(60),
            Action::Pause => {
                self.paused = !self.paused;
                return if self.paused { Reply::Draw } else { Reply::Resume };
            }
            Action::Filter => {
                self.typing = true;
                self.filter.clear();
            }
            Action::Clear => self.filter.clear(),
            Action::Beside => self.go_to("beside"),
            Action::Storage => self.go_to("storage"),
            Action::Network => self.go_to("network"),
            Action::Threads => self.go_to("threads"),
            Action::Latency => self.latency = self.latency.next(),
            Action::Processes => self.go_to("processes"),
            Action::Sort => self.order = self.order.next(),
            Action::NextTrouble | Action::EarlierTrouble => {
                self.paused = true;
                return Reply::Trouble(action == Action::NextTrouble);
            }
            Action::Time => self.wanted_time = Some(String::new()),
            Action::Redraw => {}
        }
        Reply::Draw
    }

    /// Says why a jump did not happen.
    pub fn note(&mut self, text: impl Into<String>) {
        self.note = text.into();
    }

    fn type_time(&mut self, key: Key) -> Reply {
        let Some(text) = &mut self.wanted_time else { return Reply::Draw };
        match key {
            Key::Enter => {
                let text = self.wanted_time.take().unwrap_or_default();
                self.paused = true;
                return if text.is_empty() { Reply::Draw } else { Reply::Time(text) };
            }
            Key::Escape => self.wanted_time = None,
            Key::Backspace => _ = text.pop(),
            Key::Char(letter) if text.len() < 32 => text.push(letter),
            Key::Control('c') => return Reply::Quit,
            _ => {}
        }
        Reply::Draw
    }

    fn step(&mut self, samples: i64) -> Reply {
        self.paused = true;
        Reply::Step(samples)
    }

    fn type_filter(&mut self, key: Key) -> Reply {
        match key {
            Key::Enter => self.typing = false,
            Key::Escape => {
                self.typing = false;
                self.filter.clear();
            }
            Key::Backspace => _ = self.filter.pop(),
            Key::Char(letter) if self.filter.len() < 64 => self.filter.push(letter),
            Key::Control('c') => return Reply::Quit,
            _ => {}
        }
        self.top = 0;
        Reply::Draw
    }

    /// Scrolls to a list by the first word of its head.
    fn go_to(&mut self, list: &str) {
        let body = lines::body(self, 80);
        if let Some(at) = body.iter().position(|line| line.head && line.text.starts_with(list)) {
            self.top = at;
        }
    }
}

#[cfg(test)]
mod tests;
