//! Peers that speak iperf's protocols and not ours.

use anyhow::Result;
use fullwire_model::net::{NetInterval, NetPlan, NetResult};
use fullwire_probe::{iperf2, iperf3};
use std::net::IpAddr;
use std::sync::atomic::AtomicBool;

/// Whose protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bridge {
    Iperf2,
    Iperf3,
}

impl Bridge {
    /// By the target's scheme; `None` for a responder of ours.
    pub(crate) fn of(target: &str) -> Option<Self> {
        if target.starts_with(iperf3::SCHEME) {
            return Some(Self::Iperf3);
        }
        target.starts_with(iperf2::SCHEME).then_some(Self::Iperf2)
    }

    /// The addresses of its host.
    pub(crate) fn addresses(self, target: &str) -> Result<Vec<IpAddr>> {
        let addresses = match self {
            Self::Iperf2 => iperf2::addresses(target)?,
            Self::Iperf3 => iperf3::addresses(target)?,
        };
        Ok(addresses.into_iter().map(|address| address.ip()).collect())
    }

    /// Measures as far as its protocol goes.
    pub(crate) fn measure(
        self,
        plan: &NetPlan,
        stop: &AtomicBool,
        tick: impl FnMut(&NetInterval),
    ) -> Result<NetResult> {
        Ok(match self {
            Self::Iperf2 => iperf2::measure(plan, stop, tick)?,
            Self::Iperf3 => iperf3::measure(plan, stop, tick)?,
        })
    }
}
