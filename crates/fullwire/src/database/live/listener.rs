//! Who listens where a password is about to be told. Any user of this host can listen at a port or at a socket in an open
//! directory while the server is down: the password goes to the server's own user alone, over a socket also to root or to
//! ourselves. At a port these are no server but a forward (`ssh -L`, a container's proxy), and who is at its end is not known.

use crate::users::{all, ids};
use anyhow::{Context, Result};
use fullwire_way::{Step, Sticky, Way};
use rustix::fs::{Mode, OFlags, fstat, open};
use rustix::net::sockopt;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// `TCP_LISTEN` (`include/net/tcp_states.h`), as the kernel's table of sockets prints it.
const LISTENING: &str = "0A";

/// The socket that a name led to. Where another user owns a directory on the way the name leads elsewhere the next time, and this
/// does not: all that is judged and spoken to is this one.
pub(super) struct Socket {
    opened: OwnedFd,
    name: PathBuf,
}

impl Socket {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let opened = open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
        let opened = opened.with_context(|| format!("open {}", path.display()))?;
        Ok(Self { opened, name: std::path::absolute(path).context("read the working directory")? })
    }

    /// Its name as long as this lives.
    pub(super) fn path(&self) -> String {
        format!("/proc/self/fd/{}", self.opened.as_raw_fd())
    }

    pub(super) fn connect(&self) -> std::io::Result<UnixStream> {
        UnixStream::connect(self.path())
    }

    /// Whether who listens there is who may be told the password: root, we ourselves, `server`'s own user, or whoever owns
    /// the directory if nobody else can have put that, or a socket in it, there.
    pub(super) fn is_of(&self, server: &str, stream: &UnixStream) -> Result<bool> {
        let peer = sockopt::socket_peercred(stream).context("ask who listens at the socket")?.uid.as_raw();
        let own = [0, rustix::process::geteuid().as_raw()].contains(&peer);
        Ok(own || self.is_private(peer)? || user_is(&all().unwrap_or_default(), server, peer))
    }

    /// Whether root and the peer alone decide where the name leads: theirs is each directory on the way, sticky or not, also of the
    /// links on it. Where a link of the kernel (`/proc/PID/root`) led elsewhere than its text says, it is another socket.
    fn is_private(&self, peer: u32) -> Result<bool> {
        let Some(there) = way_of(peer, &self.name).and_then(|way| Step::at(&way.path).ok()) else {
            return Ok(false);
        };
        let opened = fstat(&self.opened).context("look at the socket")?;
        Ok((there.stat.st_dev, there.stat.st_ino) == (opened.st_dev, opened.st_ino))
    }
}

/// The way of a name, if nobody but root and the peer can have it lead elsewhere.
fn way_of(peer: u32, name: &Path) -> Option<Way> {
    Way::to(name).ok().filter(|way| way.is_of(peer, Sticky::Never))
}

/// Whether all that listen at a port of this host, at whatever address, are `server`'s own user, and one does.
pub(super) fn at_port_is(server: &str, port: u16) -> bool {
    let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"].map(std::fs::read_to_string);
    let owners: Vec<u32> = tables.iter().flatten().flat_map(|table| owners(table, port)).collect();
    let users = all().unwrap_or_default();
    !owners.is_empty() && owners.iter().all(|owner| user_is(&users, server, *owner))
}

/// Whether the text of `/etc/passwd` gives a name this number.
fn user_is(users: &str, name: &str, uid: u32) -> bool {
    ids(users, name).is_some_and(|(user, _)| user == uid)
}

