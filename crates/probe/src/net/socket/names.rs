//! Names to addresses.
//!
//! The static executable must not look names up itself: its C library would load the host's modules of name services
//! (`/etc/nsswitch.conf`), which were built for another C library, and crash (rust-lang/rust#115723, Oracle Linux 9).
//! The host's own `getent` asks the same services in the same order. Where there is none, no module can be named either
//! that would be there to load.

use rustix::process::{Pid, Signal, kill_process};
use std::io::{self, Read as _};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Never by `PATH`, which may be anyone's.
const GETENT: [&str; 3] = ["/usr/bin/getent", "/bin/getent", "/usr/sbin/getent"];

/// Resolvers give up on each of their servers after five seconds, twice (resolv.conf(5)).
const WITHIN: Duration = Duration::from_secs(30);

/// How often the child is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// More addresses than any name has.
const ANSWER_BYTES: u64 = 64 << 10;

/// Built without a loader of modules.
const STATIC: bool = cfg!(all(target_env = "gnu", target_feature = "crt-static"));

/// The addresses of a host, in the order in which they are to be tried. Whatever looks a name up does it here.
pub fn lookup(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    match by_services(host) {
        Some(found) => Ok(found?.into_iter().map(|ip| SocketAddr::new(ip, port)).collect()),
        None => Ok((host, port).to_socket_addrs()?.collect()),
    }
}

/// The addresses of a name by the host's own services; `None`: the C library finds them without a module.
pub(super) fn by_services(host: &str) -> Option<io::Result<Vec<IpAddr>>> {
    // An address with an interface (`fe80::1%eth0`) is no name, and asks no service.
    if !STATIC || host.contains('%') || host.parse::<IpAddr>().is_ok() {
        return None;
    }
    let getent = GETENT.iter().find(|path| Path::new(path).exists())?;
    Some(by_getent(getent, host))
}

/// As the host's own programs see a name: with no variable of ours, of which some load a library (`LD_PRELOAD`, ld.so(8)) or
/// turn a name into another (`HOSTALIASES`, hostname(7)).
fn by_getent(getent: &str, host: &str) -> io::Result<Vec<IpAddr>> {
    let mut child = Command::new(getent)
        .args(["ahosts", "--", host])
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let ended = wait(&mut child)?;
    let mut text = String::new();
    if let Some(out) = child.stdout.take() {
        out.take(ANSWER_BYTES).read_to_string(&mut text)?;
    }
    let addresses = parse(&text);
    if !ended.success() || addresses.is_empty() {
        let problem = format!("unknown host {host}: getent ahosts finds no address");
        return Err(io::Error::new(io::ErrorKind::NotFound, problem));
    }
    Ok(addresses)
}

fn wait(child: &mut Child) -> io::Result<std::process::ExitStatus> {
    let deadline = Instant::now() + WITHIN;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= deadline {
            let _ = kill_process(Pid::from_child(child), Signal::KILL);
            let _ = child.wait();
            let problem = format!("no name server answered within {} s", WITHIN.as_secs());
            return Err(io::Error::new(io::ErrorKind::TimedOut, problem));
        }
        std::thread::sleep(LOOK);
    }
}

/// `192.0.2.1       STREAM db1`, a line for each address and kind of socket.
fn parse(text: &str) -> Vec<IpAddr> {
    let mut addresses = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let address = words.next().and_then(|word| word.parse::<IpAddr>().ok());
        if let (Some(address), Some("STREAM")) = (address, words.next())
            && !addresses.contains(&address)
        {
            addresses.push(address);
        }
    }
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_s_getent_and_the_library_know_the_same_addresses() {
        let Some(getent) = GETENT.iter().find(|path| Path::new(path).exists()) else {
            return crate::skips::skipped("needs getent");
        };
        let mut by_child = by_getent(getent, "localhost").expect("known");
        let library = ("localhost", 1).to_socket_addrs().expect("known");
        let mut by_library: Vec<IpAddr> = library.map(|address| address.ip()).collect();
        by_child.sort_unstable();
        by_library.sort_unstable();
        by_library.dedup();
        assert_eq!(by_child, by_library);
        // In a static build by the child, else by the library.
        assert!(lookup("localhost", 1).expect("known").iter().all(|address| address.ip().is_loopback()));
        for unknown in ["nowhere.invalid", "-s", "--help", ""] {
            assert!(by_getent(getent, unknown).is_err(), "{unknown}");
        }
    }

    #[test]
    fn addresses_need_no_service() {
        assert_eq!(lookup("192.0.2.1", 7).expect("an address"), ["192.0.2.1:7".parse().expect("address")]);
        assert_eq!(lookup("::1", 7).expect("an address"), ["[::1]:7".parse().expect("address")]);
    }

    #[test]
    fn answers_are_read_in_their_order_and_nothing_else_is() {
        let text =
            "2001:db8::1     STREAM db1\n2001:db8::1     DGRAM\n192.0.2.1 STREAM \n192.0.2.1 RAW\nnoise\n";
        let expected: [IpAddr; 2] =
            ["2001:db8::1".parse().expect("address"), "192.0.2.1".parse().expect("address")];
        assert_eq!(parse(text), expected);
    }
}
