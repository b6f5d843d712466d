//! What is counted at one end of a test, and told to the other.

use serde::{Deserialize, Serialize};

/// Most slices that are kept of a test, however long it is.
const SAMPLES_LIMIT: usize = 3600;

/// A slice of a test at one end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sample {
    /// Its end since measuring began, s.
    pub t_s: f64,
    /// Its length, s.
    pub span_s: f64,
    /// Stream bytes received.
    pub in_bytes: u64,
    /// Bytes sent: of a stream as the kernel took them, of messages as acknowledged.
    pub out_bytes: u64,
    /// Messages.
    pub messages: u64,
    /// Mean latency, ns.
    pub mean_ns: Option<f64>,
    /// Median latency, ns.
    pub p50_ns: Option<u64>,
    /// 99th percentile, ns.
    pub p99_ns: Option<u64>,
    /// Of the sending connections.
    pub tcp: Option<TcpSample>,
}

impl Sample {
    /// This slice and the one after it as one. Percentiles cannot be joined and are left out.
    fn joined(self, next: Self) -> Self {
        let messages = self.messages.saturating_add(next.messages);
        let sum_ns = |sample: &Self| sample.mean_ns.map(|mean| mean * sample.messages as f64);
        let mean_ns = sum_ns(&self).zip(sum_ns(&next)).map(|(a, b)| (a + b) / (messages.max(1) as f64));
        let tcp = match (self.tcp, next.tcp) {
            (Some(before), Some(tcp)) => {
                Some(TcpSample { retransmits: before.retransmits.saturating_add(tcp.retransmits), ..tcp })
            }
            (before, tcp) => tcp.or(before),
        };
        Self {
            t_s: next.t_s,
            span_s: self.span_s + next.span_s,
            in_bytes: self.in_bytes.saturating_add(next.in_bytes),
            out_bytes: self.out_bytes.saturating_add(next.out_bytes),
            messages,
            mean_ns: mean_ns.or(self.mean_ns).or(next.mean_ns),
            p50_ns: None,
            p99_ns: None,
            tcp,
        }
    }
}

/// Slices of twice the length, half as many.
pub(crate) fn halve(samples: &mut Vec<Sample>) {
    let mut rest = std::mem::take(samples).into_iter();
    while let Some(first) = rest.next() {
        samples.push(match rest.next() {
            Some(second) => first.joined(second),
            None => first,
        });
    }
}

/// Keeps a slice; of a long test the slices get longer, so that their number stays below a limit.
pub(crate) fn keep(samples: &mut Vec<Sample>, sample: Sample) {
    if samples.len() >= SAMPLES_LIMIT {
        halve(samples);
    }
    samples.push(sample);
}

/// `TCP_INFO` of the sending connections at the end of a slice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TcpSample {
    /// Segments resent within the slice.
    pub retransmits: u64,
    /// Smoothed round trip, mean of the connections, ns.
    pub rtt_ns: u64,
    /// Congestion window, sum, bytes.
    pub cwnd_bytes: u64,
    /// Sent and not acknowledged, sum, bytes.
    pub in_flight_bytes: u64,
}

/// Datagrams at one end. What one end leaves at zero the other counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DatagramCount {
    /// Sent, or requested and not yet given up.
    pub sent: u64,
    /// Arrived, each counted once.
    pub arrived: u64,
    /// Small ones sent as well, which need no fragments.
    pub small_sent: u64,
    /// Small ones that arrived.
    pub small_arrived: u64,
    /// Arrived after one that was sent later.
    pub reordered: u64,
    /// Arrived again.
    pub duplicated: u64,
    /// Interarrival jitter (RFC 3550, 6.4.1), the largest of the lanes, ns; `None`: nothing was received one way.
    pub jitter_ns: Option<u64>,
    /// Of an interconnect: payload of the blocks that came to the one who asks, bytes.
    pub came_bytes: u64,
    /// Dropped by the kernel because the socket's buffer was full (`SO_MEMINFO`).
    pub receive_buffer_drops: u64,
}

impl DatagramCount {
    /// Both ends', or several lanes', as one.
    #[must_use]
    pub fn joined(mut self, other: &Self) -> Self {
        self.sent += other.sent;
        self.arrived += other.arrived;
        self.small_sent += other.small_sent;
        self.small_arrived += other.small_arrived;
        self.reordered += other.reordered;
        self.duplicated += other.duplicated;
        self.jitter_ns = self.jitter_ns.max(other.jitter_ns);
        self.came_bytes += other.came_bytes;
        self.receive_buffer_drops += other.receive_buffer_drops;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_test_keeps_few_slices_and_all_bytes() {
        let mut samples = Vec::new();
        for second in 1..=86_400_u32 {
            let sample = Sample {
                t_s: second.into(),
                span_s: 1.0,
                in_bytes: 10,
                messages: 2,
                mean_ns: Some(f64::from(second % 2)),
                ..Sample::default()
            };
            keep(&mut samples, sample);
        }
        assert!(samples.len() <= SAMPLES_LIMIT && samples.len() > SAMPLES_LIMIT / 3, "{}", samples.len());
        assert_eq!(samples.iter().map(|sample| sample.in_bytes).sum::<u64>(), 864_000);
        assert!((samples.iter().map(|sample| sample.span_s).sum::<f64>() - 86_400.0).abs() < 1e-6);
        assert!((samples[0].mean_ns.unwrap() - 0.5).abs() < 1e-9);
        assert!((samples.last().unwrap().t_s - 86_400.0).abs() < 1e-9);
    }
}
