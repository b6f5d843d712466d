//! A recording on the screen.

use super::terminal::{Input, Tty};
use anyhow::Result;
use fullwire_model::live::Live;
use fullwire_present::screen::{Reply, Screen, Status};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Playing goes on one sample this often.
const STEP: Duration = Duration::from_millis(500);

/// Looks of a recording, by the number of their sample.
pub(crate) trait Played {
    /// How many there are.
    fn len(&self) -> usize;
    /// The samples at which trouble begins, in order.
    fn trouble(&mut self) -> Vec<usize>;
    /// The sample at a time as it was typed, or what is wrong with it.
    fn at(&mut self, time: &str) -> Result<usize, String>;
    /// A look with the time as the host's people know it, and those that led to it.
    fn looks(&mut self, index: usize, before: usize) -> Vec<(Live, String)>;
}

/// Shows a recording on this screen from one of its samples, standing still, until someone quits.
pub(crate) fn play(
    played: &mut dyn Played,
    begin: usize,
    interval: &str,
    mut screen: Screen,
    stop: &AtomicBool,
) -> Result<()> {
    const HISTORY: usize = 30;
    let last = played.len().saturating_sub(1);
    let mut at = begin.min(last);
    let show = |played: &mut dyn Played, screen: &mut Screen, at: usize, before: usize, follows: bool| {
        for (index, (live, time)) in played.looks(at, before).into_iter().enumerate() {
            screen.show(live, follows || index > 0);
            screen.status = Status {
                source: format!("REPLAY {}/{}", at + 1, last + 1),
                time,
                interval: interval.to_owned(),
                ..Status::default()
            };
        }
    };
    show(played, &mut screen, at, HISTORY, false);
    screen.pause(true);
    let mut tty = Tty::open()?;
    let mut height = tty.draw(&mut screen)?;
    let mut moved = Instant::now();
    loop {
        match tty.input(stop)? {
            Input::Gone => return Ok(()),
            Input::Key(key) => match screen.key(key, height) {
                Reply::Quit => return Ok(()),
                Reply::Step(by) => {
                    let wanted = i64::try_from(at).unwrap_or(0).saturating_add(by);
                    at = usize::try_from(wanted).unwrap_or(0).min(last);
                    show(played, &mut screen, at, HISTORY, false);
                }
                Reply::Trouble(later) => {
                    // The first sample has no rates yet.
                    let places: Vec<usize> = played.trouble().into_iter().map(|place| place.max(1)).collect();
                    let found = if later {
                        places.iter().find(|place| **place > at)
                    } else {
                        places.iter().rev().find(|place| **place < at)
                    };
                    match found {
                        Some(place) => {
                            at = (*place).min(last);
                            show(played, &mut screen, at, HISTORY, false);
                        }
                        None if later => screen.note("no trouble begins after this sample"),
                        None => screen.note("no trouble begins before this sample"),
                    }
                }
                Reply::Time(text) => match played.at(&text) {
                    Ok(place) => {
                        at = place.min(last);
                        show(played, &mut screen, at, HISTORY, false);
                    }
                    Err(why) => screen.note(why),
                },
                Reply::Suspend => tty.suspend()?,
                Reply::Resume | Reply::Draw => {}
            },
            Input::Resized => {}
            Input::Nothing if screen.paused() || moved.elapsed() < STEP || at == last => continue,
            Input::Nothing => {
                at += 1;
                moved = Instant::now();
                show(played, &mut screen, at, 0, true);
            }
        }
        height = tty.draw(&mut screen)?;
    }
}
