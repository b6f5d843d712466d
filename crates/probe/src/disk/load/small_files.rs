//! Small files: created, looked at, deleted, in order and at random, as bonnie++ does it and as a file system with
//! many archived logs or trace files feels it.

use crate::disk::DiskError;
use crate::disk::load::random::{Payload, Random};
use crate::disk::load::thread_cpu::ThreadCpu;
use crate::disk::target::private_file::PrivateDir;
use crate::disk::target::{DiskTarget, Kind};
use fullwire_model::disk::{DiskPlan, DiskResult, Pattern, SmallFilesPlan, SmallFilesResult, Timed};
use fullwire_model::{Gap, GapReason};
use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, statat, unlinkat};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const MOST_FILES: u64 = 4 << 20;
const MOST_THREADS: u32 = 64;
const LARGEST_BYTES: u64 = 16 << 20;
/// A phase ends after this time with what it did until then.
const PHASE_LIMIT: Duration = Duration::from_secs(600);
/// "Rather no result than a wrong result": a shorter phase has no rate (bonnie++'s rule).
pub(crate) const SHORTEST_S: f64 = 0.5;

/// Carries out the small-file part of a plan.
pub(crate) fn add(
    plan: &DiskPlan,
    target: &DiskTarget,
    state: &Path,
    stop: &AtomicBool,
    result: &mut DiskResult,
) -> Result<(), DiskError> {
    for files in &plan.small_files {
        if target.kind != Kind::Directory {
            let subject = format!("disk {}: small files", target.name);
            result.gaps.push(Gap::new(subject, GapReason::Skipped, "small files need a directory"));
            return Ok(());
        }
        check(files)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let directory = PrivateDir::create(&target.path, state)?;
        let measured = run(directory.fd(), files, stop)
            .map_err(|error| DiskError::io("make small files in", target.name.as_str(), error))?;
        result.small_files.push(measured);
    }
    Ok(())
}

fn check(plan: &SmallFilesPlan) -> Result<(), DiskError> {
    let sizes = plan.min_bytes <= plan.max_bytes && plan.max_bytes <= LARGEST_BYTES;
    let numbers = (1..=MOST_FILES).contains(&plan.files) && (1..=MOST_THREADS).contains(&plan.threads);
    if sizes && numbers {
        return Ok(());
    }
    Err(DiskError::Plan(format!(
        "small files: 1 to {MOST_FILES} files of at most {LARGEST_BYTES} bytes by 1 to {MOST_THREADS} threads"
    )))
}

/// Creates, looks at and deletes the files of a plan in a directory that is ours alone.
pub(crate) fn run(
    directory: &OwnedFd,
    plan: &SmallFilesPlan,
    stop: &AtomicBool,
) -> io::Result<SmallFilesResult> {
    let threads = u64::from(plan.threads.max(1));
    let mut workers = Vec::new();
    for number in 0..threads {
        let share = plan.files / threads + u64::from(number < plan.files % threads);
        workers.push(Worker::new(make_inside(directory, number)?, plan, share, number));
    }
    let create = phase(&mut workers, stop, Worker::create)?;
    for worker in &mut workers {
        worker.shuffle();
    }
    let read = phase(&mut workers, stop, Worker::read)?;
    let delete = phase(&mut workers, stop, Worker::delete)?;
    drop(workers);
    for number in 0..threads {
        unlinkat(directory, thread_name(number), AtFlags::REMOVEDIR)?;
    }
    Ok(SmallFilesResult { plan: plan.clone(), create, read, delete })
}

fn thread_name(number: u64) -> String {
    format!("t{number}")
}

/// A thread's own directory.
fn make_inside(directory: &OwnedFd, number: u64) -> io::Result<OwnedFd> {
    let name = thread_name(number);
    mkdirat(directory, &name, Mode::RWXU)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(directory, &name, flags, Mode::empty())?)
}

type Action = fn(&mut Worker, usize) -> io::Result<()>;

/// All threads do the same to all their files.
fn phase(workers: &mut [Worker], stop: &AtomicBool, action: Action) -> io::Result<Timed> {
    let begin = Instant::now();
    let parts = std::thread::scope(|scope| {
        let running: Vec<_> =
            workers.iter_mut().map(|worker| scope.spawn(move || worker.each(begin, stop, action))).collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread panicked"))))
            .collect::<io::Result<Vec<Timed>>>()
    })?;
    Ok(summed(&parts, begin.elapsed()))
}

/// What several threads did in the same time.
pub(crate) fn summed(parts: &[Timed], elapsed: Duration) -> Timed {
    let seconds = elapsed.as_secs_f64();
    let count: u64 = parts.iter().map(|part| part.count).sum();
    let long_enough = seconds >= SHORTEST_S;
    let cpu_s: f64 = parts.iter().filter_map(|part| part.cpu_share).sum();
    Timed {
        count,
        seconds,
        per_s: long_enough.then(|| count as f64 / seconds),
        cpu_share: long_enough.then(|| cpu_s / seconds),
        latency_max_ns: parts.iter().map(|part| part.latency_max_ns).max().unwrap_or(0),
    }
}

