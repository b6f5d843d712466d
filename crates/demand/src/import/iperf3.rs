//! iperf3's JSON (3.0 to 3.17): one network result.

use super::fio::json_of;
use super::is_json;
use crate::ReadError;
use fullwire_model::net::{CpuUse, NetInterval, NetMode, NetPath, NetResult, TcpSummary, UdpSummary};
use fullwire_model::{AllStreams, PerStream};
use serde_json::Value;

/// True for iperf3's JSON.
pub(super) fn is_iperf3(text: &str) -> bool {
    let has = |key: &str| text.contains(&format!("\"{key}"));
    is_json(text) && (has("iperf") || has("tcp_mss_default\"") || has("start\"") && has("connected\""))
}

/// Reads the output of `iperf3 -J`, from the client or the server.
pub(super) fn read(text: &str, name: &str) -> Result<NetResult, ReadError> {
    let value = json_of(text).map_err(|(line, what)| ReadError::new(name, line, what))?;
    let (start, end) = (&value["start"], &value["end"]);
    if let Some(error) = value["error"].as_str() {
        return Err(ReadError::new(name, 1, format!("iperf3 failed: {error}")));
    }
    if !end.is_object() || !start.is_object() {
        return Err(ReadError::new(
            name,
            1,
            "iperf3's JSON without \"start\" and \"end\": the test did not finish",
        ));
    }
    let plan = &start["test_start"];
    let udp = plan["protocol"].as_str() == Some("UDP");
    // UDP reports have one sum until 3.7, TCP and later UDP one for each side.
    let sum =
        [&end["sum_received"], &end["sum"]].into_iter().find(|sum| sum.is_object()).unwrap_or(&Value::Null);
    let seconds = sum["seconds"].as_f64().unwrap_or(0.0);
    let reverse = plan["reverse"].as_u64() == Some(1);
    let rate = |sum: &Value| sum["bits_per_second"].as_f64().map(|bits| bits / 8.0);
    let mut result = NetResult {
        target: target(start, name).into(),
        mode: if udp { NetMode::Udp } else { NetMode::Async },
        streams: number(&plan["num_streams"]).unwrap_or(1),
        payload_bytes: plan["blksize"].as_u64().unwrap_or(0),
        duration_s: seconds,
        bytes: sum["bytes"].as_u64().unwrap_or(0),
        throughput_bytes_per_s: rate(sum).unwrap_or(0.0),
        reverse_throughput_bytes_per_s: rate(&end["sum_received_bidir_reverse"]),
        reverse,
        intervals: intervals(&value),
        path: path(start),
        ..NetResult::default()
    };
    result.plan.target.clone_from(&result.target);
    if udp {
        result.udp = Some(udp_summary(sum));
    } else {
        result.tcp = Some(tcp_summary(start, end));
    }
    result.cpu = cpu(&end["cpu_utilization_percent"], seconds, result.bytes);
    Ok(result)
}

fn number<T: TryFrom<u64>>(value: &Value) -> Option<T> {
    T::try_from(value.as_u64()?).ok()
}

fn target(start: &Value, name: &str) -> String {
    let to = &start["connecting_to"];
    match (to["host"].as_str(), to["port"].as_u64()) {
        (Some(host), Some(port)) => format!("iperf3://{host}:{port}"),
        _ => start["accepted_connection"]["host"].as_str().unwrap_or(name).to_owned(),
    }
}

fn path(start: &Value) -> NetPath {
    let socket = &start["connected"][0];
    let address = |host: &str, port: &str| {
        let host = socket[host].as_str().unwrap_or("");
        socket[port].as_u64().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    };
    let (local, remote) = (address("local_host", "local_port"), address("remote_host", "remote_port"));
    let loopback = socket["local_host"] == socket["remote_host"] && socket["local_host"].is_string();
    NetPath { local, remote, loopback, ..NetPath::default() }
}

