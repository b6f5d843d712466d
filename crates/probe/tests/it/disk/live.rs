//! Probes of a directory and a file on the file system of the temporary directory.

use super::{KIB, MIB, MS, State, entries, plan, step};
use crate::skips::skipped;
use fullwire_model::ProbeId;
use fullwire_model::counters::Counters;
use fullwire_model::disk::{
    Arrivals, DiskPlan, DiskResult, DiskStep, Engine, Operation, Pattern, SmallFilesPlan, Sync,
};
use fullwire_probe::disk::{self, DiskError, DiskHooks, Progress};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

fn measure(plan: &DiskPlan) -> DiskResult {
    let state = tempfile::tempdir().expect("temporary directory");
    disk::measure(plan, &mut State(state.path().into()), &AtomicBool::new(false)).expect("measured")
}

fn on_new_directory(steps: Vec<DiskStep>) -> DiskResult {
    let directory = tempfile::tempdir().expect("temporary directory");
    let result = measure(&plan(directory.path(), steps));
    assert!(entries(directory.path()).is_empty());
    result
}

#[test]
fn both_engines_do_all_operations() {
    for engine in [Engine::Auto, Engine::Plain] {
        let base = DiskStep { engine, queue_depth: 4, ..step() };
        let result = on_new_directory(vec![
            DiskStep { pattern: Pattern::Random, ..base.clone() },
            DiskStep { block_bytes: MIB, threads: 2, ..base.clone() },
            DiskStep { operation: Operation::Write, pattern: Pattern::Random, ..base.clone() },
            DiskStep {
                operation: Operation::Mixed,
                read_share: 0.7,
                pattern: Pattern::Random,
                ..base.clone()
            },
        ]);
        assert_eq!(result.steps.len(), 4, "{:?}", result.gaps);
        assert_eq!(result.layout_bytes, 16 * MIB);
        for step in &result.steps {
            assert_eq!(step.bytes, step.ios * step.block_bytes);
            assert_eq!(step.latency_ns.count, step.ios);
            assert!(step.ios > 4 && step.iops > 0.0, "{step:?}");
            assert!((0.09..0.5).contains(&step.duration_s), "{} s", step.duration_s);
            assert!(!step.intervals.is_empty());
            // Little's law, loosely: a closed loop has at most its depth in flight.
            let in_flight = step.iops * step.latency_ns.mean / 1e9;
            assert!(in_flight <= 4.0 * f64::from(step.threads) * 1.01, "{in_flight}");
        }
    }
}

#[test]
fn each_way_of_syncing_writes_and_flushes_are_timed() {
    let write =
        DiskStep { operation: Operation::Write, duration_ns: 0, duration_bytes: 20 * 8 * KIB, ..step() };
    for engine in [Engine::Auto, Engine::Plain] {
        let syncs = [Sync::None, Sync::Dsync, Sync::Osync, Sync::Fdatasync, Sync::Fsync];
        let steps = syncs.map(|sync| DiskStep { sync, engine, ..write.clone() });
        let result = on_new_directory(steps.to_vec());
        assert_eq!(result.steps.len(), syncs.len(), "{:?}", result.gaps);
        for step in result.steps {
            assert_eq!(step.ios, 20, "{:?}", step.sync);
            let by_call = matches!(step.sync, Sync::Fdatasync | Sync::Fsync);
            assert_eq!(step.flush_ns.as_ref().map(|flush| flush.count), by_call.then_some(20));
            assert!(step.flush_ns.is_none_or(|flush| flush.mean < step.latency_ns.mean));
        }
    }
}

#[test]
fn a_flush_may_follow_many_writes() {
    let write = DiskStep {
        operation: Operation::Write,
        sync: Sync::Fsync,
        flush_every: 10,
        duration_ns: 0,
        duration_bytes: 40 * 8 * KIB,
        ..step()
    };
    for engine in [Engine::Auto, Engine::Plain] {
        let result = on_new_directory(vec![DiskStep { engine, ..write.clone() }]);
        assert_eq!(result.steps[0].ios, 40);
        assert_eq!(result.steps[0].flush_ns.as_ref().map(|flush| flush.count), Some(4));
    }
}