struct Worker {
    directory: OwnedFd,
    names: Vec<String>,
    pattern: Pattern,
    sizes: (u64, u64),
    random: Random,
    payload: Payload,
    buffer: Vec<u8>,
}

impl Worker {
    fn new(directory: OwnedFd, plan: &SmallFilesPlan, files: u64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let names = (0..files).map(|number| name(plan.pattern, number, &mut random)).collect();
        let buffer = vec![0; usize::try_from(plan.max_bytes).unwrap_or(0)];
        let sizes = (plan.min_bytes, plan.max_bytes);
        Self { directory, names, pattern: plan.pattern, sizes, random, payload: Payload::new(seed), buffer }
    }

    /// At random, files are visited in another order than they were made in.
    fn shuffle(&mut self) {
        if self.pattern == Pattern::Random {
            for last in (1..self.names.len()).rev() {
                let other = usize::try_from(self.random.below(last as u64 + 1)).unwrap_or(last);
                self.names.swap(last, other);
            }
        }
    }

    /// CPU is handed back as seconds in `cpu_share`; [`summed`] divides.
    fn each(&mut self, begin: Instant, stop: &AtomicBool, action: Action) -> io::Result<Timed> {
        let cpu = ThreadCpu::now();
        let mut timed = Timed::default();
        let mut last = Instant::now();
        for index in 0..self.names.len() {
            if stop.load(Ordering::Relaxed) || begin.elapsed() > PHASE_LIMIT {
                self.names.truncate(index.max(1));
                break;
            }
            action(self, index)?;
            let now = Instant::now();
            let took_ns = u64::try_from((now - last).as_nanos()).unwrap_or(u64::MAX);
            timed.latency_max_ns = timed.latency_max_ns.max(took_ns);
            timed.count += 1;
            last = now;
        }
        let used = ThreadCpu::now().since(cpu);
        timed.cpu_share = Some((used.user_ns + used.system_ns) as f64 / 1e9);
        Ok(timed)
    }

    fn create(&mut self, index: usize) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let name = self.names[index].as_str();
        let mut file = File::from(openat(&self.directory, name, flags, Mode::RUSR | Mode::WUSR)?);
        let (least, most) = self.sizes;
        let bytes = usize::try_from(least + self.random.below(most - least + 1)).unwrap_or(0);
        if bytes > 0 {
            self.payload.fill(&mut self.buffer[..bytes]);
            file.write_all(&self.buffer[..bytes])?;
        }
        Ok(())
    }

    fn read(&mut self, index: usize) -> io::Result<()> {
        let name = self.names[index].as_str();
        if statat(&self.directory, name, AtFlags::empty())?.st_size > 0 {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC;
            let mut file = File::from(openat(&self.directory, name, flags, Mode::empty())?);
            while file.read(&mut self.buffer)? > 0 {}
        }
        Ok(())
    }

    fn delete(&mut self, index: usize) -> io::Result<()> {
        Ok(unlinkat(&self.directory, self.names[index].as_str(), AtFlags::empty())?)
    }
}

/// Seven digits and some letters; at random the letters come first, so that a sorted directory is no help.
fn name(pattern: Pattern, number: u64, random: &mut Random) -> String {
    const LETTERS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let length = random.below(13);
    let letters: String = (0..length)
        .map(|_| char::from(LETTERS[usize::try_from(random.below(LETTERS.len() as u64)).unwrap_or(0)]))
        .collect();
    match pattern {
        Pattern::Sequential | Pattern::Unknown => format!("{number:07}{letters}"),
        Pattern::Random => format!("{letters}{number:07}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &Path) -> OwnedFd {
        File::open(path).expect("directory").into()
    }

    #[test]
    fn all_files_are_made_seen_and_gone() {
        for pattern in [Pattern::Sequential, Pattern::Random] {
            let directory = tempfile::tempdir().expect("temporary directory");
            let plan = SmallFilesPlan { pattern, files: 205, min_bytes: 0, max_bytes: 2000, threads: 3 };
            let result = run(&open(directory.path()), &plan, &AtomicBool::new(false)).expect("measured");
            for timed in [&result.create, &result.read, &result.delete] {
                assert_eq!(timed.count, 205);
                assert!(timed.latency_max_ns > 0);
                assert_eq!(timed.per_s.is_some(), timed.seconds >= SHORTEST_S);
            }
            assert_eq!(std::fs::read_dir(directory.path()).expect("listing").count(), 0);
        }
    }

    #[test]
    fn limits_hold() {
        let fits = SmallFilesPlan { files: 10, threads: 1, max_bytes: 10, ..SmallFilesPlan::default() };
        assert!(check(&fits).is_ok());
        assert!(check(&SmallFilesPlan { files: 0, ..fits.clone() }).is_err());
        assert!(check(&SmallFilesPlan { threads: 1000, ..fits.clone() }).is_err());
        assert!(check(&SmallFilesPlan { min_bytes: 11, ..fits }).is_err());
    }
}
