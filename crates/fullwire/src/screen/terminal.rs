//! The terminal itself: taken over, given back, watched for its end.

use crate::output::charset;
use crate::signals;
use anyhow::{Context, Result};
use fullwire_present::screen::{Face, Key, Screen, draw};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Keys are waited for this long; then samples, signals and the terminal itself are looked after.
const TICK: Duration = Duration::from_millis(100);

/// The terminal, ours as long as this lives: also a panic gives it back (`ratatui::try_init` sets the hook).
pub(super) struct Tty {
    terminal: DefaultTerminal,
    parent: Option<Pid>,
}

/// What happened on the terminal.
pub(super) enum Input {
    Key(Key),
    Resized,
    Nothing,
    /// A signal came, or no one sits there any more.
    Gone,
}

impl Tty {
    pub(super) fn open() -> Result<Self> {
        let terminal =
            ratatui::try_init().context("take over the terminal (watch --once prints one screen)")?;
        let parent = rustix::process::getppid();
        std::thread::Builder::new()
            .name("terminal-guard".into())
            .spawn(move || guard(parent))
            .context("start the thread that watches the terminal")?;
        Ok(Self { terminal, parent })
    }

    /// Draws; the lines of the body that are visible.
    pub(super) fn draw(&mut self, screen: &mut Screen) -> Result<usize> {
        let mut height = 0;
        self.terminal.draw(|frame| height = draw(frame, screen)).context("draw on the terminal")?;
        Ok(height)
    }

    /// The next key, or nothing for a tenth of a second.
    pub(super) fn input(&self, stop: &AtomicBool) -> Result<Input> {
        if stop.load(Ordering::Relaxed) || is_gone(self.parent) {
            return Ok(Input::Gone);
        }
        if !event::poll(TICK).context("read from the terminal")? {
            return Ok(Input::Nothing);
        }
        Ok(match event::read().context("read from the terminal")? {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                known(key.code, key.modifiers).map_or(Input::Nothing, Input::Key)
            }
            Event::Resize(..) => Input::Resized,
            _ => Input::Nothing,
        })
    }

    /// Stops this process as Ctrl-Z does, and takes the terminal back when it goes on.
    pub(super) fn suspend(&mut self) -> Result<()> {
        ratatui::try_restore().context("give the terminal back")?;
        let stopped = rustix::process::kill_process(rustix::process::getpid(), Signal::TSTP);
        self.terminal = ratatui::try_init().context("take over the terminal again")?;
        stopped.context("stop this process")
    }
}

/// The terminal hung up, or the process that it was started by is gone.
fn is_gone(parent: Option<Pid>) -> bool {
    let stdin = std::io::stdin();
    let mut watched = [PollFd::new(&stdin, PollFlags::empty())];
    let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
    let polled = rustix::event::poll(&mut watched, Some(&now));
    let ended = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    polled.is_ok() && watched[0].revents().intersects(ended) || rustix::process::getppid() != parent
}

/// crossterm reads on and on from a terminal that hangs up while it waits for a key, and does not come back. Then this ends
/// the process: no one sees it any more, and a recording survives that.
fn guard(parent: Option<Pid>) {
    while !is_gone(parent) {
        std::thread::sleep(TICK * 3);
    }
    std::thread::sleep(TICK * 5);
    std::process::exit(signals::INTERRUPTED.into());
}

impl Drop for Tty {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

fn known(code: KeyCode, modifiers: KeyModifiers) -> Option<Key> {
    Some(match code {
        KeyCode::Char(letter) if modifiers.contains(KeyModifiers::CONTROL) => Key::Control(letter),
        KeyCode::Char(letter) => Key::Char(letter),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::F(1) => Key::F1,
        _ => return None,
    })
}

/// What this terminal can show: `NO_COLOR` (no-color.org), `TERM=dumb`, `--ascii` and the locale are obeyed.
pub(crate) fn face(colour: bool) -> Face {
    let set = |name: &str| std::env::var(name).unwrap_or_default();
    let dumb = set("TERM") == "dumb";
    Face { colour: colour && !dumb && set("NO_COLOR").is_empty(), unicode: !dumb && charset::unicode() }
}
