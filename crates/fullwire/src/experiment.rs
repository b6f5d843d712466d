//! A designed experiment: the same measurement in two states, in turn, and the first state again in the end.

use crate::ask;
use crate::journal::{Entry, Journal, Undo};
use crate::remedy::shell;
use crate::session::outcome::FinishedRun;
use crate::signals;
use anyhow::{Context, Result, bail};
use fullwire_compare::settings;
use fullwire_model::Run;
use fullwire_model::comparison::SettingChange;
use fullwire_model::counters::CpuTime;
use fullwire_model::host::Host;
use fullwire_observe::Root;
use fullwire_rules::advice::effect::lasts;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A word of a setting's name that is as long distinguishes it from others: `sda`, `eth0`.
const SHORTEST_NAME: usize = 3;
/// A pair is not counted when other load used this much more of all CPUs before one of its runs than before the other.
const DISTURBED: f64 = 0.25;

/// One of the two states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Without the change.
    A,
    /// With it.
    B,
}

/// What is done.
pub(crate) struct Design<'a> {
    /// Sets the state without the change.
    pub(crate) a: &'a [String],
    /// Makes the change.
    pub(crate) b: &'a [String],
    /// The host is in state A already, and the commands are those of a rule: the first is that of B. Else a person typed them.
    pub(crate) begins_in_a: bool,
    pub(crate) pairs: u32,
    pub(crate) settle: Duration,
    /// What the change is called in the journal.
    pub(crate) about: String,
}

/// What came of it.
pub(crate) struct Done {
    /// Runs in state A and in state B; run `i` of one was made next to run `i` of the other.
    pub(crate) a: Vec<Run>,
    pub(crate) b: Vec<Run>,
    /// The states in the order in which they were measured.
    pub(crate) order: String,
    pub(crate) disturbed_pairs: u32,
    /// Why it ended early.
    pub(crate) ended: Option<String>,
    /// What is not as it was before.
    pub(crate) unrestored: Vec<SettingChange>,
    /// The commands that set state A again failed.
    pub(crate) restore_failed: Option<String>,
}

/// Pairs in the order A B, B A, A B, …: whatever drifts evenly acts on both sides alike.
pub(crate) fn order(pairs: u32) -> Vec<[State; 2]> {
    (0..pairs).map(|pair| if pair % 2 == 0 { [State::A, State::B] } else { [State::B, State::A] }).collect()
}

/// Does it. The state is A in the end, whatever happens but a kill; after that the journal tells `fullwire clean`.
pub(crate) fn run(
    design: &Design<'_>,
    stop: &AtomicBool,
    measure: &mut dyn FnMut(State, u32) -> Result<FinishedRun>,
) -> Result<Done> {
    let root = Root::live().context("open this host's /proc and /sys")?;
    crate::remedy::alone::hold()?;
    let journal = Journal::begin(&fullwire_probe::state::state_dir(), "prove", &design.about)?;
    let mut keeper = Keeper::new(design, root, journal);
    let mut done = Done {
        a: Vec::new(),
        b: Vec::new(),
        order: String::new(),
        disturbed_pairs: 0,
        ended: None,
        unrestored: Vec::new(),
        restore_failed: None,
    };
    if !design.begins_in_a {
        keeper.set(State::A)?;
        keeper.initial_after_a = Some(keeper.host());
    }
    // Pairs that other load disturbed are made again, but not more of them than were planned.
    let most = design.pairs * 2;
    for (number, pair) in (0..).zip(order(most)) {
        if done.a.len() >= design.pairs as usize {
            break;
        }
        if let Err(error) = one_pair(&mut keeper, design, pair, number, stop, measure, &mut done) {
            done.ended = Some(crate::sentence(&error));
            break;
        }
    }
    done.restore_failed = keeper.restore().err().map(|error| crate::sentence(&error));
    done.unrestored = keeper.unrestored();
    if let Some(journal) = keeper.journal.take() {
        journal.end();
    }
    Ok(done)
}

