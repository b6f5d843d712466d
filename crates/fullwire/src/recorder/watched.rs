//! A live host, looked at second by second, and recorded if asked.

use super::{Cost, Feed, Keeper, Looker};
use anyhow::Result;
use fullwire_model::live::Live;

/// The host, the recording of it, and what both cost.
pub(crate) struct Watched {
    pub(crate) feed: Feed,
    looker: Looker,
    keeper: Option<Keeper>,
    cost: Cost,
}

/// One look with the notes that belong to it.
#[derive(Debug)]
pub(crate) struct Looked {
    pub(crate) live: Live,
    /// Bytes recorded so far; `None`: nothing is recorded.
    pub(crate) recorded_bytes: Option<u64>,
    /// Samples that the recording lost.
    pub(crate) lost: u64,
    /// Of one CPU.
    pub(crate) cost: f64,
}

impl Watched {
    /// Begins with no look taken.
    pub(crate) fn new(feed: Feed, keeper: Option<Keeper>) -> Self {
        Self { feed, looker: Looker::default(), keeper, cost: Cost::new() }
    }

    /// Samples, records, looks.
    pub(crate) fn look(&mut self) -> Result<Looked> {
        let tick = self.feed.tick();
        if let Some(host) = &tick.host {
            self.looker.host(host);
        }
        let live = self.looker.look(&tick.sample, &tick.events);
        if let Some(keeper) = &mut self.keeper {
            keeper.keep(tick)?;
        }
        let kept = self.keeper.as_ref().map(Keeper::kept);
        Ok(Looked {
            live,
            recorded_bytes: kept.map(|kept| kept.bytes()),
            lost: kept.map_or(0, |kept| kept.lost()),
            cost: self.cost.share(),
        })
    }

    /// Ends the recording.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.keeper.as_mut().map_or(Ok(()), Keeper::end)
    }
}
