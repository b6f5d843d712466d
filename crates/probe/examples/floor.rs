//! The floor of what one stream costs: a bare loop of `send` from a huge page into `recv` with `MSG_TRUNC`, nothing else.
//! What fullwire adds to it is measured by `cargo xtask bench net`.
//!
//! `floor serve ADDRESS:PORT` answers one client after the other; `floor send ADDRESS:PORT SECONDS` prints JSON.

use memmap2::{Advice, MmapMut};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::{Duration, Instant};

const BLOCK_BYTES: usize = 1 << 20;
const HUGE_PAGE_BYTES: usize = 2 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve", address] => serve(address),
        ["send", address, seconds] => feed(address, Duration::from_secs_f64(seconds.parse()?)),
        _ => Err("usage: floor serve ADDRESS:PORT | floor send ADDRESS:PORT SECONDS".into()),
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

/// CPU time of this process, user and kernel.
fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