#[test]
fn an_open_loop_keeps_its_rate() {
    for engine in [Engine::Auto, Engine::Plain] {
        for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
            let paced = DiskStep {
                engine,
                arrivals,
                rate_per_s: 500.0,
                queue_depth: 8,
                pattern: Pattern::Random,
                duration_ns: 400 * MS,
                ..step()
            };
            let result = on_new_directory(vec![paced]);
            let done = &result.steps[0];
            let offered = done.ios + done.skipped_arrivals.expect("open loop");
            // 200 expected; four standard deviations of a Poisson count are 57.
            assert!((140..=260).contains(&offered), "{engine:?} {arrivals:?}: {offered}");
        }
    }
}

#[test]
fn steps_run_at_the_same_time_when_asked() {
    let writer = DiskStep { operation: Operation::Write, sync: Sync::Dsync, with_next: true, ..step() };
    let begin = Instant::now();
    let result =
        on_new_directory(vec![writer, DiskStep { pattern: Pattern::Random, queue_depth: 8, ..step() }]);
    assert!(result.steps.iter().all(|step| step.concurrent && step.ios > 0));
    assert!(begin.elapsed().as_secs() < 20);
}

#[test]
fn repeats_give_a_noise_band() {
    let result = on_new_directory(vec![DiskStep { repeats: 3, ..step() }]);
    let measured = &result.steps[0];
    assert_eq!(measured.repeats_bytes_per_s.len(), 3);
    assert!(measured.noise.expect("three repeats") >= 0.0);
    assert!(measured.duration_s >= 0.29);
}

#[test]
fn buffered_reads_are_possible_and_called_so() {
    let result = on_new_directory(vec![DiskStep { direct: false, engine: Engine::Plain, ..step() }]);
    assert!(!result.steps[0].direct);
}

#[test]
fn small_files_and_bonnie_leave_nothing_behind() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let files = SmallFilesPlan { files: 50, threads: 2, max_bytes: 100, ..SmallFilesPlan::default() };
    let asked = DiskPlan {
        small_files: vec![files],
        bonnie_bytes: MIB,
        bonnie_files: 500,
        ..plan(directory.path(), vec![])
    };
    let result = measure(&asked);
    assert_eq!(result.small_files[0].create.count, 50);
    let table = result.bonnie.expect("asked for");
    assert_eq!((table.output_char.count, table.output_block.count > 0), (MIB, true), "{table:?}");
    assert!(entries(directory.path()).is_empty());
}

#[test]
fn max_bytes_is_never_exceeded() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let write = DiskStep {
        operation: Operation::Write,
        duration_ns: 0,
        duration_bytes: 64 * MIB,
        block_bytes: MIB,
        ..step()
    };
    let asked = DiskPlan { max_bytes: 20 * MIB, ..plan(directory.path(), vec![write.clone(), write]) };
    let result = measure(&asked);
    let written: u64 = result.layout_bytes + result.steps.iter().map(|step| step.bytes).sum::<u64>();
    assert!(written <= 20 * MIB, "{} MiB", written / MIB);
}

/// Raises the stop flag when a step runs.
struct Stopper<'a> {
    stop: &'a AtomicBool,
    state: PathBuf,
}

impl DiskHooks for Stopper<'_> {
    fn progress(&mut self, progress: &Progress) {
        if progress.stage == disk::Stage::Step && progress.step == 1 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn state_dir(&self) -> PathBuf {
        self.state.clone()
    }
}

