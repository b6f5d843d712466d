//! Reservations: a shared unit on which another host has registered or reserved is in use, though nothing of that shows
//! on this host. Asked with commands that only read: PERSISTENT RESERVE IN and TEST UNIT READY of SCSI (SPC-5, 5.14 and
//! 6.16), Reservation Report of NVMe (NVM Express base specification, "Reservations").
#![allow(unsafe_code, reason = "the two requests exist as ioctl only, and neither rustix nor nix has them")]

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

const SG_IO: libc::c_ulong = 0x2285;
const SG_FROM_DEVICE: i32 = -3;
const SG_NO_DATA: i32 = -1;
const PERSISTENT_RESERVE_IN: u8 = 0x5e;
const READ_KEYS: u8 = 0;
const READ_RESERVATION: u8 = 1;
const CHECK_CONDITION: u8 = 0x02;
const RESERVATION_CONFLICT: u8 = 0x18;
const ILLEGAL_REQUEST: u8 = 0x05;
const TIMEOUT_MS: u32 = 5_000;
/// A unit attention is reported once for each thing that happened.
const TRIES: u32 = 4;

/// What a device says of reservations; empty: none, or it knows of none.
pub(super) fn findings(device: impl AsFd) -> Vec<String> {
    let fd = device.as_fd();
    match nvme_report(fd) {
        Ok(Some(report)) => return of_nvme(&report).into_iter().collect(),
        Ok(None) => return Vec::new(),
        // No NVMe namespace.
        Err(_) => {}
    }
    let asked = [scsi(fd, [0; 10], &mut []), keys(fd), reservation(fd)];
    let mut found: Vec<String> = asked.into_iter().filter_map(|answer| answer.unwrap_or_else(Some)).collect();
    found.dedup();
    found
}

fn keys(fd: BorrowedFd<'_>) -> Result<Option<String>, String> {
    let mut answer = [0; 256];
    let said = scsi(fd, persistent_reserve_in(READ_KEYS, answer.len()), &mut answer)?;
    Ok(said.or_else(|| of_keys(&answer)))
}

fn reservation(fd: BorrowedFd<'_>) -> Result<Option<String>, String> {
    let mut answer = [0; 24];
    let said = scsi(fd, persistent_reserve_in(READ_RESERVATION, answer.len()), &mut answer)?;
    Ok(said.or_else(|| of_reservation(&answer)))
}

/// The ten bytes of a command.
fn persistent_reserve_in(action: u8, length: usize) -> [u8; 10] {
    let [high, low] = u16::try_from(length).unwrap_or(u16::MAX).to_be_bytes();
    [PERSISTENT_RESERVE_IN, action, 0, 0, 0, 0, 0, high, low, 0]
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// READ KEYS: generation, length of the list, then eight bytes for each registration.
fn of_keys(answer: &[u8]) -> Option<String> {
    let registered = big_endian(answer.get(4..8)?) / 8;
    (registered > 0).then(|| {
        format!("{registered} hosts or paths have persistent reservation keys registered on it: it is shared")
    })
}

/// READ RESERVATION: generation, length, then key, obsolete address, a reserved byte, and the type.
fn of_reservation(answer: &[u8]) -> Option<String> {
    let held = big_endian(answer.get(4..8)?) >= 16;
    let (key, kind) = (big_endian(answer.get(8..16)?), answer.get(21)? & 0x0f);
    held.then(|| format!("it is reserved (SCSI persistent reservation, key {key:#x}, {})", kind_of(kind)))
}

fn kind_of(kind: u8) -> &'static str {
    match kind {
        1 => "write exclusive",
        3 => "exclusive access",
        5 | 7 => "write exclusive for registrants",
        6 | 8 => "exclusive access for registrants",
        _ => "of an unknown type",
    }
}

