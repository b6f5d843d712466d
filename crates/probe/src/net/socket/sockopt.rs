//! Socket options that no safe crate offers.
#![allow(unsafe_code, reason = "getsockopt and setsockopt take untyped memory")]

use rustix::fd::{AsFd, AsRawFd};
use std::io;

/// `include/uapi/linux/errqueue.h`.
const SO_EE_ORIGIN_ZEROCOPY: u8 = 5;

/// `include/uapi/linux/errqueue.h`.
const SO_EE_CODE_ZEROCOPY_COPIED: u8 = 1;

/// The same on all architectures that have `SOL_SOCKET` 1 (`asm-generic/socket.h`).
const SO_MEMINFO: i32 = 55;

/// `SO_MAX_PACING_RATE`, 64 bits wide since Linux 4.20 (`sk_max_pacing_rate`), 32 before.
pub(crate) fn set_max_pacing_rate(socket: impl AsFd, bytes_per_s: u64) -> io::Result<()> {
    set(&socket, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, &bytes_per_s.to_ne_bytes()).or_else(|_| {
        let narrow = u32::try_from(bytes_per_s).unwrap_or(u32::MAX);
        set(&socket, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, &narrow.to_ne_bytes())
    })
}

/// `SO_BUSY_POLL`: the kernel polls the NIC for this long, µs. More than `net.core.busy_read` needs `CAP_NET_ADMIN`.
pub(crate) fn set_busy_poll(socket: impl AsFd, us: u32) -> io::Result<()> {
    set(socket, libc::SOL_SOCKET, libc::SO_BUSY_POLL, &us.to_ne_bytes())
}

/// `SO_BINDTODEVICE`.
pub(crate) fn bind_to_device(socket: impl AsFd, name: &str) -> io::Result<()> {
    set(socket, libc::SOL_SOCKET, libc::SO_BINDTODEVICE, name.as_bytes())
}

/// `SO_RCVLOWAT`: a blocking receive waits for this many bytes, or for the end (socket(7)).
pub(crate) fn set_receive_low_water(socket: impl AsFd, bytes: i32) -> io::Result<()> {
    set(socket, libc::SOL_SOCKET, libc::SO_RCVLOWAT, &bytes.to_ne_bytes())
}

/// `TCP_MAXSEG`: no larger segment is sent, nor requested when set before connecting or listening.
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

/// `SO_ZEROCOPY`: sends may ask for `MSG_ZEROCOPY`.
pub(crate) fn set_zerocopy(socket: impl AsFd) -> io::Result<()> {
    set(socket, libc::SOL_SOCKET, libc::SO_ZEROCOPY, &1i32.to_ne_bytes())
}

/// One notice from the error queue: how many sends it is about, and whether the kernel copied them after all.
pub(crate) fn zerocopy_notice(socket: impl AsFd) -> Option<(u64, bool)> {
    let mut control = [0u64; 32];
    // SAFETY: all-zero bytes are a valid msghdr: null pointers and zero lengths.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(&control) as _;
    let flags = libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT;
    // SAFETY: the header points to `control`, which lives through the call and whose size it tells; there is
    // no other buffer.
    let outcome = unsafe { libc::recvmsg(socket.as_fd().as_raw_fd(), &raw mut message, flags) };
    if outcome < 0 {
        return None;
    }
    // SAFETY: the kernel has filled `control` and set its length; the macros walk within it.
    let mut header = unsafe { libc::CMSG_FIRSTHDR(&raw const message) };
    while !header.is_null() {
        // SAFETY: a non-null header of the walk is within `control`; `CMSG_DATA` only computes.
        let (length, offset) =
            unsafe { ((*header).cmsg_len as usize, libc::CMSG_DATA(header) as usize - header as usize) };
        if length < offset + size_of::<libc::sock_extended_err>() {
            return None;
        }
        // SAFETY: the header is within `control`, and so does its data, which is long enough for the type that
        // IP_RECVERR and IPV6_RECVERR deliver (ip(7)); it may be unaligned.
        let (level, kind, error) = unsafe {
            #[expect(clippy::cast_ptr_alignment, reason = "it is read unaligned")]
            let data = libc::CMSG_DATA(header).cast::<libc::sock_extended_err>();
            ((*header).cmsg_level, (*header).cmsg_type, data.read_unaligned())
        };
        let is_error = (level, kind) == (libc::SOL_IP, libc::IP_RECVERR)
            || (level, kind) == (libc::SOL_IPV6, libc::IPV6_RECVERR);
        if is_error && error.ee_origin == SO_EE_ORIGIN_ZEROCOPY {
            let count = u64::from(error.ee_data.wrapping_sub(error.ee_info)) + 1;
            return Some((count, error.ee_code & SO_EE_CODE_ZEROCOPY_COPIED != 0));
        }
        // SAFETY: as above; the walk ends with null.
        header = unsafe { libc::CMSG_NXTHDR(&raw const message, header) };
    }
    None
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
