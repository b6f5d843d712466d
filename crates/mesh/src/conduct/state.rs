//! Where hosts and tests stand, and what moves them.

use super::{Act, Conductor, HostId, RETURNS, TRIES, Test, TestId, TestOutcome, Ticket};

/// The state of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    /// It has not spoken yet.
    Unknown,
    /// It takes orders; it spoke last at this time.
    Ready { heard_ns: u64 },
    /// It went away, and may be brought back.
    Lost,
    /// That try is in progress.
    Reviving { until_ns: u64 },
    /// It will not come back.
    Gone,
}

/// The state of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Planned,
    Preparing {
        ticket: Ticket,
        until_ns: u64,
    },
    Running {
        ticket: Ticket,
        until_ns: u64,
        begun_ns: u64,
    },
    /// Called off; its resources are held until its client has let go. `counts`: the try counts as one.
    Draining {
        ticket: Ticket,
        until_ns: u64,
        counts: bool,
    },
    Over,
}

impl State {
    pub(super) fn until_ns(self) -> Option<u64> {
        match self {
            Self::Preparing { until_ns, .. }
            | Self::Running { until_ns, .. }
            | Self::Draining { until_ns, .. } => Some(until_ns),
            Self::Planned | Self::Over => None,
        }
    }

    /// 0: none.
    pub(super) fn ticket(self) -> Ticket {
        match self {
            Self::Preparing { ticket, .. } | Self::Running { ticket, .. } | Self::Draining { ticket, .. } => {
                ticket
            }
            Self::Planned | Self::Over => 0,
        }
    }
}

impl Conductor {
    pub(super) fn all_ready(&self, test: &Test) -> bool {
        self.is_ready(test.client) && test.server.is_none_or(|server| self.is_ready(server))
    }

    /// Starts what can start, in the order of rounds. Hosts that are not there block no one.
    pub(super) fn dispatch(&mut self, now_ns: u64) {
        if !std::mem::take(&mut self.stirred) {
            return;
        }
        for (round, test) in self.candidates() {
            if self.all_ready(&self.tests[test].test) && self.has_room(test) {
                self.queue.remove(&(round, test));
                self.start(now_ns, test);
            }
        }
        self.settle_absent(now_ns);
    }

    /// Planned tests that may be able to start now, in the order of rounds: only those that need what has become available, so that a
    /// cluster of a thousand hosts does not look at all its pairs after each test.
    fn candidates(&mut self) -> Vec<(usize, TestId)> {
        let available = std::mem::take(&mut self.available);
        if self.lockstep {
            let of_active = self.active.values().map(|&test| self.tests[test].test.round).min();
            let of_first = || self.queue.iter().find(|(_, test)| self.all_ready(&self.tests[*test].test));
            let round = of_active.or_else(|| of_first().map(|(round, _)| *round));
            return round.map_or_else(Vec::new, |round| {
                self.queue.range((round, 0)..(round + 1, 0)).copied().collect()
            });
        }
        let tests = available.into_iter().flat_map(|need| &self.needing[need]);
        let planned = tests.filter(|&&test| self.tests[test].state == State::Planned);
        let mut candidates: Vec<_> = planned.map(|&test| (self.tests[test].test.round, test)).collect();
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }

    /// Where `needing` has what a test needs.
    pub(super) fn needs(&self, test: &Test) -> impl Iterator<Item = usize> + use<> {
        let hosts = self.hosts.len();
        let resources: Vec<usize> = test.resources.iter().map(|resource| hosts + resource).collect();
        [Some(test.client), test.server].into_iter().flatten().chain(resources)
    }

    fn has_room(&self, test: TestId) -> bool {
        self.tests[test].test.resources.iter().all(|&resource| self.used[resource] < self.capacity[resource])
    }

    fn start(&mut self, now_ns: u64, test: TestId) {
        self.ticket += 1;
        let ticket = self.ticket;
        self.active.insert(ticket, test);
        let tried = &mut self.tests[test];
        tried.test.resources.iter().for_each(|&resource| self.used[resource] += 1);
        match tried.test.server {
            Some(host) => {
                let patience = self.patience;
                let lease_ns = patience.prepare_ns + tried.test.length_ns + patience.setup_ns;
                let until_ns = now_ns + patience.prepare_ns;
                tried.state = State::Preparing { ticket, until_ns };
                self.look_ns = self.look_ns.min(until_ns);
                self.acts.push(Act::Prepare { host, test, ticket, lease_ns });
            }
            None => self.run(now_ns, test, ticket),
        }
    }

