//! A peer that says something, listens for a moment, and leaves.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Each connection goes to another loopback address: ports that wait after a close are never used up.
static PLACE: AtomicU32 = AtomicU32::new(0);

pub fn say(port: u16, pieces: &[&[u8]]) {
    let place = PLACE.fetch_add(1, Ordering::Relaxed) % 0x00ff_fff0 + 1;
    let address = SocketAddr::from((Ipv4Addr::from(0x7f00_0000 | place), port));
    let mut socket = TcpStream::connect(address).expect("the server accepts, whatever came before");
    socket.set_read_timeout(Some(Duration::from_millis(2))).unwrap();
    for piece in pieces {
        // It may hang up while we still speak.
        let _ = socket.write_all(piece);
        let _ = socket.read(&mut [0; 512]);
    }
    let _ = socket.shutdown(Shutdown::Write);
    let _ = socket.read(&mut [0; 512]);
}
