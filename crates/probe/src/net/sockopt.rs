//! Socket options that no safe crate offers.
#![allow(unsafe_code, reason = "getsockopt and setsockopt take untyped memory")]

use rustix::fd::{AsFd, AsRawFd};
use std::io;

/// The same on all architectures that have `SOL_SOCKET` 1 (`asm-generic/socket.h`).
const SO_MEMINFO: i32 = 55;

/// `SO_MAX_PACING_RATE`, 64 bits wide since Linux 4.20 (`sk_max_pacing_rate`), 32 before.
pub(crate) fn set_max_pacing_rate(socket: impl AsFd, bytes_per_s: u64) -> io::Result<()> {
    set(&socket, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, &bytes_per_s.to_ne_bytes()).or_else(|_| {
        let narrow = u32::try_from(bytes_per_s).unwrap_or(u32::MAX);
        set(&socket, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, &narrow.to_ne_bytes())
    })
}

/// `SO_BUSY_POLL`: the kernel polls the NIC for so long, µs. More than `net.core.busy_read` needs `CAP_NET_ADMIN`.
pub(crate) fn set_busy_poll(socket: impl AsFd, us: u32) -> io::Result<()> {
    set(socket, libc::SOL_SOCKET, libc::SO_BUSY_POLL, &us.to_ne_bytes())
}

/// `SO_BINDTODEVICE`.
pub(crate) fn bind_to_device(socket: impl AsFd, name: &str) -> io::Result<()> {
    set(socket, libc::SOL_SOCKET, libc::SO_BINDTODEVICE, name.as_bytes())
}

/// `TCP_MAXSEG`: no larger segment is sent, nor asked for when set before connecting or listening.
pub(crate) fn set_max_segment(socket: impl AsFd, bytes: u32) -> io::Result<()> {
    set(socket, libc::IPPROTO_TCP, libc::TCP_MAXSEG, &bytes.to_ne_bytes())
}

/// Datagrams that the kernel dropped because the socket's buffer was full: `SK_MEMINFO_DROPS`, the ninth
/// number of `SO_MEMINFO` (Linux 4.12, `include/uapi/linux/sock_diag.h`).
pub(crate) fn receive_drops(socket: impl AsFd) -> Option<u64> {
    let mut numbers = [0u8; 9 * 4];
    let length = get(socket, libc::SOL_SOCKET, SO_MEMINFO, &mut numbers).ok()?;
    let drops = numbers[..length].get(32..36)?.first_chunk::<4>()?;
    Some(u32::from_ne_bytes(*drops).into())
}

/// Reads an option into a buffer; the length that the kernel filled.
pub(crate) fn get(socket: impl AsFd, level: i32, name: i32, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = libc::socklen_t::try_from(buffer.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: the pointer and the length describe `buffer`, which lives through the call; the kernel
    // writes at most `length` bytes and says in `length` how many.
    let outcome = unsafe {
        libc::getsockopt(socket.as_fd().as_raw_fd(), level, name, buffer.as_mut_ptr().cast(), &raw mut length)
    };
    if outcome == 0 { Ok((length as usize).min(buffer.len())) } else { Err(io::Error::last_os_error()) }
}

fn set(socket: impl AsFd, level: i32, name: i32, value: &[u8]) -> io::Result<()> {
    let length = libc::socklen_t::try_from(value.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: the pointer and the length describe `value`, which lives through the call and is only read.
    let outcome =
        unsafe { libc::setsockopt(socket.as_fd().as_raw_fd(), level, name, value.as_ptr().cast(), length) };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
