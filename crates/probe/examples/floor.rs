//! The floor of what a load costs: bare loops of one system call, nothing else. What fullwire adds to them is measured by
//! `cargo xtask bench net` and `bench disk`.
//!
//! `floor serve ADDRESS:PORT` answers one client after the other with `recv` and `MSG_TRUNC`; `floor send ADDRESS:PORT
//! SECONDS` sends from a huge page; `floor read FILE random|sequential BLOCK THREADS SECONDS` does direct `pread`s. They
//! print JSON.

use memmap2::{Advice, MmapMut};
use nix::sys::resource::{UsageWho, getrusage};
use rustix::fs::{Mode, OFlags};
use rustix::io::pread;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const BLOCK_BYTES: usize = 1 << 20;
const HUGE_PAGE_BYTES: usize = 2 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve", address] => serve(address),
        ["send", address, seconds] => feed(address, Duration::from_secs_f64(seconds.parse()?)),
        ["read", file, pattern @ ("random" | "sequential"), block, threads, seconds] => {
            let reads =
                Reads { random: *pattern == "random", block: block.parse()?, threads: threads.parse()? };
            read(file, &reads, Duration::from_secs_f64(seconds.parse()?))
        }
        _ => Err("see the head of this file for what it takes".into()),
    }
}

/// Takes all that comes, then answers with the bytes and the CPU time that they cost here.
fn serve(address: &str) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind(address)?;
    println!("listening on {}", listener.local_addr()?);
    let mut nowhere = MmapMut::map_anon(4 * BLOCK_BYTES)?;
    for stream in listener.incoming() {
        let mut stream = stream?;
        let before = cpu_s();
        let mut bytes = 0;
        loop {
            let (_, taken) = recv(&stream, &mut nowhere[..], RecvFlags::TRUNC)?;
            if taken == 0 {
                break;
            }
            bytes += taken;
        }
        stream.write_all(format!("{bytes} {}", cpu_s() - before).as_bytes())?;
    }
    Ok(())
}

fn feed(address: &str, duration: Duration) -> Result<(), Box<dyn Error>> {
    let mut memory = MmapMut::map_anon(2 * HUGE_PAGE_BYTES)?;
    let start = memory.as_ptr().align_offset(HUGE_PAGE_BYTES);
    memory.advise_range(Advice::HugePage, start, HUGE_PAGE_BYTES)?;
    let block = &mut memory[start..start + BLOCK_BYTES];
    block.fill(0x5a);
    let mut stream = TcpStream::connect(address)?;
    let before = cpu_s();
    let begin = Instant::now();
    while begin.elapsed() < duration {
        let mut left = &block[..];
        while !left.is_empty() {
            let sent = send(&stream, left, SendFlags::NOSIGNAL)?;
            left = &left[sent..];
        }
    }
    stream.shutdown(Shutdown::Write)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let seconds = begin.elapsed().as_secs_f64();
    let (bytes, peer_cpu_s) = answer.split_once(' ').ok_or("the other end said nothing")?;
    let cpu = cpu_s() - before + peer_cpu_s.parse::<f64>()?;
    println!(r#"{{"bytes": {bytes}, "seconds": {seconds}, "cpu_s": {cpu}}}"#);
    Ok(())
}

struct Reads {
    random: bool,
    block: usize,
    threads: usize,
}

/// Direct reads by threads that look at no clock and keep no figures: what the system call itself costs.
fn read(file: &str, reads: &Reads, duration: Duration) -> Result<(), Box<dyn Error>> {
    let flags = OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC;
    let file = rustix::fs::open(file, flags, Mode::empty())?;
    let blocks = u64::try_from(rustix::fs::fstat(&file)?.st_size)? / reads.block as u64;
    let stop = AtomicBool::new(false);
    let (sender, receiver) = std::sync::mpsc::channel();
    let begin = Instant::now();
    let results = std::thread::scope(|scope| {
        for number in 0..reads.threads {
            let (file, stop, sender) = (&file, &stop, sender.clone());
            scope.spawn(move || {
                // No one listens any more once one of them failed.
                let _ = sender.send(bare_reads(file, reads, blocks, number as u64, stop));
            });
        }
        std::thread::sleep(duration);
        stop.store(true, Ordering::Relaxed);
        (0..reads.threads).map(|_| receiver.recv()).collect::<Vec<_>>()
    });
    let ios =
        results.into_iter().map(|result| result?.map_err(Box::<dyn Error>::from)).sum::<Result<u64, _>>()?;
    let seconds = begin.elapsed().as_secs_f64();
    let user = getrusage(UsageWho::RUSAGE_SELF)?.user_time();
    let user_s = user.tv_sec() as f64 + user.tv_usec() as f64 / 1e6;
    println!(r#"{{"ios": {ios}, "seconds": {seconds}, "user_s": {user_s}}}"#);
    Ok(())
}

fn bare_reads(
    file: &OwnedFd,
    reads: &Reads,
    blocks: u64,
    seed: u64,
    stop: &AtomicBool,
) -> std::io::Result<u64> {
    let mut memory = MmapMut::map_anon(reads.block)?;
    let (mut state, mut ios) = (seed, 0);
    while !stop.load(Ordering::Relaxed) {
        // A multiplier of full period; the high bits are random enough for offsets.
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let index = if reads.random { state >> 33 } else { ios };
        pread(file, &mut memory[..], index % blocks * reads.block as u64)?;
        ios += 1;
    }
    Ok(ios)
}

/// CPU time of this process, user and kernel.
fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
