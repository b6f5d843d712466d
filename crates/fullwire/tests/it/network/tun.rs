//! Opens a TUN device: packets that the kernel routes into it are read from the file, packets written to the file
//! arrive from it (kernel documentation, `networking/tuntap.rst`).
#![allow(unsafe_code, reason = "TUNSETIFF has no safe wrapper")]

use rustix::ioctl::{Opcode, Setter, ioctl};
use std::fs::File;
use std::io;

/// `TUNSETIFF` of `linux/if_tun.h`: `_IOW('T', 202, int)`.
const TUNSETIFF: Opcode = 0x4004_54ca;
/// `IFF_TUN | IFF_NO_PI`: IP packets, nothing before them.
const BARE_PACKETS: i16 = 0x1001;
const NAME_BYTES: usize = 16;

/// `struct ifreq` of `linux/if.h`, as far as it is read here, at its full length.
#[repr(C)]
struct Request {
    name: [u8; NAME_BYTES],
    flags: i16,
    rest: [u8; 22],
}

/// A device of this name, in the caller's network namespace; it is gone when the file is closed.
pub(crate) fn open(name: &str) -> io::Result<File> {
    let file = File::options().read(true).write(true).open("/dev/net/tun")?;
    let mut request = Request { name: [0; NAME_BYTES], flags: BARE_PACKETS, rest: [0; 22] };
    assert!(name.len() < NAME_BYTES, "{name} is too long for an interface");
    request.name[..name.len()].copy_from_slice(name.as_bytes());
    // SAFETY: TUNSETIFF reads one `struct ifreq`, whose layout and length `Request` has.
    unsafe { ioctl(&file, Setter::<TUNSETIFF, Request>::new(request))? };
    Ok(file)
}
