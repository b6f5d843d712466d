//! The calls to the kernel that no safe crate wraps: ethtool's, device-mapper's and NVMe's ioctls and adjtimex. All
//! `unsafe` of this crate.
//!
//! ethtool also speaks netlink, but only since Linux 5.6 and never about driver statistics; the ioctl answers
//! the same questions on every kernel that a database still runs on.
#![allow(
    unsafe_code,
    reason = "the ioctl takes a raw pointer and adjtimex a C structure; each block says why it is sound"
)]

use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use serde::{Deserialize, Serialize};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// `NVME_IOCTL_ADMIN_CMD` of `linux/nvme_ioctl.h`: `_IOWR('N', 0x41, struct nvme_admin_cmd)`, 72 bytes.
const NVME_ADMIN_COMMAND: libc::Ioctl = 0xc048_4e41_u32 as libc::Ioctl;

/// `struct nvme_admin_cmd` of `linux/nvme_ioctl.h`.
#[repr(C)]
#[derive(Debug, Default)]
struct NvmeAdminCommand {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    words_2_and_3: [u32; 2],
    metadata: u64,
    address: u64,
    metadata_bytes: u32,
    data_bytes: u32,
    words_10_to_15: [u32; 6],
    timeout_ms: u32,
    result: u32,
}

/// Reads a log of an `NVMe` controller (Get Log Page). Bit 15 keeps asynchronous events as they are: nothing changes.
pub(crate) fn nvme_log(controller: &std::fs::File, log: u8, buffer: &mut [u8]) -> io::Result<()> {
    const GET_LOG_PAGE: u8 = 0x02;
    const ALL_NAMESPACES: u32 = u32::MAX;
    const KEEP_EVENTS: u32 = 1 << 15;
    const TIMEOUT_MS: u32 = 2000;
    let bytes = u32::try_from(buffer.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    if bytes == 0 || bytes % 4 != 0 || bytes > 4096 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let words = bytes / 4 - 1;
    let mut command = NvmeAdminCommand {
        opcode: GET_LOG_PAGE,
        namespace: ALL_NAMESPACES,
        address: buffer.as_mut_ptr() as u64,
        data_bytes: bytes,
        words_10_to_15: [(words << 16) | KEEP_EVENTS | u32::from(log), 0, 0, 0, 0, 0],
        timeout_ms: TIMEOUT_MS,
        ..NvmeAdminCommand::default()
    };
    // SAFETY: the command is live and exclusive for the time of the call, and the kernel writes at most `data_bytes` bytes
    // to `address`, which is a live, exclusive buffer of that length.
    let status = unsafe { libc::ioctl(controller.as_raw_fd(), NVME_ADMIN_COMMAND, &raw mut command) };
    match status {
        0 => Ok(()),
        state if state < 0 => Err(io::Error::last_os_error()),
        state => Err(io::Error::other(format!("the controller answered with status {state:#x}"))),
    }
}

/// `SIOCETHTOOL` of `linux/sockios.h`.
const SIOCETHTOOL: libc::Ioctl = 0x8946;

/// What the kernel's clock discipline knows (`adjtimex(2)`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClockState {
    /// It holds the clock to be synchronised.
    pub synchronised: bool,
    /// Largest error that it assumes.
    pub max_error_us: i64,
    /// Offset that is being corrected.
    pub offset_ns: i64,
}

/// Reads the clock discipline without changing it.
pub(crate) fn clock_state() -> io::Result<ClockState> {
    // SAFETY: timex is plain integers, for which all-zero bytes are a valid value; modes = 0 only reads.
    let mut timex: libc::timex = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live, exclusive timex for the time of the call.
    let state = unsafe { libc::adjtimex(&raw mut timex) };
    if state < 0 {
        return Err(io::Error::last_os_error());
    }
    let unit_ns = if timex.status & libc::STA_NANO == 0 { 1000 } else { 1 };
    Ok(ClockState {
        synchronised: timex.status & libc::STA_UNSYNC == 0,
        max_error_us: timex.maxerror,
        offset_ns: timex.offset * unit_ns,
    })
}

