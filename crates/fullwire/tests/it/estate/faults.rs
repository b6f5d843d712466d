//! Everything is killed at random moments, and the store of the bus is wiped: what hosts completed is in PostgreSQL,
//! each run once.

use super::place::Place;
use crate::servers::wait_for;
use crate::skips::given;
use std::time::Duration;

/// Kills in one run of the tests, of each kind once; `FULLWIRE_KILLS` asks for more.
const KILLS: u32 = 5;

/// `SplitMix64`: the same moments from the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Rounds that came to their end.
fn done(place: &Place) -> u64 {
    place.postgres.ask("select count(*) from fullwire.round where state = 'done'").parse().unwrap_or(0)
}

/// Runs that have been committed.
fn kept(place: &Place) -> u64 {
    place.postgres.ask("select count(*) from fullwire.run").parse().unwrap_or(0)
}

#[test]
fn whatever_is_killed_whenever_each_completed_run_is_in_the_database_once() {
    let mut place = given!(Place::new(3));
    let words = ["--every", "1s", "--gather", "2s", "--duration", "500ms", "--max-rate", "5MB"];
    place.all_agents();
    place.coordinate(&words);
    let started = jiff::Timestamp::now().as_microsecond().unsigned_abs();
    let seed = number("FULLWIRE_SEED", started);
    println!("FULLWIRE_SEED={seed}");
    let mut chance = Chance(seed);
    let kills = number("FULLWIRE_KILLS", KILLS.into());
    for kill in 0..kills {
        // It goes on after each kill, however slow this machine is: else there would be nothing left to lose.
        let before = kept(&place);
        wait_for("the estate goes on after a kill", Duration::from_secs(120), || kept(&place) > before);
        std::thread::sleep(Duration::from_millis(chance.below(4000)));
        // Each kind comes in turn, so that few kills have all of them; the moment is random.
        match kill % 5 {
            0 => {
                place.nats.kill();
                std::thread::sleep(Duration::from_millis(chance.below(3000)));
                place.nats.run();
            }
            1 => {
                place.coordinator = None;
                place.coordinate(&words);
            }
            2 => {
                let host = usize::try_from(chance.below(3)).unwrap();
                place.agent(host);
            }
            3 => {
                place.postgres.kill();
                std::thread::sleep(Duration::from_millis(chance.below(3000)));
                place.postgres.run();
            }
            _ => {
                place.nats.kill();
                let store = place.path("jetstream");
                std::fs::remove_dir_all(&store).unwrap();
                place.nats.run();
            }
        }
    }
    // Everything is there again: rounds go on.
    let before = done(&place);
    wait_for("a round after the last kill", Duration::from_secs(120), || done(&place) > before);
    // No new results, and those that are owed come.
    place.coordinator = None;
    place.coordinate(&["--every", "9999h"]);
    wait_for("every receipt is there", Duration::from_secs(90), || place.all_settled());
    let runs = place.check_each_once();
    let interrupted = place.postgres.ask("select count(*) from fullwire.round where state = 'interrupted'");
    println!("{kills} kills, {} rounds done, {interrupted} interrupted, {runs} runs", done(&place));
    assert!(runs as u64 > kills, "{runs} runs: too little happened between the kills");
    // The next coordinator leads once the lease of the last one has run out, and closes its round.
    wait_for("no round is called running any more", Duration::from_secs(60), || {
        place.postgres.ask("select count(*) from fullwire.round where state = 'running'") == "0"
    });
    // A lost node costs only its own cells: nothing else says that a path is bad.
    let bad = place.status()["bad"].to_string();
    assert!(!bad.contains("of what it was"), "{bad}");
}
