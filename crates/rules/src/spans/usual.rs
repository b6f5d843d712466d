//! What each device takes for a request when nothing is wrong: medians over a recording. A median is not moved by
//! trouble that lasts for less than half of it.

use crate::facts;
use fullwire_model::{UsualDisk, Window, median};
use std::collections::BTreeMap;

thresholds! {
    /// Windows with work of a device, from which on their median is what is usual.
    const FEWEST: usize = 10;
    /// Values kept of each device and figure; more are thinned, each second one going.
    const MOST: usize = 512;
    /// Requests in a window, from which on its means count.
    const FEWEST_REQUESTS: u64 = 3;
}

/// Learns from windows, one after the other.
#[derive(Debug, Clone, Default)]
pub struct Usual {
    disks: BTreeMap<String, [Values; 4]>,
}

/// Values of one figure, evenly taken from all that were seen.
#[derive(Debug, Clone, Default)]
struct Values {
    kept: Vec<f64>,
    seen: usize,
    /// One in this many is kept.
    stride: usize,
}

impl Values {
    fn add(&mut self, value: Option<f64>) {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        self.stride = self.stride.max(1);
        if self.seen.is_multiple_of(self.stride) {
            self.kept.push(value);
        }
        self.seen += 1;
        if self.kept.len() > MOST {
            let mut index = 0;
            self.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.stride *= 2;
        }
    }

    fn median(&self) -> Option<f64> {
        median(&self.kept).filter(|_| self.kept.len() >= FEWEST)
    }
}

impl Usual {
    /// Takes a window in.
    pub fn learn(&mut self, window: &Window) {
        for name in window.to.disks.keys() {
            let Some(activity) = facts::disk_activity(window, name) else { continue };
            if activity.ios < FEWEST_REQUESTS {
                continue;
            }
            let enough = |count: u64, value: Option<f64>| value.filter(|_| count >= FEWEST_REQUESTS);
            if !self.disks.contains_key(name) {
                self.disks.insert(name.clone(), Default::default());
            }
            let Some([read, write, service, request]) = self.disks.get_mut(name) else { continue };
            read.add(enough(activity.reads, activity.read_await_ms));
            write.add(enough(activity.writes, activity.write_await_ms));
            service.add(activity.service_ms);
            request.add(Some(activity.bytes_per_s / activity.io_per_s));
        }
    }

    /// What is usual of each device, as far as enough was seen: goes into [`Window::usual`].
    pub fn disks(&self) -> BTreeMap<String, UsualDisk> {
        let usual = |[read, write, service, request]: &[Values; 4]| UsualDisk {
            read_await_ms: read.median(),
            write_await_ms: write.median(),
            service_ms: service.median(),
            request_mean_bytes: request.median(),
            one_await: false,
        };
        self.disks.iter().map(|(name, values)| (name.clone(), usual(values))).collect()
    }
}