fn intervals(value: &Value) -> Vec<NetInterval> {
    let list = value["intervals"].as_array().map_or(&[][..], Vec::as_slice);
    // What `-O` leaves out of the totals is left out here; its times begin at 0 again after it.
    let counts = |slice: &&Value| slice["sum"]["omitted"].as_bool() != Some(true);
    let interval = |slice: &Value| {
        let sum = &slice["sum"];
        let streams = slice["streams"].as_array().map_or(&[][..], Vec::as_slice);
        let total = |key: &str| {
            streams.iter().try_fold(0u64, |sum, stream| Some(sum.saturating_add(stream[key].as_u64()?)))
        };
        let rtt = total("rtt").map(|us| us.saturating_mul(1000) / streams.len().max(1) as u64);
        Some(NetInterval {
            t_s: sum["end"].as_f64()?,
            throughput_bytes_per_s: sum["bits_per_second"].as_f64()? / 8.0,
            retransmits: sum["retransmits"].as_u64(),
            rtt_ns: rtt.filter(|_| !streams.is_empty()),
            cwnd_bytes: total("snd_cwnd").filter(|_| !streams.is_empty()),
            ..NetInterval::default()
        })
    };
    list.iter().filter(counts).filter_map(interval).collect()
}

fn tcp_summary(start: &Value, end: &Value) -> TcpSummary {
    let senders: Vec<&Value> = end["streams"]
        .as_array()
        .map_or(&[][..], Vec::as_slice)
        .iter()
        .map(|stream| &stream["sender"])
        .collect();
    // The receiving end of a stream has no round trips of its own and prints 0.
    let seen = |value: &u64| *value > 0;
    let each = |key: &str| {
        senders.iter().filter_map(|sender| sender[key].as_u64().filter(seen)).collect::<Vec<u64>>()
    };
    let mean = |values: Vec<u64>| {
        let count = values.len() as u64;
        values.into_iter().fold(0, u64::saturating_add).checked_div(count).unwrap_or(0)
    };
    let mss_bytes = start["tcp_mss"].as_u64().or_else(|| start["tcp_mss_default"].as_u64()).unwrap_or(0);
    TcpSummary {
        mss_bytes,
        sndbuf_bytes: PerStream(start["sndbuf_actual"].as_u64().unwrap_or(0)),
        rcvbuf_bytes: PerStream(start["rcvbuf_actual"].as_u64().unwrap_or(0)),
        retransmits: end["sum_sent"]["retransmits"].as_u64().unwrap_or(0),
        segments_out: segments(&end["sum_sent"], mss_bytes).unwrap_or(0),
        rtt_min_ns: each("min_rtt").into_iter().min().unwrap_or(0).saturating_mul(1000),
        rtt_ns: mean(each("mean_rtt")).saturating_mul(1000),
        cwnd_bytes: AllStreams(each("max_snd_cwnd").into_iter().fold(0, u64::saturating_add)),
        congestion: end["sender_tcp_congestion"].as_str().unwrap_or("").to_owned(),
        ..TcpSummary::default()
    }
}

/// Segments sent, those sent again among them. iperf3 does not count them: bytes over the MSS of its control
/// connection, which takes the same path (`iperf_client_api.c`). `None`: it did not count what it sent again either (a
/// receiver, or a sender whose kernel has no `TCP_INFO`), so a share cannot be told.
fn segments(sent: &Value, mss_bytes: u64) -> Option<u64> {
    let (bytes, again) = (sent["bytes"].as_u64()?, sent["retransmits"].as_u64()?);
    let first = bytes.checked_add(mss_bytes.checked_sub(1)?)? / mss_bytes;
    (first > 0).then(|| first.saturating_add(again))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a jitter in ms is small and positive"
)]
fn udp_summary(sum: &Value) -> UdpSummary {
    UdpSummary {
        sent: sum["packets"].as_u64().unwrap_or(0),
        lost: sum["lost_packets"].as_u64().unwrap_or(0),
        jitter_ns: sum["jitter_ms"].as_f64().map(|ms| (ms * 1e6) as u64),
        ..UdpSummary::default()
    }
}

fn cpu(percent: &Value, seconds: f64, bytes: u64) -> CpuUse {
    let burnt = |key: &str| percent[key].as_f64().unwrap_or(0.0) / 100.0 * seconds;
    let (client_s, server_s) = (burnt("host_total"), burnt("remote_total"));
    let per_gb = |s: f64| if bytes > 0 { s / (bytes as f64 / 1e9) } else { 0.0 };
    CpuUse {
        client_s,
        server_s,
        client_s_per_gb: per_gb(client_s),
        server_s_per_gb: per_gb(server_s),
        ..CpuUse::default()
    }
}
