//! The terminal: raw mode, keys, signals; what is drawn is `present`'s.

mod play;
mod terminal;

pub(crate) use play::{Played, play};
pub(crate) use terminal::face;

use crate::recorder::watched::{Looked, Watched};
use anyhow::Result;
use fullwire_model::assessment::Severity;
use fullwire_model::live::Live;
use fullwire_present::format;
use fullwire_present::screen::{Face, Reply, Screen, Status};
use jiff::tz::TimeZone;
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::time::Duration;
use terminal::{Input, Tty};

/// Looks that can be scrolled back to, and rows of all of them together: what they take stays below 40 MB.
const MOST_LOOKS: usize = 3600;
const MOST_ROWS: usize = 60_000;

/// Shows the host until someone quits. The samples come from their own thread: the terminal may be slow.
pub(crate) fn watch(
    mut watched: Watched,
    interval: Duration,
    face: Face,
    stop: &std::sync::Arc<AtomicBool>,
) -> Result<()> {
    let (sender, looks) = sync_channel(2);
    let ended = std::sync::Arc::new(AtomicBool::new(false));
    let end = std::sync::Arc::clone(&ended);
    let sampler = std::thread::Builder::new().name("sampler".into()).spawn(move || -> Result<()> {
        while watched.feed.wait(&end) {
            let looked = watched.look()?;
            if sent(&sender, looked) {
                break;
            }
        }
        watched.end()
    })?;
    let mut tty = Tty::open()?;
    let end = Watching::new(face, interval).run(&mut tty, &looks, stop);
    drop(tty);
    drop(looks);
    ended.store(true, std::sync::atomic::Ordering::Relaxed);
    let sampled = sampler.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the sampler's thread has failed")));
    end.and(sampled)
}

/// True when no one looks any more. A look that finds no room is not shown: the terminal is slow.
fn sent(sender: &SyncSender<Looked>, looked: Looked) -> bool {
    matches!(sender.try_send(looked), Err(std::sync::mpsc::TrySendError::Disconnected(_)))
}

/// The live screen and the looks behind it.
struct Watching {
    screen: Screen,
    looks: VecDeque<Live>,
    /// How far back the look that is shown lies.
    back: usize,
    zone: TimeZone,
    interval: String,
}

impl Watching {
    fn new(face: Face, interval: Duration) -> Self {
        Self {
            screen: Screen::new(face),
            looks: VecDeque::new(),
            back: 0,
            zone: TimeZone::system(),
            interval: format::time(interval.as_secs_f64() * 1e9),
        }
    }

    fn run(&mut self, tty: &mut Tty, looks: &Receiver<Looked>, stop: &AtomicBool) -> Result<()> {
        let mut height = tty.draw(&mut self.screen)?;
        loop {
            let mut news = false;
            loop {
                match looks.try_recv() {
                    Ok(looked) => self.take(looked),
                    Err(TryRecvError::Empty) => break,
                    // The sampler has ended, and says why.
                    Err(TryRecvError::Disconnected) => return Ok(()),
                }
                news = true;
            }
            match tty.input(stop)? {
                Input::Gone => return Ok(()),
                Input::Key(key) => match self.screen.key(key, height) {
                    Reply::Quit => return Ok(()),
                    Reply::Step(by) => self.step(by),
                    Reply::Trouble(later) => self.trouble(later),
                    Reply::Time(text) => self.at(&text),
                    Reply::Resume => self.resume(),
                    Reply::Suspend => tty.suspend()?,
                    Reply::Draw => {}
                },
                Input::Nothing if !news => continue,
                Input::Resized | Input::Nothing => {}
            }
            height = tty.draw(&mut self.screen)?;
        }
    }

    fn take(&mut self, looked: Looked) {
        let recording = looked.recorded_bytes.map(|bytes| match looked.lost {
            0 => format!("rec {:.1} MB", bytes as f64 / 1e6),
            lost => format!("rec {:.1} MB, {lost} LOST", bytes as f64 / 1e6),
        });
        self.screen.status = Status {
            source: "LIVE".into(),
            interval: self.interval.clone(),
            recording: recording.unwrap_or_default(),
            cost: format!("self {:.1} %", looked.cost * 100.0),
            time: if self.screen.paused() {
                self.screen.status.time.clone()
            } else {
                self.time(&looked.live)
            },
        };
        let rows = looked.live.storage.len() + looked.live.network.len() + 10;
        let most = (MOST_ROWS / rows).clamp(60, MOST_LOOKS);
        while self.looks.len() >= most {
            self.looks.pop_front();
        }
        self.looks.push_back(looked.live.clone());
        if self.screen.paused() {
            self.back = (self.back + 1).min(self.looks.len() - 1);
        } else {
            self.screen.show(looked.live, true);
        }
    }

    fn time(&self, live: &Live) -> String {
        live.at.to_zoned(self.zone.clone()).strftime("%H:%M:%S %:z").to_string()
    }

    fn step(&mut self, by: i64) {
        let last = self.looks.len().saturating_sub(1);
        let back = i64::try_from(self.back).unwrap_or(0).saturating_sub(by);
        self.back = usize::try_from(back).unwrap_or(0).min(last);
        self.show_again();
    }

    /// To the look at which trouble begins, after the one that is shown or before it.
    fn trouble(&mut self, later: bool) {
        let warns = |live: &Live| live.headline.severity >= Some(Severity::Warning);
        let begins =
            |index: &usize| warns(&self.looks[*index]) && (*index == 0 || !warns(&self.looks[*index - 1]));
        let shown = self.looks.len().saturating_sub(1 + self.back);
        let found =
            if later { (shown + 1..self.looks.len()).find(begins) } else { (0..shown).rev().find(begins) };
        match found {
            Some(index) => self.show_index(index),
            None => {
                self.screen.note("no trouble begins there; a recording (--record) keeps more than is shown");
            }
        }
    }

    /// To the last look at or before a time of day.
    fn at(&mut self, text: &str) {
        let Ok(time) = text.parse::<jiff::civil::Time>() else {
            return self.screen.note(format!("cannot read the time {text}: expected 14:02 or 14:02:31"));
        };
        let local = |live: &Live| live.at.to_zoned(self.zone.clone()).time();
        match (0..self.looks.len()).rev().find(|index| local(&self.looks[*index]) <= time) {
            Some(index) => self.show_index(index),
            None => self.screen.note(format!("{text} is before the first look that is kept")),
        }
    }

    fn show_index(&mut self, index: usize) {
        self.back = self.looks.len().saturating_sub(1 + index);
        self.show_again();
    }

    fn resume(&mut self) {
        self.back = 0;
        self.show_again();
    }

    /// Shows a look of before, with the history that led to it.
    fn show_again(&mut self) {
        const HISTORY: usize = 60;
        let end = self.looks.len().saturating_sub(self.back);
        let begin = end.saturating_sub(HISTORY);
        for (index, live) in self.looks.range(begin..end).enumerate() {
            self.screen.show(live.clone(), index > 0);
        }
        self.screen.status.time = self.time(self.screen.live());
    }
}