/// A socket that carries ethtool's questions.
#[derive(Debug)]
pub(crate) struct Ethtool(OwnedFd);

/// A question whose answer has a size that is known from its command and its own header, as the kernel
/// writes it (`linux/ethtool.h`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    /// `ETHTOOL_GDRVINFO`.
    Driver,
    /// `ETHTOOL_GRINGPARAM`.
    Rings,
    /// `ETHTOOL_GCHANNELS`.
    Channels,
    /// `ETHTOOL_GCOALESCE`.
    Coalesce,
    /// `ETHTOOL_GPAUSEPARAM`.
    Pause,
    /// `ETHTOOL_GLINKSETTINGS`, with the number of mask words that was negotiated (0 asks for it).
    LinkSettings(u8),
    /// `ETHTOOL_GSSET_INFO` of one string set.
    StringCount(u32),
    /// `ETHTOOL_GSTRINGS` of one string set with this many strings.
    Strings(u32, u32),
    /// `ETHTOOL_GFEATURES` with this many blocks of 32.
    Features(u32),
    /// `ETHTOOL_GSTATS` with this many counters.
    Statistics(u32),
}

/// A driver that has more is not asked: what it writes would not be known to fit.
const MAX_STRINGS: u32 = 65_536;

/// Blocks of 32 features; there are two.
const MAX_FEATURE_BLOCKS: u32 = 64;

impl Question {
    /// More is announced than the buffer of the answer is made for.
    fn is_too_large(self) -> bool {
        match self {
            Self::Strings(_, count) | Self::Statistics(count) => count > MAX_STRINGS,
            Self::Features(blocks) => blocks > MAX_FEATURE_BLOCKS,
            _ => false,
        }
    }

    /// The bytes that are sent, as large as the largest answer.
    ///
    /// Older kernels write as many strings and statistics as the driver has *now*, whatever was requested: a queue
    /// added between the two questions makes the answer longer. Hence the slack of twice the number plus 1024.
    fn buffer(self) -> Vec<u8> {
        let sized = |command: u32, bytes: usize| {
            let mut buffer = vec![0_u8; bytes];
            put(&mut buffer, 0, command);
            buffer
        };
        let roomy = |count: u32| 2 * count as usize + 1024;
        match self {
            Self::Driver => sized(0x03, 196),
            Self::Rings => sized(0x10, 36),
            Self::Channels => sized(0x3c, 36),
            Self::Coalesce => sized(0x0e, 92),
            Self::Pause => sized(0x12, 16),
            Self::LinkSettings(words) => {
                // Three masks of at most 127 words follow the header of 48 bytes.
                let mut buffer = sized(0x4c, 48 + 3 * 4 * 127);
                buffer[15] = words;
                buffer
            }
            Self::StringCount(set) => {
                let mut buffer = sized(0x37, 16 + 4 * 64);
                put(&mut buffer, 8, 1_u32.checked_shl(set).unwrap_or(0)); // a mask of 64 bits, low word first
                if cfg!(target_endian = "big") {
                    buffer[8..16].rotate_left(4);
                }
                buffer
            }
            Self::Strings(set, count) => {
                let mut buffer = sized(0x1b, 12 + 32 * roomy(count));
                put(&mut buffer, 4, set);
                put(&mut buffer, 8, count);
                buffer
            }
            Self::Features(blocks) => {
                let mut buffer = sized(0x3a, 8 + 16 * (blocks + MAX_FEATURE_BLOCKS) as usize);
                put(&mut buffer, 4, blocks);
                buffer
            }
            Self::Statistics(count) => {
                let mut buffer = sized(0x1d, 8 + 8 * roomy(count));
                put(&mut buffer, 4, count);
                buffer
            }
        }
    }
}

fn put(buffer: &mut [u8], at: usize, value: u32) {
    buffer[at..at + 4].copy_from_slice(&value.to_ne_bytes());
}