/// Reservation Status: generation, type, number of registered controllers (little endian).
fn of_nvme(report: &[u8]) -> Option<String> {
    let kind = *report.get(4)?;
    let registered = u16::from_le_bytes([*report.get(5)?, *report.get(6)?]);
    (kind != 0 || registered > 0).then(|| {
        format!("NVMe reservations are in use on it (type {kind}, {registered} controllers registered): it is shared")
    })
}

/// `struct sg_io_hdr` of `scsi/sg.h`.
#[repr(C)]
struct SgIo {
    interface: i32,
    direction: i32,
    command_length: u8,
    sense_size: u8,
    iovec_count: u16,
    data_length: u32,
    data: *mut u8,
    command: *const u8,
    sense: *mut u8,
    timeout_ms: u32,
    flags: u32,
    pack_id: i32,
    user: *mut u8,
    status: u8,
    masked_status: u8,
    message_status: u8,
    sense_written: u8,
    host_status: u16,
    driver_status: u16,
    residual: i32,
    duration_ms: u32,
    info: u32,
}

/// Sends a command that reads. `Ok(None)`: done, or not known to the device; `Ok(Some)`: it conflicts with a reservation;
/// `Err`: the device's answer leaves the question open.
fn scsi(fd: BorrowedFd<'_>, command: [u8; 10], answer: &mut [u8]) -> Result<Option<String>, String> {
    let open = |why: String| format!("cannot find out whether another host has reserved it: {why}");
    for _ in 0..TRIES {
        let mut sense = [0; 32];
        let (status, host) = match sg_io(fd, command, answer, &mut sense) {
            Ok(statuses) => statuses,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Err(open("this needs CAP_SYS_RAWIO".into()));
            }
            // No SCSI device, which has no such reservations.
            Err(_) => return Ok(None),
        };
        match (status, sense_key(&sense)) {
            (RESERVATION_CONFLICT, _) => {
                return Ok(Some("another host has reserved it (reservation conflict)".into()));
            }
            (0, _) if host == 0 => return Ok(None),
            (CHECK_CONDITION, ILLEGAL_REQUEST) => {
                answer.fill(0);
                return Ok(None);
            }
            _ => {}
        }
    }
    Err(open("the device does not answer".into()))
}

/// Of fixed or descriptor format.
fn sense_key(sense: &[u8; 32]) -> u8 {
    match sense[0] & 0x7f {
        0x72 | 0x73 => sense[1] & 0x0f,
        _ => sense[2] & 0x0f,
    }
}

/// The device's and the adapter's status.
fn sg_io(
    fd: BorrowedFd<'_>,
    command: [u8; 10],
    answer: &mut [u8],
    sense: &mut [u8; 32],
) -> io::Result<(u8, u16)> {
    let mut request = SgIo {
        interface: i32::from(b'S'),
        direction: if answer.is_empty() { SG_NO_DATA } else { SG_FROM_DEVICE },
        // TEST UNIT READY has six bytes.
        command_length: if command[0] == 0 { 6 } else { 10 },
        sense_size: 32,
        iovec_count: 0,
        data_length: u32::try_from(answer.len()).unwrap_or(0),
        data: answer.as_mut_ptr(),
        command: command.as_ptr(),
        sense: sense.as_mut_ptr(),
        timeout_ms: TIMEOUT_MS,
        flags: 0,
        pack_id: 0,
        user: std::ptr::null_mut(),
        status: 0,
        masked_status: 0,
        message_status: 0,
        sense_written: 0,
        host_status: 0,
        driver_status: 0,
        residual: 0,
        duration_ms: 0,
        info: 0,
    };
    // SAFETY: the structure is the kernel's; its pointers and lengths are those of live buffers, and the call returns
    // when the kernel is done with them.
    let done = unsafe { libc::ioctl(fd.as_raw_fd(), SG_IO as _, &raw mut request) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok((request.status, request.host_status)) }
}

