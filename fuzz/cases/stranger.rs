//! A peer that says something, listens for a moment, and leaves.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Each connection goes to another loopback address: ports that wait after a close are never used up.
static PLACE: AtomicU32 = AtomicU32::new(0);

fn say(port: u16, pieces: &[&[u8]]) {
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

/// To an iperf3 server. The first byte says how far the stranger keeps to the protocol: not at all, to the cookie, to the
/// length as well.
pub(crate) fn to_iperf3(port: u16, bytes: &[u8]) {
    let Some((manner, rest)) = bytes.split_first() else { return };
    let length = u32::try_from(rest.len()).unwrap().to_be_bytes();
    match manner % 3 {
        0 => say(port, &[rest]),
        1 => say(port, &[&[b'a'; 37], rest]),
        _ => say(port, &[&[b'a'; 37], &length, rest]),
    }
}

/// To an iperf 2 server. Half of the strangers begin like the real client, so that what follows is read as a header.
pub(crate) fn to_iperf2(port: u16, bytes: &[u8]) {
    let Some((manner, rest)) = bytes.split_first() else { return };
    match manner % 2 {
        0 => say(port, &[rest]),
        _ => say(port, &[&0x4401_0078_u32.to_be_bytes(), rest]),
    }
}
