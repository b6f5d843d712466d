use crate::facts::side::Side;

rule! {
    /// # What it checks
    /// Passes when no CPU dropped packets because its input queue (`netdev_max_backlog`) was full.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// What the interface delivered is lost within the kernel: the CPU that handles it does not keep up with a
    /// burst.
    /// # Evidence
    /// Growth of the second column of `/proc/net/softnet_stat` while each probe ran.
    /// # Remedy
    /// A larger `net.core.netdev_max_backlog`; interrupts spread over more CPUs.
    /// # Source
    /// Linux Documentation/admin-guide/sysctl/net.rst, `netdev_max_backlog`; xsos (softnet column 2); netdata
    /// health.d softnet (10 a minute).
    code: "softnet-drops",
    title: "the receive backlog of a CPU overflowed",
    layer: Network, severity: Warning, on: [Setting], limits: [OwnQueueDrops],

    /// Fewer are a stray burst (own choice).
    const FEW: u64 = 10;
    /// Share of the packets from which it is felt; fewer are a note.
    const SHARE: f64 = 1e-4;
}

const NAME: &str = "net.core.netdev_max_backlog";

fn check(run: &Facts) -> Vec<Outcome> {
    let judged = side::sides(run).into_iter().filter_map(|side| {
        let counted: Vec<_> = match side.since_boot() {
            Some(span) => side
                .windows
                .last()
                .and_then(|window| Backlog::since_boot(&window.to, span))
                .into_iter()
                .collect(),
            None => side.windows.iter().filter_map(|window| Backlog::of(window)).collect(),
        };
        if counted.is_empty() {
            let unread = || unknown!("softnet_stat was not read over a window");
            return side.peer.is_none().then(unread);
        }
        Some(judge(run, &side, &counted))
    });
    judged.collect()
}

/// What the input queues of the CPUs dropped and processed while one probe ran.
struct Backlog {
    probe: ProbeId,
    dropped: u64,
    processed: u64,
    span: Span,
    /// The CPU that dropped most, and how many; `None`: they are not told apart.
    most: Option<(u32, u64)>,
}

impl Backlog {
    /// What the counters came to since boot, where they were read once.
    fn since_boot(counters: &Counters, span: Span) -> Option<Self> {
        let boot = Window { to: counters.clone(), from: zeroed(counters), ..Window::default() };
        Some(Self { span, ..Self::between(&boot)? })
    }

    fn of(window: &Window) -> Option<Self> {
        (!facts::is_glance(window)).then(|| Self::between(window))?
    }

    fn between(window: &Window) -> Option<Self> {
        let grown = |read: fn(&Softnet) -> u64| {
            let sum = |counters: &Counters| {
                (!counters.softnet.is_empty())
                    .then(|| counters.softnet.values().map(read).fold(0, u64::saturating_add))
            };
            facts::grown(window, sum)
        };
        let (dropped, processed) = (grown(|cpu| cpu.dropped)?, grown(|cpu| cpu.processed)?);
        let most =
            window.to.softnet.iter().filter(|_| window.to.softnet.len() > 1).filter_map(|(cpu, to)| {
                Some((*cpu, to.dropped.saturating_sub(window.from.softnet.get(cpu)?.dropped)))
            });
        let most = most.max_by_key(|(_, dropped)| *dropped);
        Some(Self { probe: window.probe, dropped, processed, span: Span::window(window.seconds()), most })
    }

    /// `, most on CPU 2: +300`.
    fn most_on(&self) -> String {
        self.most.map_or(String::new(), |(cpu, dropped)| {
            format!(", most on {}", self.span.count(&format!("CPU {cpu}:"), dropped))
        })
    }

    fn share(&self) -> f64 {
        self.dropped as f64 / self.processed.max(1) as f64
    }

    fn overflowed(&self) -> bool {
        self.span.has(self.dropped, FEW)
    }

    fn is_felt(&self) -> bool {
        self.overflowed() && self.share() >= SHARE
    }
}

/// The same CPUs with nothing counted, as the kernel begins.
fn zeroed(counters: &Counters) -> Counters {
    let softnet = counters.softnet.keys().map(|cpu| (*cpu, Softnet::default())).collect();
    Counters { softnet, ..Counters::default() }
}

/// What is not known cannot be multiplied, and may be larger already.
fn advice(side: &Side, backlog: Option<u64>) -> Advice {
    let why = "A burst finds the input queue of the CPU full and is lost within the host.";
    let expect = "the second column of softnet_stat no longer grows under load";
    match backlog {
        Some(backlog) => {
            set_sysctl(side.host, NAME, &(backlog * 10).clamp(10_000, 300_000).to_string(), why, expect)
        }
        None => because(why)
            .look(sh!("sysctl {}", NAME), "Shows how many packets each CPU's input queue holds")
            .now(format!("Raise {NAME} to ten times that, at least to 10000 and at most to 300000"))
            .persist("Keep it in a file of /etc/sysctl.d; spread the interrupts of the interface over more CPUs (irqbalance)")
            .expecting(expect),
    }
}

fn judge(run: &Run, side: &Side, counted: &[Backlog]) -> Outcome {
    let overflowed = counted.iter().filter(|backlog| backlog.overflowed());
    let Some(worst) = overflowed.max_by(|one, other| one.share().total_cmp(&other.share())) else {
        return Outcome::Passes;
    };
    let backlog = side.host.sysctl_number(NAME);
    let size = backlog.map_or(String::new(), |backlog| format!(" {backlog}"));
    let finding = finding!(
        side.subject(Kind::Setting, NAME),
        "the backlog of the CPUs ({NAME}{size}) overflowed{}: {} of {} packets dropped",
        worst.span.when(worst.dropped),
        worst.dropped,
        worst.processed,
    )
    .severity(if worst.is_felt() { Severity::Warning } else { Severity::Info })
    .measured(worst.dropped as f64, 0.0, Unit::Count)
    .evidence(
        format!(
            "{}, {} {}{}",
            worst.span.count("dropped", worst.dropped),
            worst.span.count("processed", worst.processed),
            worst.span.in_seconds(),
            worst.most_on()
        ),
        side.source("/proc/net/softnet_stat"),
    )
    .advice(advice(side, backlog).on(side.peer));
    // Streams toward this side, each with what was dropped while it ran.
    let toward =
        |one: &&NetResult| !explain::leaves_by(side, one) && side.peer.is_none_or(|peer| *peer == one.target);
    let explained = stream::results(run, NetMode::Async).filter(toward).filter_map(|one| {
        let own = counted.iter().find(|backlog| backlog.probe == one.probe)?;
        own.is_felt().then(|| explain::lossy(run, one, Mechanism::OwnQueueDrops, own.share()))
    });
    finding.explains(explained).into()
}
