//! What carries acts to hosts and brings their events back: threads and ssh, or a simulation with its own clock.

use super::{Act, Conductor, Event, HostId};

/// Carries acts and brings events.
pub trait Bus {
    /// The time by its clock, which never goes back, ns.
    fn now_ns(&self) -> u64;
    /// Carries an act out, or tries to: what is lost on the way is noticed by its deadline.
    fn act(&mut self, act: &Act);
    /// The next event, waited for until this time.
    fn hear(&mut self, until_ns: u64) -> Heard;
    /// Something moved: how far it is may be shown.
    fn progress(&mut self, _conductor: &Conductor) {}
}

/// What came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A host spoke.
    Event(HostId, Event),
    /// The time has come, or it may be looked at.
    Nothing,
    /// The user wants an end.
    Stop,
}

/// Without its own deadline a conductor looks up this often, ns.
const LOOK_NS: u64 = 1_000_000_000;

/// Conducts until all tests are over; false when it was stopped.
pub fn conduct(conductor: &mut Conductor, bus: &mut dyn Bus, first: &[Act]) -> bool {
    let all = |bus: &mut dyn Bus, acts: &[Act]| {
        for act in acts {
            bus.act(act);
        }
    };
    all(bus, first);
    while !conductor.is_over() {
        let until_ns = conductor.next_deadline_ns().min(bus.now_ns() + LOOK_NS);
        let heard = bus.hear(until_ns);
        let now_ns = bus.now_ns();
        bus.progress(conductor);
        let acts = match heard {
            Heard::Event(host, event) => conductor.on(now_ns, host, &event),
            Heard::Nothing => Vec::new(),
            Heard::Stop => {
                all(bus, &conductor.stop());
                return false;
            }
        };
        all(bus, &acts);
        if conductor.next_deadline_ns() <= now_ns {
            all(bus, &conductor.tick(now_ns));
        }
    }
    true
}