#[test]
fn the_stop_flag_ends_a_probe_at_once_and_keeps_what_was_measured() {
    let (directory, state) =
        (tempfile::tempdir().expect("directory"), tempfile::tempdir().expect("directory"));
    let stop = AtomicBool::new(false);
    let long = DiskStep { duration_ns: 60_000 * MS, ..step() };
    let begin = Instant::now();
    let mut hooks = Stopper { stop: &stop, state: state.path().into() };
    let result =
        disk::measure(&plan(directory.path(), vec![step(), long]), &mut hooks, &stop).expect("partial");
    assert!(begin.elapsed().as_secs() < 10);
    assert_eq!(result.steps.len(), 2);
    assert!(result.gaps.iter().any(|gap| gap.detail.contains("stopped")), "{:?}", result.gaps);
    assert!(entries(directory.path()).is_empty());
    let stopped =
        disk::measure(&plan(directory.path(), vec![step()]), &mut State(state.path().into()), &stop);
    assert!(matches!(stopped, Err(DiskError::Stopped)), "{stopped:?}");
}

/// Counts readings and windows.
#[derive(Default)]
struct Watcher {
    readings: u64,
    windows: Vec<(Option<ProbeId>, u64, u64)>,
    progress: usize,
}

impl DiskHooks for Watcher {
    fn counters(&mut self) -> Counters {
        self.readings += 1;
        Counters { monotonic_ns: self.readings, ..Counters::default() }
    }

    fn window(&mut self, probe: Option<ProbeId>, from: Counters, to: Counters) {
        self.windows.push((probe, from.monotonic_ns, to.monotonic_ns));
    }

    fn progress(&mut self, progress: &Progress) {
        assert!((0.0..=1.0).contains(&progress.done));
        self.progress += 1;
    }
}

#[test]
fn counters_are_read_around_each_step_and_handed_over() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut watcher = Watcher::default();
    let [first, second] = [1, 2].map(ProbeId::new);
    let of = |probe, with_next| DiskStep { probe, with_next, ..step() };
    let steps = vec![of(first, true), of(first, false), of(second, false)];
    let asked = DiskPlan { idle_ns: 20 * MS, ..plan(directory.path(), steps) };
    let result = disk::measure(&asked, &mut watcher, &AtomicBool::new(false)).expect("measured");
    assert_eq!(watcher.windows, [(None, 1, 2), (Some(first), 3, 4), (Some(second), 5, 6)]);
    let numbers: Vec<_> = result.steps.iter().map(|step| (step.probe, step.member)).collect();
    assert_eq!(numbers, [(first, 0), (first, 1), (second, 0)]);
    assert!(watcher.progress > 2);
}

#[test]
fn a_file_is_read_and_a_hole_in_it_is_named() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("sparse");
    std::fs::File::create(&path).and_then(|file| file.set_len(32 * MIB)).expect("file");
    let result = measure(&plan(&path, vec![step()]));
    assert_eq!(result.target_kind, "file");
    let unwritten = result.caveats.iter().find(|caveat| caveat.kind == "unwritten").expect("a hole");
    assert!(unwritten.void);
}

#[test]
fn memory_is_not_taken_for_a_disk() {
    if !Path::new("/dev/shm").exists() {
        return skipped("needs /dev/shm");
    }
    let directory = tempfile::tempdir_in("/dev/shm").expect("temporary directory");
    let result = measure(&plan(directory.path(), vec![step()]));
    assert!(result.caveats.iter().any(|caveat| caveat.kind == "memory-file-system" && caveat.void));
}

#[test]
fn what_fails_is_a_gap_and_the_rest_is_measured() {
    let odd = DiskStep { block_bytes: 1000, ..step() };
    let huge = DiskStep { block_bytes: 32 * MIB, ..step() };
    let result = on_new_directory(vec![odd, huge, step()]);
    assert_eq!(result.steps.len(), 1);
    assert_eq!(result.gaps.len(), 2, "{:?}", result.gaps);
}

#[test]
fn the_generator_is_never_the_limit() {
    let io_per_s = disk::generator_io_per_s();
    // 5 million on one core when optimised; a debug build has no such claim to make.
    let least = if cfg!(debug_assertions) { 1e5 } else { 5e6 };
    assert!(io_per_s > least, "{io_per_s}");
}
