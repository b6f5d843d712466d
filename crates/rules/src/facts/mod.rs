//! What many rules ask of a run: rates over windows, the devices under a target, who uses the host.

mod buffer;
mod guard;
mod target;
mod window;

pub(crate) use buffer::*;
pub(crate) use guard::*;
pub use target::storage_services;
pub(crate) use target::*;
pub(crate) use window::*;

use crate::Outcome;

/// The outcome for a fact that was not read.
pub(crate) fn unread(what: &str) -> Outcome {
    Outcome::Unknown(format!("{what} could not be read"))
}

/// `sda, sdb and 3 more`: a list that stays one line on a host with a thousand disks.
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    const SHOWN: usize = 6;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A size as it is set and read: `512`, `8 KiB`, `1.5 GiB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    for (unit, shift) in UNITS {
        let one = 1u64 << shift;
        if bytes >= one {
            let value = bytes as f64 / one as f64;
            return if bytes.is_multiple_of(one) {
                format!("{value:.0} {unit}")
            } else {
                format!("{value:.1} {unit}")
            };
        }
    }
    format!("{bytes} bytes")
}

/// A share as per cent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
