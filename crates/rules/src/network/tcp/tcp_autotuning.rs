//! # What it checks
//! `net.ipv4.tcp_moderate_rcvbuf` is 1.
//!
//! # Why it matters
//! Without autotuning every connection keeps the default receive buffer (128 KiB): one such window travels
//! in each round trip.
//!
//! # Evidence
//! `net.ipv4.tcp_moderate_rcvbuf` of both ends.
//!
//! # Remedy
//! `sysctl -w net.ipv4.tcp_moderate_rcvbuf=1`.
//!
//! # Source
//! Linux Documentation/networking/ip-sysctl.rst, `tcp_moderate_rcvbuf` (default enabled); SUSE note 3024346.

use crate::Rule;
use crate::setting::{self, Setting};
use fullwire_model::Run;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::host::Host;

pub(super) const RULE: Rule = Rule {
    code: "tcp-autotuning",
    title: "receive-buffer autotuning is switched off",
    layer: Layer::Network,
    severity: Severity::Warning,
    check: setting::check::<TcpAutotuning>,
};

struct TcpAutotuning;

impl Setting for TcpAutotuning {
    const RULE: Rule = RULE;
    const NAME: &'static str = "net.ipv4.tcp_moderate_rcvbuf";
    const WANTED: &'static str = "1";
    const SAYS: &'static str = "receive windows stay at their default size";
    const WHY: &'static str =
        "A window that does not grow holds every stream to one default buffer for each round trip.";
    const EXPECT: &'static str = "throughput grows with the round trip's demand";

    fn judge(_run: &Run, _host: &Host, numbers: &[u64]) -> Option<Severity> {
        (numbers.first() == Some(&0)).then_some(Severity::Warning)
    }
}
