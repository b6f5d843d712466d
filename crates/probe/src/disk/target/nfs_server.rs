//! How far away an NFS server is: the time of a TCP handshake, which its kernel answers without any disk. Set next to the
//! round trip of a READ, it parts the wire from the server; and unlike ping it needs no privilege and is not filtered.

use crate::disk::target::mounts::MountEntry;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// RFC 7530, section 3.1.
const NFS_PORT: u16 = 2049;
const TRIES: u32 = 5;
const LIMIT: Duration = Duration::from_secs(2);

/// The shortest handshake, ns; `None`: no NFS over TCP, or no one answers.
pub(crate) fn handshake_ns(mount: &MountEntry) -> Option<u64> {
    let server = address(mount)?;
    let mut shortest = None;
    for _ in 0..TRIES {
        let begin = Instant::now();
        // One that fails is not tried again: each may take seconds.
        TcpStream::connect_timeout(&server, LIMIT).ok()?;
        let passed = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        shortest = Some(shortest.map_or(passed, |least: u64| least.min(passed)));
    }
    shortest
}

/// As the kernel resolved it (`addr=`, `port=` among the options).
fn address(mount: &MountEntry) -> Option<SocketAddr> {
    let option =
        |name: &str| mount.options.iter().find_map(|option| option.strip_prefix(name)?.strip_prefix('='));
    let over_tcp = option("proto").is_some_and(|protocol| protocol.starts_with("tcp"));
    let ip: IpAddr = option("addr")?.parse().ok()?;
    let port = option("port").and_then(|port| port.parse().ok()).filter(|port| *port > 0).unwrap_or(NFS_PORT);
    (mount.fs_type.starts_with("nfs") && over_tcp).then(|| SocketAddr::new(ip, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mounted(options: &str) -> MountEntry {
        let options = options.split(',').map(str::to_owned).collect();
        MountEntry { fs_type: "nfs4".into(), options, ..MountEntry::default() }
    }

    #[test]
    fn the_address_is_the_mounts_own() {
        let server = |options| address(&mounted(options)).map(|server| server.to_string());
        assert_eq!(server("rw,proto=tcp,port=0,addr=10.0.0.2").as_deref(), Some("10.0.0.2:2049"));
        assert_eq!(server("proto=tcp6,port=20049,addr=fd00::2").as_deref(), Some("[fd00::2]:20049"));
        assert_eq!(server("proto=rdma,addr=10.0.0.2"), None);
        assert_eq!(server("proto=tcp"), None);
    }

    #[test]
    fn a_handshake_takes_a_moment_and_nobody_takes_none() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let mount = mounted(&format!("proto=tcp,addr=127.0.0.1,port={port}"));
        assert!(handshake_ns(&mount).expect("answers") > 0);
        drop(listener);
        assert_eq!(handshake_ns(&mount), None);
    }
}