impl Ethtool {
    /// Opens the socket.
    pub(crate) fn open() -> io::Result<Self> {
        Ok(Self(socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?))
    }

    /// Asks about an interface; the answer begins with the command, as sent.
    pub(crate) fn ask(&self, interface: &str, question: Question) -> io::Result<Vec<u8>> {
        if question.is_too_large() {
            return Err(io::Error::other("the driver announces more entries than fullwire requests"));
        }
        let mut buffer = question.buffer();
        // SAFETY: ifreq is plain integers and a union of such, for which all-zero bytes are a valid value.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        if interface.len() >= request.ifr_name.len() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        for (slot, byte) in request.ifr_name.iter_mut().zip(interface.bytes()) {
            *slot = libc::c_char::from_ne_bytes([byte]);
        }
        request.ifr_ifru.ifru_data = buffer.as_mut_ptr().cast();
        // SAFETY: the socket is open; the request lives through the call and points to a buffer that is
        // exclusive to us and at least as large as the kernel writes for this command (see `buffer`, which is made for
        // the whole number that the driver announced: `is_too_large` has refused any other).
        let status = unsafe { libc::ioctl(self.0.as_raw_fd(), SIOCETHTOOL, &raw mut request) };
        if status < 0 { Err(io::Error::last_os_error()) } else { Ok(buffer) }
    }
}

/// `DM_TABLE_STATUS` of `linux/dm-ioctl.h`: `_IOWR(0xfd, 12, struct dm_ioctl)`, 312 bytes.
const DM_TABLE_STATUS: libc::Ioctl = 0xc138_fd0c;

/// The smallest buffer that the kernel's head of a question fits in.
pub(crate) const DM_HEAD_BYTES: usize = 312;

/// Asks device-mapper's control device for a map's table or status. The buffer begins with the question's head,
/// in which the kernel reads how large the buffer is; the kernel's answer takes its place.
pub(crate) fn device_mapper_table(control: &std::fs::File, buffer: &mut [u8]) -> io::Result<()> {
    let told = buffer.get(12..16).and_then(|size| size.try_into().ok()).map(u32::from_ne_bytes);
    if buffer.len() < DM_HEAD_BYTES || told.and_then(|told| usize::try_from(told).ok()) != Some(buffer.len())
    {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: the kernel writes no further than the size in the head, which was checked to be the buffer's own.
    let state = unsafe { libc::ioctl(control.as_raw_fd(), DM_TABLE_STATUS, buffer.as_mut_ptr()) };
    if state < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_read() {
        let state = clock_state().expect("adjtimex may be read by anybody");
        assert!(state.max_error_us >= 0);
    }

    /// A buffer for a smaller number than the driver has is written over its end.
    #[test]
    fn more_strings_than_a_buffer_is_made_for_are_not_asked_for() {
        let ethtool = Ethtool::open().expect("a socket");
        for question in [
            Question::Strings(1, MAX_STRINGS + 1),
            Question::Strings(1, u32::MAX),
            Question::Statistics(MAX_STRINGS + 1),
            Question::Features(MAX_FEATURE_BLOCKS + 1),
        ] {
            let error = ethtool.ask("lo", question).expect_err("refused");
            assert!(error.raw_os_error().is_none(), "before the kernel was asked: {error}");
        }
        for count in [0, 33_793, MAX_STRINGS] {
            assert!(Question::Strings(1, count).buffer().len() >= 12 + 32 * (count as usize + 1024));
            assert!(Question::Statistics(count).buffer().len() >= 8 + 8 * (count as usize + 1024));
        }
    }

    #[test]
    fn loopback_has_features_and_an_unknown_interface_is_refused() {
        let ethtool = Ethtool::open().expect("a socket");
        assert!(ethtool.ask("lo", Question::Features(2)).is_ok());
        assert!(ethtool.ask("no-such-nic", Question::Driver).is_err());
        assert!(ethtool.ask("a-name-that-is-too-long", Question::Driver).is_err());
    }
}