fn one_pair(
    keeper: &mut Keeper<'_>,
    design: &Design<'_>,
    pair: [State; 2],
    number: u32,
    stop: &AtomicBool,
    measure: &mut dyn FnMut(State, u32) -> Result<FinishedRun>,
    done: &mut Done,
) -> Result<()> {
    let mut made: Vec<(State, Run)> = Vec::new();
    for state in pair {
        let changed = keeper.set(state)?;
        if changed && !signals::sleep_until(Instant::now() + design.settle, stop) {
            bail!("interrupted");
        }
        keeper.read_back(state)?;
        let outcome = measure(state, number)?;
        if stop.load(Ordering::Relaxed) {
            bail!("interrupted");
        }
        done.order.push(if state == State::A { 'A' } else { 'B' });
        made.push((state, outcome.run));
    }
    let busy: Vec<Option<f64>> = made.iter().map(|(_, run)| busy_share(run)).collect();
    if let [Some(one), Some(other)] = busy.as_slice()
        && (one - other).abs() > DISTURBED
    {
        done.disturbed_pairs += 1;
        return Ok(());
    }
    for (state, run) in made {
        match state {
            State::A => done.a.push(run),
            State::B => done.b.push(run),
        }
    }
    Ok(())
}

/// The share of all CPUs that was used before the load from fullwire; `None`: it was not watched.
fn busy_share(run: &Run) -> Option<f64> {
    let window = run.idle().filter(|window| window.seconds() > 0.1)?;
    let (from, to) = (&window.from.cpu, &window.to.cpu);
    let idle = |cpu: &CpuTime| cpu.idle_ns + cpu.iowait_ns;
    let idle_s = idle(to).saturating_sub(idle(from)) as f64 / 1e9;
    let cpus = f64::from(run.host.cpu.online.max(1));
    Some((1.0 - idle_s / (window.seconds() * cpus)).clamp(0.0, 1.0))
}

/// Keeps the host's state: sets it, reads it back, and sets it to A when it goes, come what may.
struct Keeper<'a> {
    design: &'a Design<'a>,
    root: Root,
    state: Option<State>,
    /// As it was before anything was done.
    initial: Host,
    /// With A's commands done once, where it was not known to be in A.
    initial_after_a: Option<Host>,
    seen_a: Option<Host>,
    seen_b: Option<Host>,
    /// `None` once it has ended.
    journal: Option<Journal>,
    /// State B as the journal knows it, while it may be in effect.
    in_effect: Option<u32>,
}

impl<'a> Keeper<'a> {
    fn new(design: &'a Design<'a>, root: Root, journal: Journal) -> Self {
        let initial = fullwire_observe::host(&root, &ask::of_host(Vec::new()));
        let state = design.begins_in_a.then_some(State::A);
        Self {
            design,
            root,
            state,
            initial,
            initial_after_a: None,
            seen_a: None,
            seen_b: None,
            journal: Some(journal),
            in_effect: None,
        }
    }

    fn host(&self) -> Host {
        fullwire_observe::host(&self.root, &ask::of_host(Vec::new()))
    }

    /// True when something was done.
    fn set(&mut self, state: State) -> Result<bool> {
        if self.state == Some(state) {
            return Ok(false);
        }
        // From here on it is neither.
        self.state = None;
        let commands = if state == State::A { self.design.a } else { self.design.b };
        if let (State::B, Some(journal)) = (state, &mut self.journal) {
            let typed = !self.design.begins_in_a;
            let way = |command: &String| if typed { from_here(command) } else { command.clone() };
            let undo = self.design.a.iter().map(|command| Undo::command(&way(command))).collect();
            let until_boot = !typed && !self.design.b.iter().any(|run| lasts(run));
            let entry = Entry::new(&self.design.about, "the state with the change", self.design.b, undo);
            let entry = Entry { until_boot, ..entry };
            self.in_effect = Some(journal.about_to(entry)?);
        }
        for command in commands {
            let run = if self.design.begins_in_a { shell::run } else { shell::run_typed };
            let journal = self.journal.as_mut().context("the experiment has ended")?;
            if let Err(error) = run(command, journal.pen().lock()?) {
                if let (State::B, Some(step)) = (state, self.in_effect) {
                    journal.failed(step, &crate::sentence(&error), None)?;
                }
                return Err(error);
            }
        }
        self.tell(state)?;
        self.state = Some(state);
        Ok(true)
    }

