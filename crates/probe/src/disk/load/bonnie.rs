//! bonnie++'s tests: one file written and read by bytes and by blocks through the page cache, random seeks by five
//! threads, then small files. The report prints them as bonnie++ does.

use crate::disk::DiskError;
use crate::disk::load::random::{Payload, Random};
use crate::disk::load::small_files::{self, summed};
use crate::disk::load::thread_cpu::ThreadCpu;
use crate::disk::result::caveat;
use crate::disk::target::private_file::PrivateDir;
use crate::disk::target::{DiskTarget, Kind};
use fullwire_model::disk::{Bonnie, Caveat, DiskPlan, DiskResult, Pattern, SmallFilesPlan, Timed};
use fullwire_model::{Gap, GapReason};
use rustix::fs::{AtFlags, Mode, OFlags, openat, unlinkat};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const CHUNK: usize = 8 << 10;
const SEEKERS: u64 = 5;
const SEEKS: u64 = 8000;
/// One seek in this many writes what it read.
const SEEK_WRITES: u64 = 10;
/// Of the file tests, unless the plan says another number: bonnie++'s `-n 16`.
const FILES: u64 = 16 * 1024;
/// A test ends after this time with what it did until then.
const LIMIT: Duration = Duration::from_secs(1200);

/// Carries out the bonnie part of a plan.
pub(crate) fn add(
    plan: &DiskPlan,
    target: &DiskTarget,
    state: &Path,
    stop: &AtomicBool,
    result: &mut DiskResult,
) -> Result<(), DiskError> {
    if plan.bonnie_bytes == 0 || stop.load(Ordering::Relaxed) {
        return Ok(());
    }
    if target.kind != Kind::Directory {
        let subject = format!("disk {}: bonnie", target.name);
        result.gaps.push(Gap::new(subject, GapReason::Skipped, "bonnie's tests need a directory"));
        return Ok(());
    }
    let bytes = crate::disk::target::subject::size_for(target, plan.bonnie_bytes)?;
    let directory = PrivateDir::create(&target.path, state)?;
    let files = if plan.bonnie_files == 0 { FILES } else { plan.bonnie_files };
    let test = Test { directory: directory.fd(), bytes, files, stop };
    let bonnie =
        test.run().map_err(|error| DiskError::io("run bonnie's tests in", target.name.as_str(), error))?;
    if bytes < plan.bonnie_bytes {
        let why = "because little space is free there or on the storage below";
        result.caveats.push(caveat::small(target, plan.bonnie_bytes, bytes, why));
    }
    if bonnie.memory_bytes > bonnie.size_bytes / 2 {
        result.caveats.push(Caveat {
            kind: "page-cache".into(),
            text: format!(
                "bonnie's file of {} MiB is not twice the memory of {} MiB: the page cache answers its reads",
                bonnie.size_bytes >> 20,
                bonnie.memory_bytes >> 20
            ),
            void: false,
        });
    }
    result.bonnie = Some(bonnie);
    Ok(())
}

struct Test<'a> {
    directory: &'a OwnedFd,
    bytes: u64,
    files: u64,
    stop: &'a AtomicBool,
}

/// A test that is being timed on one thread.
struct Watch {
    begin: Instant,
    last: Instant,
    cpu: ThreadCpu,
    timed: Timed,
}

impl Watch {
    fn start() -> Self {
        let now = Instant::now();
        Self { begin: now, last: now, cpu: ThreadCpu::now(), timed: Timed::default() }
    }

    /// `count` more are done.
    fn lap(&mut self, count: u64) {
        let now = Instant::now();
        let took_ns = u64::try_from((now - self.last).as_nanos()).unwrap_or(u64::MAX);
        self.timed.latency_max_ns = self.timed.latency_max_ns.max(took_ns);
        self.timed.count += count;
        self.last = now;
    }

    fn over(&self) -> bool {
        self.begin.elapsed() > LIMIT
    }

    /// As [`summed`] takes it: CPU in seconds.
    fn part(mut self) -> Timed {
        let used = ThreadCpu::now().since(self.cpu);
        self.timed.cpu_share = Some((used.user_ns + used.system_ns) as f64 / 1e9);
        self.timed
    }

    fn finish(self) -> Timed {
        let elapsed = self.begin.elapsed();
        summed(&[self.part()], elapsed)
    }
}

