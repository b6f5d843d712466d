//! `iostat -z` leaves out devices that did nothing in an interval (iostat.c, `DISPLAY_ZERO_OMIT`). A file does not say that it
//! was made so; its rows do: none is of zeros alone, and devices go and come back. Then a missing row stands for zeros, from
//! where the device is first listed: before, it may not have been there.

use super::builder::Builder;
use super::number;
use std::collections::BTreeMap;

/// Values that are put in for missing rows, at most: a device for each report would otherwise ask for the square of both.
const MOST_FILLED: usize = 10_000_000;

/// Follows which devices the reports list.
#[derive(Debug, Default)]
pub(super) struct Idle {
    devices: BTreeMap<String, Device>,
    report: u64,
    /// The report covers the time since boot.
    of_boot: bool,
    /// A device was missing, and came back.
    came_back: bool,
    /// A report has a row of zeros alone.
    zeros: bool,
    fills: bool,
    filled: usize,
}

#[derive(Debug, Default)]
struct Device {
    /// The report that listed it last; 0 for none but that since boot.
    last: u64,
    /// Its row of that report has a figure that is not 0.
    active: bool,
    columns: Vec<String>,
}

impl Idle {
    /// Puts in zeros.
    pub(super) fn filling() -> Self {
        Self { fills: true, ..Self::default() }
    }

    /// The file is of `iostat -z`.
    pub(super) fn are_left_out(&self) -> bool {
        self.came_back && !self.zeros
    }

    pub(super) fn begin_report(&mut self, of_boot: bool) {
        self.of_boot = of_boot;
        self.report += u64::from(!of_boot);
    }

    /// Notes a row. A report of several tables has several of each device.
    pub(super) fn row(&mut self, device: &str, columns: &[String], cells: &[&str]) {
        let active = cells.iter().any(|cell| number(cell.trim_end_matches(['%', 'k', 'B'])) != Some(0.0));
        let known = match self.devices.get_mut(device) {
            Some(known) => known,
            None => self.devices.entry(device.to_owned()).or_default(),
        };
        if self.of_boot || known.last != self.report {
            self.came_back |= !self.of_boot && known.last > 0 && known.last + 1 < self.report;
            known.active = false;
            known.columns.clear();
            known.last = if self.of_boot { known.last } else { self.report };
        }
        known.active |= active;
        known.columns.extend(columns.iter().take(if self.fills { columns.len() } else { 0 }).cloned());
    }

    /// Notes rows of zeros; puts in those that are missing.
    pub(super) fn end_report(&mut self, builder: &mut Builder) {
        if self.of_boot || self.report == 0 {
            return;
        }
        let report = self.report;
        self.zeros |= self.devices.values().any(|device| device.last == report && !device.active);
        if !self.fills {
            return;
        }
        for (name, device) in self.devices.iter().filter(|(_, device)| device.last != report) {
            if self.filled >= MOST_FILLED {
                return;
            }
            self.filled += device.columns.len();
            device.columns.iter().for_each(|column| builder.push("disk", name, column, 0.0));
        }
    }
}