const NVME_ID: libc::c_ulong = 0x4e40;
/// `_IOWR('N', 0x43, struct nvme_passthru_cmd)`.
const NVME_IO_COMMAND: libc::c_ulong = 0xc048_4e43;
const RESERVATION_REPORT: u8 = 0x0e;
const REPORT_BYTES: usize = 4096;

/// `struct nvme_passthru_cmd` of `linux/nvme_ioctl.h`.
#[repr(C)]
#[derive(Default)]
struct NvmeCommand {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    words_2_3: [u32; 2],
    metadata: u64,
    data: u64,
    metadata_length: u32,
    data_length: u32,
    words_10_15: [u32; 6],
    timeout_ms: u32,
    result: u32,
}

/// The start of a Reservation Status; `Ok(None)`: the namespace knows no reservations; `Err`: it is none of NVMe.
fn nvme_report(fd: BorrowedFd<'_>) -> io::Result<Option<Vec<u8>>> {
    // SAFETY: this request takes no argument; it returns the namespace's number.
    let namespace = unsafe { libc::ioctl(fd.as_raw_fd(), NVME_ID as _) };
    let namespace =
        u32::try_from(namespace).ok().filter(|number| *number > 0).ok_or_else(io::Error::last_os_error)?;
    // Controllers with host identifiers of 128 bits only know the extended structure, the others only the plain one.
    for extended in [1, 0] {
        let mut report = vec![0u8; REPORT_BYTES];
        let double_words = u32::try_from(REPORT_BYTES / 4).unwrap_or(1) - 1;
        let mut command = NvmeCommand {
            opcode: RESERVATION_REPORT,
            namespace,
            data: report.as_mut_ptr() as u64,
            data_length: u32::try_from(REPORT_BYTES).unwrap_or(0),
            words_10_15: [double_words, extended, 0, 0, 0, 0],
            timeout_ms: TIMEOUT_MS,
            ..NvmeCommand::default()
        };
        // SAFETY: the structure is the kernel's; the buffer has the length that is given, and the call returns when the
        // kernel is done with it.
        let status = unsafe { libc::ioctl(fd.as_raw_fd(), NVME_IO_COMMAND as _, &raw mut command) };
        if status == 0 {
            return Ok(Some(report));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_the_kernels_size() {
        assert_eq!(size_of::<NvmeCommand>(), 72);
        #[cfg(target_pointer_width = "64")]
        assert_eq!(size_of::<SgIo>(), 88);
    }

    #[test]
    fn keys_and_reservations_are_read() {
        let mut keys = [0u8; 256];
        assert_eq!(of_keys(&keys), None);
        keys[7] = 16;
        assert!(of_keys(&keys).expect("two").starts_with("2 hosts"));
        let mut held = [0u8; 24];
        held[3] = 7;
        assert_eq!(of_reservation(&held), None);
        held[7] = 16;
        held[15] = 0xab;
        held[21] = 0x05;
        let text = of_reservation(&held).expect("held");
        assert!(text.contains("key 0xab") && text.contains("write exclusive for registrants"), "{text}");
        let mut report = [0u8; 64];
        assert_eq!(of_nvme(&report), None);
        report[5] = 2;
        assert!(of_nvme(&report).expect("registered").contains("2 controllers"));
        for length in 0..24 {
            let _ = (of_keys(&held[..length]), of_reservation(&held[..length]), of_nvme(&held[..length]));
        }
    }

    #[test]
    fn a_device_that_is_no_scsi_has_none() {
        let file = std::fs::File::open("/proc/self/exe").expect("own executable");
        assert!(findings(&file).is_empty(), "{:?}", findings(&file));
    }

    #[test]
    fn sense_of_both_formats() {
        let mut sense = [0u8; 32];
        (sense[0], sense[2]) = (0x70, 0x05);
        assert_eq!(sense_key(&sense), ILLEGAL_REQUEST);
        (sense[0], sense[1], sense[2]) = (0x72, 0x06, 0);
        assert_eq!(sense_key(&sense), 0x06);
    }
}
