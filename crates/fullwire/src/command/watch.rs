//! `fullwire watch`: the I/O path at work, on a screen or as lines.

use crate::cli::{Color, WatchArgs};
use crate::command::compare::diff::OPEN;
use crate::output::Show;
use crate::recorder::watched::Watched;
use crate::recorder::{Feed, Keeper, begin};
use crate::screen;
use crate::signals;
use anyhow::Result;
use fullwire_observe::SamplerAsk;
use fullwire_present::screen::look;
use fullwire_store::recording::Limits;
use std::io::IsTerminal;
use std::process::ExitCode;

/// Threads that a look has.
const THREADS: usize = 16;

pub(crate) fn run(args: &WatchArgs, show: &Show) -> Result<ExitCode> {
    let stop = signals::on_signals()?;
    let keeper = if args.record { Some(keeper(args)?) } else { None };
    let ask = SamplerAsk { threads: THREADS, watched: true, ..SamplerAsk::default() };
    let feed = Feed::begin(args.root.as_deref(), args.interval, ask)?;
    let watched = Watched::new(feed, keeper);
    let terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    let lines = args.once || args.count.is_some() || show.json() || !terminal;
    if lines {
        let count = if args.once { Some(1) } else { args.count };
        return as_lines(watched, count, show, &stop);
    }
    screen::watch(watched, args.interval, screen::face(show.color() != Color::Never), &stop)?;
    Ok(ExitCode::SUCCESS)
}

fn keeper(args: &WatchArgs) -> Result<Keeper> {
    let directory = args.dir.clone().map_or_else(super::record::own_recordings, Ok)?;
    Keeper::start(super::record::directory(&directory, begin(args.interval), Limits::default())?)
}

/// One look, or several, one after the other. The first sample has no rates and is not shown.
fn as_lines(
    mut watched: Watched,
    count: Option<u64>,
    show: &Show,
    stop: &std::sync::atomic::AtomicBool,
) -> Result<ExitCode> {
    watched.feed.wait(stop);
    watched.look()?;
    let (mut shown, mut blind) = (0, false);
    while count.is_none_or(|count| shown < count) && watched.feed.wait(stop) {
        let looked = watched.look()?;
        if show.json() {
            Show::json_line(&looked.live)?;
        } else {
            let between = if shown > 0 { "\n" } else { "" };
            Show::text(&format!("{between}{}", look(&looked.live)))?;
        }
        shown += 1;
        blind = looked.live.is_blind();
    }
    watched.end()?;
    Ok(if blind { ExitCode::from(OPEN) } else { ExitCode::SUCCESS })
}
