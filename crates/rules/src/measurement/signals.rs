//! What the counters of one measurement say of each mechanism, computed once and compared in one place.

use crate::facts::{Target, cpu, in_flight, is_synced, residence, shaper, stream};
use fullwire_model::Run;
use fullwire_model::assessment::Mechanism;
use fullwire_model::disk::DiskStepResult;
use fullwire_model::net::NetResult;

/// Figures that decide whether one mechanism can have caused another.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signals {
    /// The busiest CPU of both ends or the busiest thread of ours, as a share of one.
    pub(crate) cpu_peak: f64,
    /// Segments that were lost on the way, of all.
    pub(crate) lost_share: Option<f64>,
    /// Segments that were lost on the way, of those that were sent again; the others had arrived.
    pub(crate) lost_of_resent: Option<f64>,
    /// Times that segments overtook one another, of all segments.
    pub(crate) reordered_share: Option<f64>,
    /// Standard deviation over mean of the rate.
    pub(crate) variation: Option<f64>,
    /// The busiest thread of ours alone.
    pub(crate) own_cpu: Option<f64>,
    /// Share of the time in which the peer's window limited the stream.
    pub(crate) window_held: Option<f64>,
    /// The same of the send buffer.
    pub(crate) buffer_held: Option<f64>,
    /// The share of its time that an I/O spends above the devices, at most: only there can it wait for a CPU.
    pub(crate) above_devices: Option<f64>,
    /// The share of its time for which it was ready and had no CPU.
    pub(crate) waited: Option<f64>,
    /// 1 where a discipline at the sender made the rate at which the stream went, 0 where it did not.
    pub(crate) shaper_held: Option<f64>,
    /// The share of the time in which nothing of a stream arrived, in pauses that no busy CPU makes.
    pub(crate) silent: Option<f64>,
    /// It goes through a filter that may have a rate of its own.
    pub(crate) filtered: bool,
    /// The share of its time that one I/O alone takes beyond the quickest of many.
    pub(crate) beyond_quickest: Option<f64>,
    /// How many times less I/Os in flight together give than as many single ones, beyond what others at the devices take.
    pub(crate) flatter: Option<f64>,
}

/// Names a figure of [`Signals`] in the table of mechanisms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// [`Signals::lost_share`].
    LostShare,
    /// [`Signals::lost_of_resent`].
    LostOfResent,
    /// [`Signals::reordered_share`].
    ReorderedShare,
    /// The rate is no more even than this: [`Signals::variation`], turned round.
    Evenness,
    /// Our own threads are as idle as this: one less [`Signals::own_cpu`].
    OwnIdle,
    /// [`Signals::flatter`].
    Flatter,
}

impl Signals {
    pub(crate) fn of_stream(run: &Run, result: &NetResult) -> Self {
        let tcp = result.tcp.as_ref().filter(|tcp| tcp.segments_out > 0);
        let of_all = |count: u64| Some(count as f64 / tcp?.segments_out as f64);
        let lost = tcp.map(|_| stream::lost_segments(run, result));
        let threads = [result.cpu.client_thread_peak, result.cpu.server_thread_peak];
        Self {
            cpu_peak: cpu::cpu_peak(run, result),
            lost_share: stream::lost_share(run, result),
            lost_of_resent: lost
                .zip(tcp.map(|tcp| tcp.retransmits).filter(|resent| *resent > 0))
                .map(|(lost, resent)| lost as f64 / resent as f64),
            reordered_share: tcp.and_then(|tcp| of_all(tcp.reorder_seen)),
            variation: stream::variation(result),
            own_cpu: threads.into_iter().flatten().reduce(f64::max),
            window_held: stream::receiver_limited(result),
            buffer_held: stream::buffer_limited(result),
            above_devices: None,
            waited: cpu::stream_waited(result),
            shaper_held: shaper::on_the_way(run, result).map(|set| f64::from(u8::from(set.acts))),
            silent: stream::silent_share(result),
            filtered: stream::is_filtered(run, result),
            beyond_quickest: None,
            flatter: None,
        }
    }

    pub(crate) fn of_step(target: &Target<'_>, step: &DiskStepResult) -> Self {
        // What the page cache takes up reaches the devices later.
        let waits = step.direct || is_synced(step);
        Self {
            cpu_peak: step.thread_peak.unwrap_or(0.0),
            own_cpu: step.thread_peak,
            waited: step.thread_wait,
            above_devices: residence::above_devices(target, step).filter(|_| waits),
            beyond_quickest: residence::beyond_quickest(step).filter(|_| in_flight(step) == 1),
            flatter: residence::flatter(target, step),
            ..Self::default()
        }
    }

    /// The share of the time in which a counter says that a mechanism limited the stream; `None`: nothing counts it.
    pub(crate) fn held_by(&self, mechanism: Mechanism) -> Option<f64> {
        match mechanism {
            Mechanism::ReceiveWindow => self.window_held,
            Mechanism::SendBuffer => self.buffer_held,
            Mechanism::OwnShaper => self.shaper_held,
            _ => None,
        }
    }

    /// The figure behind a name; `None`: not known.
    pub(crate) fn value(&self, signal: Signal) -> Option<f64> {
        match signal {
            Signal::LostShare => self.lost_share,
            Signal::LostOfResent => self.lost_of_resent,
            Signal::ReorderedShare => self.reordered_share,
            Signal::Evenness => self.variation.map(|variation| 1.0 - variation),
            Signal::OwnIdle => self.own_cpu.map(|own| 1.0 - own),
            Signal::Flatter => self.flatter,
        }
    }
}