    fn run(&mut self, now_ns: u64, test: TestId, ticket: Ticket) {
        let tried = &mut self.tests[test];
        let within_ns = tried.test.length_ns + self.patience.setup_ns;
        // The client's own clock ends it first; its word is waited for a little longer.
        let until_ns = now_ns + within_ns + self.patience.drain_ns;
        tried.state = State::Running { ticket, until_ns, begun_ns: now_ns };
        self.look_ns = self.look_ns.min(until_ns);
        self.acts.push(Act::Measure { host: tried.test.client, test, ticket, within_ns });
    }

    /// When nothing runs and all that is left needs hosts that are not there, each of them has one chance to come back.
    fn settle_absent(&mut self, now_ns: u64) {
        if !self.active.is_empty() || self.queue.is_empty() {
            return;
        }
        let needed = |&(_, test): &(usize, TestId)| {
            let Test { client, server, .. } = self.tests[test].test;
            [Some(client), server].into_iter().flatten().collect::<Vec<HostId>>()
        };
        let wanted: Vec<HostId> = self.queue.iter().flat_map(needed).collect();
        for host in wanted {
            if self.hosts[host] == Host::Lost {
                let until_ns = now_ns + self.patience.revive_ns;
                self.hosts[host] = Host::Reviving { until_ns };
                self.returns[host] += 1;
                self.look_ns = self.look_ns.min(until_ns);
                self.acts.push(Act::Revive { host });
            }
        }
        for (round, test) in std::mem::take(&mut self.queue) {
            let Test { client, server, .. } = self.tests[test].test;
            let ends = [Some(client), server];
            let gone = |host: &HostId| matches!(self.hosts[*host], Host::Gone | Host::Unknown);
            match ends.into_iter().flatten().find(gone) {
                Some(host) => self.finish(test, 0, TestOutcome::Absent(host)),
                None => {
                    self.queue.insert((round, test));
                }
            }
        }
    }

    pub(super) fn prepared(&mut self, now_ns: u64, host: HostId, ticket: Ticket) {
        if let Some(test) = self.find(host, ticket)
            && matches!(self.tests[test].state, State::Preparing { .. })
            && self.tests[test].test.server == Some(host)
        {
            self.run(now_ns, test, ticket);
        }
    }

    pub(super) fn refused(&mut self, host: HostId, ticket: Ticket, why: &str) {
        let Some(test) = self.find(host, ticket) else { return };
        self.free(test);
        if self.tests[test].test.server != Some(host) {
            self.release(test, ticket);
        }
        self.finish(test, ticket, TestOutcome::Refused(why.to_owned()));
    }

    pub(super) fn done(&mut self, now_ns: u64, host: HostId, ticket: Ticket) {
        let Some(test) = self.find(host, ticket) else { return };
        if self.tests[test].test.client != host {
            return;
        }
        match self.tests[test].state {
            State::Running { begun_ns, .. } => {
                let took = now_ns.saturating_sub(begun_ns);
                let overhead = took.saturating_sub(self.tests[test].test.length_ns);
                self.overhead_ns = (self.overhead_ns * 3 + overhead) / 4;
                self.release(test, ticket);
                self.free(test);
                self.finish(test, ticket, TestOutcome::Measured);
            }
            State::Draining { counts, .. } => self.drained(test, ticket, counts),
            _ => {}
        }
    }

    pub(super) fn failed(&mut self, _now_ns: u64, host: HostId, ticket: Ticket, why: &str) {
        let Some(test) = self.find(host, ticket) else { return };
        if self.tests[test].test.client != host {
            return;
        }
        match self.tests[test].state {
            State::Running { .. } => {
                self.release(test, ticket);
                self.free(test);
                self.again(test, ticket, why);
            }
            State::Draining { counts, .. } => self.drained(test, ticket, counts),
            _ => {}
        }
    }