    /// The journal learns which state is set now.
    fn tell(&mut self, state: State) -> Result<()> {
        let (Some(journal), Some(step)) = (&mut self.journal, self.in_effect) else { return Ok(()) };
        if state == State::B {
            return journal.done(step, Vec::new());
        }
        self.in_effect = None;
        journal.undone(step)
    }

    /// The settings that the change touched are what they were when this state was first seen.
    fn read_back(&mut self, state: State) -> Result<()> {
        let now = self.host();
        let seen = if state == State::A { &mut self.seen_a } else { &mut self.seen_b };
        let first = seen.get_or_insert_with(|| now.clone()).clone();
        let (Some(a), Some(b)) = (&self.seen_a, &self.seen_b) else { return Ok(()) };
        let touched = fields_of(a, b);
        let differs = settings::differences(&first, &now)
            .into_iter()
            .map(|difference| difference.change)
            .find(|change| touched.contains(&change.field));
        match differs {
            None => Ok(()),
            Some(change) => bail!(
                "{} is {} but was {} when this state was first set: something else changes it",
                change.field,
                change.b.as_deref().unwrap_or("absent"),
                change.a.as_deref().unwrap_or("absent")
            ),
        }
    }

    fn restore(&mut self) -> Result<()> {
        self.set(State::A).map(|_| ())
    }

    /// What the experiment touched and is not as it was: what differed between its states, and whatever its commands name.
    fn unrestored(&self) -> Vec<SettingChange> {
        let (Some(a), Some(b)) = (&self.seen_a, &self.seen_b) else { return Vec::new() };
        let mut touched = fields_of(a, b);
        if let Some(after_a) = &self.initial_after_a {
            touched.extend(fields_of(&self.initial, after_a));
        }
        let commands = || self.design.a.iter().chain(self.design.b);
        let named = |field: &str| {
            let mut words = field.split_whitespace().filter(|word| word.len() >= SHORTEST_NAME);
            words.any(|word| commands().any(|command| command.contains(word)))
        };
        settings::differences(&self.initial, &self.host())
            .into_iter()
            .map(|difference| difference.change)
            .filter(|change| touched.contains(&change.field) || named(&change.field))
            .collect()
    }
}

fn fields_of(a: &Host, b: &Host) -> BTreeSet<String> {
    let changes = settings::differences(a, b).into_iter().map(|difference| difference.change);
    // Which databases run, and what things are called, is no setting: somebody else's server that starts meanwhile is no concern.
    changes.filter(|change| !change.identity).map(|change| change.field).collect()
}

impl Drop for Keeper<'_> {
    fn drop(&mut self) {
        // Only where the way out was not the usual one.
        let _ = self.restore();
        if let Some(journal) = self.journal.take() {
            journal.end();
        }
    }
}

/// A typed command as it was meant: in the directory where it was typed, wherever it is taken back from.
fn from_here(command: &str) -> String {
    let here = std::env::current_dir().map(|here| here.display().to_string()).unwrap_or_default();
    format!("cd {} && {command}", fullwire_model::assessment::quote(&here))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_alternate_so_that_drift_cancels_out() {
        let letters: String =
            order(4).concat().iter().map(|s| if *s == State::A { 'A' } else { 'B' }).collect();
        assert_eq!(letters, "ABBAABBA");
    }
}
