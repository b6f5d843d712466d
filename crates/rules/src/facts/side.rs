//! Both ends: a host with the windows over which its counters were read.

use super::span::DAY_S;
use super::{Since, Span, interface, is_glance};
use fullwire_model::counters::{Counters, NicCounters};
use fullwire_model::host::{Bond, Host};
use fullwire_model::subject::{At, Kind, Subject};
use fullwire_model::{PathName, Run, Window};

thresholds! {
    /// Share of what all links of a bond sent: one that sent more had the streams to itself (own choice).
    pub(crate) const ALONE: f64 = 0.95;
}

/// One end: a host with the windows over which its counters were read.
pub(crate) struct Side<'a> {
    pub(crate) host: &'a Host,
    pub(crate) windows: Vec<&'a Window>,
    /// The target of the peer that it is; `None`: this host.
    pub(crate) peer: Option<&'a PathName>,
}

/// This host.
pub(crate) fn own(run: &Run) -> Side<'_> {
    Side { host: &run.host, windows: run.windows.iter().collect(), peer: None }
}

/// This host, then every peer that reported about itself. A peer that is this host is not judged twice.
pub(crate) fn sides(run: &Run) -> Vec<Side<'_>> {
    let peers = run.peers.iter().filter(|peer| !peer.loopback).filter_map(|peer| {
        let host = peer.host.as_ref()?;
        Some(Side { host, windows: peer.windows.iter().collect(), peer: Some(&peer.target) })
    });
    std::iter::once(own(run)).chain(peers).collect()
}

impl Side<'_> {
    /// A device or setting with the host it is on: `eth0`, `eth0 at 10.0.0.2:5555`.
    pub(crate) fn name(&self, what: &str) -> String {
        match self.peer {
            None => what.to_owned(),
            Some(peer) => format!("{what} at {peer}"),
        }
    }

    /// A thing on this side.
    pub(crate) fn subject(&self, kind: Kind, name: &str) -> Subject {
        kind.named(name).at(self.at())
    }

    /// Which host this side is.
    pub(crate) fn at(&self) -> At {
        At::peer(self.peer)
    }

    /// `file`, or `file at PEER`: where evidence was read.
    pub(crate) fn source(&self, file: &str) -> String {
        self.name(file)
    }

    /// Bytes that each link of a bond sent over the windows.
    pub(crate) fn sent_bytes<'b>(&self, bond: &'b Bond) -> Vec<(&'b str, u64)> {
        let grown = |name: &str| self.nic(name, |counters| counters.tx_bytes).map(|growth| growth.count);
        bond.slaves.iter().filter_map(|slave| Some((slave.name.as_str(), grown(&slave.name)?))).collect()
    }

    /// The link of a bond that sent most, and its share; `None`: not read of two links at least, or too little to tell.
    pub(crate) fn busiest_link<'b>(&self, bond: &'b Bond) -> Option<(&'b str, f64)> {
        const ENOUGH_BYTES: u64 = 4 << 20;
        let sent = self.sent_bytes(bond);
        let all: u64 = sent.iter().map(|(_, bytes)| *bytes).fold(0, u64::saturating_add);
        let (name, most) = sent.iter().max_by_key(|(_, bytes)| *bytes)?;
        (sent.len() > 1 && all >= ENOUGH_BYTES).then(|| (*name, *most as f64 / all as f64))
    }

    /// The time since boot, where the counters were read only once and their values are all there is to judge. `None` before
    /// a day is over (own choice): what came while the host, its links and its peers started weighs most then.
    pub(crate) fn since_boot(&self) -> Option<Span> {
        self.only_glance()?;
        let seconds = self.host.os.uptime_s.filter(|seconds| *seconds >= DAY_S)?;
        Some(Span { seconds, since: Since::Boot })
    }

    /// There is a reading and no window of any length.
    pub(crate) fn is_read_once(&self) -> bool {
        self.only_glance().is_some()
    }

    /// The last reading, where there is no window of any length.
    fn only_glance(&self) -> Option<&Counters> {
        let all = self.windows.iter().all(|window| is_glance(window));
        self.windows.last().filter(|_| all).map(|window| &window.to)
    }

    /// Growth of a counter over all windows or, where it was read once, its value since boot. Who asks must judge it by
    /// its [`Span`] and say which it is.
    pub(crate) fn counted(&self, read: impl Fn(&Counters) -> Option<u64>) -> Option<Growth> {
        let Some(counters) = self.only_glance() else { return self.growth(read) };
        let Span { seconds, since } = self.since_boot()?;
        Some(Growth { count: read(counters)?, seconds, since })
    }

    /// The same of an interface's counter.
    pub(crate) fn counted_nic(&self, nic: &str, read: impl Fn(&NicCounters) -> u64) -> Option<Growth> {
        self.counted(|counters| counters.nics.get(nic).map(&read))
    }

    /// Growth of a counter over all windows, with their seconds; `None`: in no window at both ends.
    pub(crate) fn growth(&self, read: impl Fn(&Counters) -> Option<u64>) -> Option<Growth> {
        let mut total: Option<Growth> = None;
        // One reading shows no growth, and not that there was none.
        for window in self.windows.iter().filter(|window| !is_glance(window)) {
            if let (Some(from), Some(to)) = (read(&window.from), read(&window.to)) {
                let growth = total.get_or_insert_default();
                growth.count = growth.count.saturating_add(to.saturating_sub(from));
                growth.seconds += window.seconds();
            }
        }
        total
    }

    /// Growth of an interface's counter.
    pub(crate) fn nic(&self, nic: &str, read: impl Fn(&NicCounters) -> u64) -> Option<Growth> {
        self.growth(|counters| counters.nics.get(nic).map(&read))
    }

    /// The paths that an interface of this side carries.
    pub(crate) fn paths_over(&self, run: &Run, nic: &str) -> Vec<PathName> {
        let mut subjects = Vec::new();
        for result in run.net.iter().filter(|result| !result.path.loopback) {
            let top = match self.peer {
                None => interface::nic_toward(run, result).map(|nic| nic.name.as_str()),
                Some(peer) if *peer == result.target => {
                    interface::peer_nic(run, result).map(|nic| nic.name.as_str())
                }
                Some(_) => None,
            };
            let carried = top.is_some_and(|top| interface::stack(self.host, top).contains(&nic));
            if carried && !subjects.contains(&result.target) {
                subjects.push(result.target.clone());
            }
        }
        subjects
    }
}

/// How much a counter grew.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Growth {
    pub(crate) count: u64,
    pub(crate) seconds: f64,
    pub(crate) since: Since,
}

impl Growth {
    /// See [`Span::is_total`].
    pub(crate) fn is_total(self) -> bool {
        self.span().is_total()
    }

    pub(crate) fn span(self) -> Span {
        Span { seconds: self.seconds, since: self.since }
    }

    /// ` since boot (2300 a day over 181 days)`; nothing of a window.
    pub(crate) fn when(self) -> String {
        self.span().when(self.count)
    }
}