    /// A host is gone: its tests are called off; the rest goes on.
    pub(super) fn lose(&mut self, now_ns: u64, host: HostId, why: &str) {
        self.hosts[host] = match self.hosts[host] {
            Host::Ready { .. } if self.returns[host] < RETURNS => Host::Lost,
            Host::Ready { .. } | Host::Unknown | Host::Reviving { .. } => Host::Gone,
            state @ (Host::Lost | Host::Gone) => state,
        };
        self.stirred = true;
        for test in self.active.values().copied().collect::<Vec<TestId>>() {
            let Test { client, server, .. } = self.tests[test].test;
            if client != host && server != Some(host) {
                continue;
            }
            match self.tests[test].state {
                State::Preparing { ticket, .. } => {
                    self.release(test, ticket);
                    self.free(test);
                    self.plan_again(test);
                }
                State::Running { ticket, .. } => self.call_off(now_ns, test, ticket, why, false),
                State::Planned | State::Draining { .. } | State::Over => {}
            }
        }
    }

    /// Stops both ends of a running test, and holds its resources until the client has let go or its time is over.
    pub(super) fn call_off(&mut self, now_ns: u64, test: TestId, ticket: Ticket, why: &str, counts: bool) {
        let State::Running { until_ns, .. } = self.tests[test].state else { return };
        let Test { client: host, server, .. } = self.tests[test].test;
        let mut end_ns = now_ns + self.patience.drain_ns;
        if self.is_ready(host) {
            self.acts.push(Act::Cancel { host, ticket });
        } else if !server.is_some_and(|server| self.is_ready(server)) {
            // No one can tell whether it still runs, and no responder cuts it: its own clock ends it.
            end_ns = end_ns.max(until_ns);
        }
        self.release(test, ticket);
        why.clone_into(&mut self.tests[test].why);
        self.tests[test].state = State::Draining { ticket, until_ns: end_ns, counts };
        self.look_ns = self.look_ns.min(end_ns);
    }

    /// A test that was called off has let go.
    pub(super) fn drained(&mut self, test: TestId, ticket: Ticket, counts: bool) {
        self.free(test);
        if counts {
            let why = std::mem::take(&mut self.tests[test].why);
            self.again(test, ticket, &why);
        } else {
            self.plan_again(test);
        }
    }

    /// One more try at the end, if there is one left.
    pub(super) fn again(&mut self, test: TestId, ticket: Ticket, why: &str) {
        self.tests[test].tries += 1;
        if self.tests[test].tries >= TRIES {
            return self.finish(test, ticket, TestOutcome::Failed(why.to_owned()));
        }
        self.plan_again(test);
    }

    fn plan_again(&mut self, test: TestId) {
        self.active.remove(&self.tests[test].state.ticket());
        self.stirred = true;
        let last = self.tests.iter().map(|tried| tried.test.round).max().unwrap_or(0);
        let tried = &mut self.tests[test];
        tried.state = State::Planned;
        // In a round of its own, after all others: where rounds wait for each other, it would blur what others show.
        tried.test.round = last + 1;
        self.queue.insert((tried.test.round, test));
    }

    pub(super) fn free(&mut self, test: TestId) {
        for &resource in &self.tests[test].test.resources {
            self.used[resource] -= 1;
            self.available.push(self.hosts.len() + resource);
        }
        self.stirred = true;
    }

    pub(super) fn release(&mut self, test: TestId, ticket: Ticket) {
        if let Some(host) = self.tests[test].test.server
            && self.is_ready(host)
        {
            self.acts.push(Act::Release { host, ticket });
        }
    }

    pub(super) fn finish(&mut self, test: TestId, ticket: Ticket, outcome: TestOutcome) {
        self.active.remove(&self.tests[test].state.ticket());
        self.tests[test].state = State::Over;
        self.over += 1;
        self.acts.push(Act::Over { test, ticket, outcome });
    }

    /// The test whose current try has this ticket, when the host is one of its ends.
    fn find(&self, host: HostId, ticket: Ticket) -> Option<TestId> {
        let test = *self.active.get(&ticket)?;
        let Test { client, server, .. } = self.tests[test].test;
        (client == host || server == Some(host)).then_some(test)
    }
}