/// The users of the sockets that listen at a port: `sl local_address rem_address st tx:rx tr:tm retrnsmt uid …`, the port in
/// hexadecimal behind the address (kernel documentation, `networking/proc_net_tcp`).
fn owners(table: &str, port: u16) -> impl Iterator<Item = u32> + '_ {
    table.lines().filter_map(move |line| {
        let mut words = line.split_whitespace().skip(1);
        let (_, at) = words.next()?.rsplit_once(':')?;
        let state = words.nth(1)?;
        let owner = words.nth(3)?.parse().ok()?;
        (state == LISTENING && u16::from_str_radix(at, 16) == Ok(port)).then_some(owner)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn only_a_socket_that_nobody_else_can_have_made_is_the_servers() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(".s.PGSQL.5432");
        let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let socket = Socket::open(&path).unwrap();
        assert!(socket.is_of("postgres", &socket.connect().unwrap()).unwrap(), "our own");
        // Another is put in its place: that is not the one that was judged.
        std::fs::remove_file(&path).unwrap();
        let _other = std::os::unix::net::UnixListener::bind(&path).unwrap();
        listener.set_nonblocking(true).unwrap();
        while listener.accept().is_ok() {}
        socket.connect().unwrap();
        assert!(listener.accept().is_ok(), "it is connected to, whatever its name leads to by now");
        drop(listener);
        assert!(socket.connect().is_err());
        let users = "root:x:0:0::/:\npostgres2:x:7:7::/:\npostgres:x:26:26::/:\nbad\n";
        assert!(user_is(users, "postgres", 26) && !user_is(users, "postgres", 7));
    }

    #[test]
    fn a_link_that_another_can_have_made_leads_to_nobodys_server() {
        // Below /tmp nothing is private; a place of root's is.
        let Ok(place) = tempfile::tempdir_in("/run") else { return crate::skips::skipped("needs root") };
        let at = |name: &str| place.path().join(name);
        let peer = rustix::process::geteuid().as_raw() + 4_000;
        let led = |name: &str| way_of(peer, &at(name)).map(|way| way.path);
        for directory in ["theirs", "open"] {
            std::fs::create_dir(at(directory)).unwrap();
        }
        std::os::unix::fs::chown(at("theirs"), Some(peer), None).unwrap();
        let _bound = std::os::unix::net::UnixListener::bind(at("theirs/s")).unwrap();
        for mode in [0o755, 0o777] {
            std::fs::set_permissions(place.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
            std::fs::set_permissions(at("open"), std::fs::Permissions::from_mode(mode)).unwrap();
            for (link, target) in
                [("open/s", at("theirs/s")), ("open/d", "../theirs".into()), ("by-open", "open/d".into())]
            {
                let _ = std::fs::remove_file(at(link));
                std::os::unix::fs::symlink(target, at(link)).unwrap();
            }
            assert_eq!(led("theirs/s"), Some(at("theirs/s")));
            for name in ["open/s", "open/d/s", "open/../theirs/s", "by-open/s"] {
                assert_eq!(led(name), (mode == 0o755).then(|| at("theirs/s")), "{name} {mode:o}");
            }
        }
        std::os::unix::fs::symlink("loop", at("loop")).unwrap();
        assert_eq!(led("loop"), None);
        // As in /tmp, in a directory of a third user's, in one that is theirs and open, and in one of their own.
        for (owner, mode, private) in [
            (0, 0o1777, false),
            (0, 0o755, true),
            (peer + 1, 0o755, false),
            (peer, 0o777, false),
            (peer, 0o775, false),
            (peer, 0o755, true),
        ] {
            std::os::unix::fs::chown(at("theirs"), Some(owner), None).unwrap();
            std::fs::set_permissions(at("theirs"), std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(led("theirs/s").is_some(), private, "{owner} {mode:o}");
        }
    }

    #[test]
    fn a_port_is_the_servers_if_nobody_else_listens_there() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let mine = rustix::process::geteuid().as_raw();
        let users = all().unwrap_or_default();
        let me = users.lines().find(|line| line.split(':').nth(2) == Some(mine.to_string().as_str()));
        let me = me.and_then(|line| line.split(':').next()).unwrap_or("root");
        assert!(at_port_is(me, port) && !at_port_is("no-such-user", port));
        drop(listener);
        assert!(!at_port_is(me, port), "nobody listens");
        // 0x0CEA is 3306; a connection from that port is no listener.
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
             0: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000   112        0 4711 1\n\
             1: 00000000000000000000000000000000:0CEA 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 9 1\n\
             2: 0100007F:0CEA 0100007F:9000 01 00000000:00000000 00:00000000 00000000   7        0 4712 1\n\
             3: 0100007F:0CEB 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1\n";
        assert_eq!(owners(table, 3306).collect::<Vec<_>>(), [112, 1000]);
        assert_eq!(owners(table, 3307).collect::<Vec<_>>(), [0]);
    }
}
