//! Whole meshes in virtual time: whatever goes wrong, each cell has one outcome and nothing collides.

use crate::world::{S, Sink, Trouble, measured, plan, run, run_into};
use fullwire_mesh::conduct::{Act, Conductor, Event, HostId, Patience, Test, TestOutcome, Ticket};
use fullwire_mesh::topology::Topology;
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

#[test]
fn a_quiet_mesh_takes_the_time_of_its_rounds() {
    for lockstep in [false, true] {
        let world = run(8, &Topology::flat(8), Trouble::default(), 1, lockstep);
        assert_eq!(measured(&world), 56);
        let rounds = 14;
        let each = 10 * S + S / 2 + 10_000_000;
        assert!(world.now_ns <= rounds * each, "{} s", world.now_ns / S);
    }
}

#[test]
fn a_host_that_dies_costs_its_own_cells_and_nobody_waits_for_it() {
    for (lockstep, revivable) in [(false, false), (true, false), (false, true), (true, true)] {
        let trouble = Trouble { deaths: vec![(3, 35 * S, revivable)], ..Trouble::default() };
        let world = run(8, &Topology::flat(8), trouble, 1, lockstep);
        for (test, outcomes) in &world.outcomes {
            let Test { client, server, .. } = world.tests[*test];
            let own = client == 3 || server == Some(3);
            match &outcomes[0] {
                TestOutcome::Measured => {}
                TestOutcome::Absent(3) => assert!(own && !revivable, "{client} to {server:?}"),
                other => panic!("{client} to {server:?}: {other:?}"),
            }
        }
        // The rest of the rounds, the detection, the one chance, and the cells of a host that came back.
        let limit = if revivable { 14 * 11 + 15 + 40 + 15 * 11 } else { 14 * 11 + 15 + 45 };
        assert!(world.now_ns <= limit * S, "{} s", world.now_ns / S);
    }
}

/// It dies of every start: the mesh ends all the same.
#[test]
fn a_host_that_always_comes_back_and_goes_again_is_given_up() {
    let (tests, resources) = plan(2, &Topology::flat(2));
    let mut conductor = Conductor::new(2, Patience::default());
    conductor.on(0, 0, &Event::Ready);
    conductor.on(0, 1, &Event::Ready);
    let mut acts = conductor.begin(0, tests, &resources, false);
    let mut revived = 0;
    for second in 1..1000 {
        conductor.on(second * S, 0, &Event::Alive);
        acts.extend(conductor.on(second * S, 1, &Event::Lost("it went away".into())));
        acts.extend(conductor.tick(second * S));
        if std::mem::take(&mut acts).contains(&Act::Revive { host: 1 }) {
            revived += 1;
            acts.extend(conductor.on(second * S, 1, &Event::Ready));
        }
        if conductor.is_over() {
            break;
        }
    }
    assert!(conductor.is_over() && (1..5).contains(&revived), "brought back {revived} times");
}

#[test]
fn a_thousand_hosts_with_deaths_losses_hangs_and_wrong_clocks_come_to_an_end() {
    let hosts = 1000;
    let names: Vec<String> = (0..hosts).map(|host| format!("h{host}")).collect();
    let racks: Vec<String> = names
        .chunks(20)
        .enumerate()
        .map(|(index, rack)| format!("r{index} tests=4: {}", rack.join(" ")))
        .collect();
    let topology = Topology::parse(&racks.join("\n"), &names).unwrap();
    let trouble = Trouble {
        deaths: (0..30).map(|index| (index * 31, (20 + index as u64 * 7) * S, index % 3 == 0)).collect(),
        lost_ppm: 500,
        hang_ppm: 200,
        skew: (0..50).map(|index| (index * 17, if index % 2 == 0 { 20 } else { -20 })).collect(),
    };
    let dead: HashSet<usize> = trouble.deaths.iter().map(|death| death.0).collect();
    let world = run(hosts, &topology, trouble, 42, false);
    let healthy = |test: &Test| !dead.contains(&test.client) && !dead.contains(&test.server.unwrap());
    let healthy: Vec<usize> = (0..world.tests.len()).filter(|&test| healthy(&world.tests[test])).collect();
    let bad = healthy.iter().filter(|test| world.outcomes[test][0] != TestOutcome::Measured).count();
    // A test fails for good when two tries in a row lose a message of four or hang: two in a million.
    assert!(bad * 10_000 <= healthy.len(), "{bad} of {} cells of healthy hosts", healthy.len());
    assert!(measured(&world) * 100 > world.tests.len() * 93, "{} of {}", measured(&world), world.tests.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn whatever_goes_wrong_each_cell_has_one_outcome_and_nothing_collides(
        hosts in 2_usize..14,
        deaths in proptest::collection::vec((0_usize..14, 0_u64..200, any::<bool>()), 0..4),
        lost_ppm in 0_u64..50_000,
        hang_ppm in 0_u64..100_000,
        skew in proptest::collection::vec((0_usize..14, -30_i64..30), 0..3),
        seed: u64,
        lockstep: bool,
    ) {
        let deaths: Vec<_> = deaths.into_iter().map(|(host, when, back)| (host % hosts, when * S, back)).collect();
        let trouble = Trouble { deaths, lost_ppm, hang_ppm, skew };
        run(hosts, &Topology::flat(hosts), trouble, seed, lockstep);
    }
}

/// A database that refuses what it has.
#[derive(Default)]
struct Kept(Rc<RefCell<HashSet<Ticket>>>);

impl Sink for Kept {
    fn commit(&mut self, results: &[(HostId, Ticket)]) {
        self.0.borrow_mut().extend(results.iter().map(|(_, ticket)| *ticket));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn results_that_are_lost_and_repeated_all_arrive(
        hosts in 2_usize..14,
        deaths in proptest::collection::vec((0_usize..14, 0_u64..200, any::<bool>()), 0..4),
        lost_ppm in 0_u64..200_000,
        seed: u64,
    ) {
        let deaths = deaths.into_iter().map(|(host, when, back)| (host % hosts, when * S, back)).collect();
        let trouble = Trouble { deaths, lost_ppm, ..Trouble::default() };
        let kept = Kept::default();
        let found = Rc::clone(&kept.0);
        let mut world = run_into(hosts, &Topology::flat(hosts), trouble, seed, false, Some(Box::new(kept)));
        world.settle();
        prop_assert_eq!(&*found.borrow(), &world.completed);
    }
}