impl Test<'_> {
    fn run(&self) -> io::Result<Bonnie> {
        let info = rustix::system::sysinfo();
        let mut bonnie = Bonnie {
            machine: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            size_bytes: self.bytes,
            memory_bytes: info.totalram * u64::from(info.mem_unit.max(1)),
            output_char: self.write_bytes()?,
            output_block: self.write_blocks()?,
            rewrite: self.rewrite()?,
            input_char: self.read_bytes()?,
            input_block: self.read_blocks()?,
            seeks: self.seek()?,
            ..Bonnie::default()
        };
        unlinkat(self.directory, "data", AtFlags::empty())?;
        let files =
            |pattern| SmallFilesPlan { pattern, files: self.files, min_bytes: 0, max_bytes: 0, threads: 1 };
        bonnie.sequential = small_files::run(self.directory, &files(Pattern::Sequential), self.stop)?;
        bonnie.random = small_files::run(self.directory, &files(Pattern::Random), self.stop)?;
        Ok(bonnie)
    }

    fn open(&self, truncate: bool) -> io::Result<File> {
        let truncate = if truncate { OFlags::TRUNC } else { OFlags::empty() };
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | truncate;
        Ok(File::from(openat(self.directory, "data", flags, Mode::RUSR | Mode::WUSR)?))
    }

    fn chunks(&self) -> u64 {
        (self.bytes / CHUNK as u64).max(1)
    }

    fn on(&self, watch: &Watch) -> bool {
        !self.stop.load(Ordering::Relaxed) && !watch.over()
    }

    fn write_bytes(&self) -> io::Result<Timed> {
        let mut file = BufWriter::with_capacity(CHUNK, self.open(true)?);
        let mut payload = Payload::new(1);
        let mut chunk = vec![0; CHUNK];
        let mut watch = Watch::start();
        for _ in 0..self.chunks() {
            payload.fill(&mut chunk);
            for byte in &chunk {
                file.write_all(std::slice::from_ref(byte))?;
            }
            watch.lap(CHUNK as u64);
            if !self.on(&watch) {
                break;
            }
        }
        file.into_inner()?.sync_all()?;
        watch.lap(0);
        Ok(watch.finish())
    }

    fn write_blocks(&self) -> io::Result<Timed> {
        let mut file = self.open(true)?;
        let mut payload = Payload::new(2);
        let mut chunk = vec![0; CHUNK];
        let mut watch = Watch::start();
        for _ in 0..self.chunks() {
            payload.fill(&mut chunk);
            file.write_all(&chunk)?;
            watch.lap(CHUNK as u64);
            if !self.on(&watch) {
                break;
            }
        }
        file.sync_all()?;
        watch.lap(0);
        Ok(watch.finish())
    }

    fn rewrite(&self) -> io::Result<Timed> {
        let file = self.open(false)?;
        let mut chunk = vec![0; CHUNK];
        let mut watch = Watch::start();
        for number in 0..self.chunks() {
            let offset = number * CHUNK as u64;
            if file.read_at(&mut chunk, offset)? < CHUNK {
                break;
            }
            chunk[usize::try_from(number).unwrap_or(0) % CHUNK] ^= 0xff;
            file.write_all_at(&chunk, offset)?;
            watch.lap(CHUNK as u64);
            if !self.on(&watch) {
                break;
            }
        }
        file.sync_all()?;
        watch.lap(0);
        Ok(watch.finish())
    }

    fn read_bytes(&self) -> io::Result<Timed> {
        let mut file = BufReader::with_capacity(CHUNK, self.open(false)?);
        let mut byte = [0];
        let mut sum = 0u8;
        let mut watch = Watch::start();
        'file: for _ in 0..self.chunks() {
            for _ in 0..CHUNK {
                if file.read(&mut byte)? == 0 {
                    break 'file;
                }
                sum = sum.wrapping_add(byte[0]);
            }
            watch.lap(CHUNK as u64);
            if !self.on(&watch) {
                break;
            }
        }
        // The bytes are used, so that reading them is not optimised away.
        std::hint::black_box(sum);
        Ok(watch.finish())
    }

    fn read_blocks(&self) -> io::Result<Timed> {
        let mut file = self.open(false)?;
        let mut chunk = vec![0; CHUNK];
        let mut watch = Watch::start();
        while self.on(&watch) {
            match file.read(&mut chunk)? {
                0 => break,
                bytes => watch.lap(bytes as u64),
            }
        }
        Ok(watch.finish())
    }

    fn seek(&self) -> io::Result<Timed> {
        let begin = Instant::now();
        let parts = std::thread::scope(|scope| {
            let seekers: Vec<_> =
                (0..SEEKERS).map(|number| scope.spawn(move || self.seeker(number))).collect();
            seekers
                .into_iter()
                .map(|seeker| seeker.join().unwrap_or_else(|_| Err(io::Error::other("a thread panicked"))))
                .collect::<io::Result<Vec<Timed>>>()
        })?;
        Ok(summed(&parts, begin.elapsed()))
    }

    fn seeker(&self, number: u64) -> io::Result<Timed> {
        let file = self.open(false)?;
        let chunks = (file.metadata()?.len() / CHUNK as u64).max(1);
        let mut random = Random::new(number);
        let mut chunk = vec![0; CHUNK];
        let mut watch = Watch::start();
        for seek in 0..SEEKS / SEEKERS {
            let offset = random.below(chunks) * CHUNK as u64;
            file.read_exact_at(&mut chunk, offset)?;
            if seek % SEEK_WRITES == 0 {
                chunk[0] ^= 0xff;
                file.write_all_at(&chunk, offset)?;
            }
            watch.lap(1);
            if !self.on(&watch) {
                break;
            }
        }
        Ok(watch.part())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_does_what_it_counts() {
        let directory = tempfile::tempdir().expect("temporary directory");
        let opened = OwnedFd::from(File::open(directory.path()).expect("directory"));
        let stop = AtomicBool::new(false);
        let files = 300;
        let test = Test { directory: &opened, bytes: 1 << 20, files, stop: &stop };
        let bonnie = test.run().expect("measured");
        let by_bytes = [
            &bonnie.output_char, &bonnie.output_block, &bonnie.rewrite, &bonnie.input_char,
            &bonnie.input_block,
        ];
        for timed in by_bytes {
            assert_eq!(timed.count, 1 << 20);
        }
        assert_eq!(bonnie.seeks.count, SEEKS);
        assert_eq!(bonnie.sequential.create.count, files);
        assert_eq!(bonnie.random.delete.count, files);
        assert_eq!(std::fs::read_dir(directory.path()).expect("listing").count(), 0);
    }
}
