//! Hostile peers and hostile files, all at once and for as long as is asked: what they cost is bounded, others are served
//! meanwhile, and nothing is left behind. `FULLWIRE_HOSTILE_SECONDS=1800` makes it half an hour.

mod database;
mod far;
mod files;
mod links;
mod mangle;
mod names;
mod peers;
mod pieces;
mod server;
mod variables;

use std::time::{Duration, Instant};

/// How long it lasts when nobody asks for more.
const SHORT: Duration = Duration::from_secs(10);

/// How long the attackers attack, and where chance begins.
#[derive(Debug, Clone, Copy)]
struct Attack {
    lasts: Duration,
    seed: u64,
}

/// When an attack that begins now is over.
#[derive(Debug, Clone, Copy)]
struct Until(Instant);

impl Attack {
    fn begin(self) -> Until {
        Until(Instant::now() + self.lasts)
    }
}

impl Until {
    fn goes_on(self) -> bool {
        Instant::now() < self.0
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

#[test]
fn hostile_peers_and_hostile_files_cost_what_is_allowed_and_leave_nothing() {
    let lasts = number("FULLWIRE_HOSTILE_SECONDS").map_or(SHORT, Duration::from_secs);
    let seed = number("FULLWIRE_SEED").unwrap_or(20_261_122);
    let attack = Attack { lasts, seed };
    std::thread::scope(|scope| {
        let files = scope.spawn(move || files::attack(attack));
        let peers = peers::attack(attack);
        let files = files.join().expect("what a file did is said above");
        println!("{lasts:?}, seed {seed}: {peers}; {files}");
    });
}
