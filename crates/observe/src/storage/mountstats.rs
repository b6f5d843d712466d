//! `/proc/self/mountstats`: what each NFS mount did, with every transport and every operation.
//!
//! The `device` lines name the mount, indented lines follow. Columns: the kernel's net/sunrpc/{stats,xprtsock}.c
//! and fs/nfs/super.c; statvers 1.0 and 1.1 are alike except for the errors column of operations.

use super::complaint::Complaints;
use super::mountinfo::unescape;
use fullwire_model::Gap;
use fullwire_model::counters::{NfsCounters, NfsOperation, NfsTransport};

/// Mounts, transports of one mount and operations of one mount that are kept.
const MOUNTS_LIMIT: usize = 1024;
const TRANSPORTS_LIMIT: usize = 256;
const OPERATIONS_LIMIT: usize = 256;

/// One NFS mount of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NfsStatistics {
    /// `filer:/vol/ora`.
    pub source: String,
    /// Mount point.
    pub target: String,
    /// Options as negotiated.
    pub options: Vec<String>,
    /// Seconds since it was mounted.
    pub age_s: Option<u64>,
    /// Its counters.
    pub counters: NfsCounters,
}

/// Reads the NFS mounts of `/proc/self/mountstats`.
pub fn parse_mountstats(text: &str, subject: &str, gaps: &mut Vec<Gap>) -> Vec<NfsStatistics> {
    let mut complaints = Complaints::new(subject, gaps);
    let mut mounts: Vec<NfsStatistics> = Vec::new();
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("device ") {
            let started = device_line(rest);
            inside = started.is_some() && mounts.len() < MOUNTS_LIMIT;
            mounts.extend(started.filter(|_| inside));
        } else if inside
            && let Some(mount) = mounts.last_mut()
            && let Err(expected) = detail_line(line, mount)
        {
            complaints.line(index, expected);
        }
    }
    mounts
}

/// `SOURCE mounted on TARGET with fstype TYPE …`; nothing for what is not NFS.
fn device_line(rest: &str) -> Option<NfsStatistics> {
    let (source, rest) = rest.split_once(" mounted on ")?;
    let (target, rest) = rest.split_once(" with fstype ")?;
    let fs_type = rest.split_whitespace().next()?;
    matches!(fs_type, "nfs" | "nfs4").then(|| NfsStatistics {
        source: unescape(source),
        target: unescape(target),
        ..NfsStatistics::default()
    })
}

fn detail_line(line: &str, mount: &mut NfsStatistics) -> Result<(), &'static str> {
    let Some((key, values)) = line.split_once(':') else { return Ok(()) };
    match key {
        "opts" => {
            mount.options = values
                .split(',')
                .map(|option| option.trim().to_owned())
                .filter(|option| !option.is_empty())
                .collect();
        }
        "age" => mount.age_s = values.split_whitespace().next().and_then(|age| age.parse().ok()),
        "bytes" => bytes_line(values, &mut mount.counters).ok_or("six or more numbers after bytes:")?,
        "xprt" => {
            let transport = transport_line(values).ok_or("a transport and its counters after xprt:")?;
            if mount.counters.transports.len() < TRANSPORTS_LIMIT {
                mount.counters.transports.push(transport);
            }
        }
        _ if is_operation(key) => {
            let operation = operation_line(values).ok_or("eight or nine numbers after an operation")?;
            if mount.counters.operations.len() < OPERATIONS_LIMIT {
                mount.counters.operations.insert(key.to_owned(), operation);
            }
        }
        _ => {} // caps, events, sec, nfsv4, impl_id, RPC iostats version: nothing that is judged
    }
    Ok(())
}

fn is_operation(key: &str) -> bool {
    !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

fn numbers(values: &str) -> Vec<u64> {
    values.split_whitespace().map_while(|word| word.parse().ok()).collect()
}

fn bytes_line(values: &str, counters: &mut NfsCounters) -> Option<()> {
    if let [normal_read, normal_write, direct_read, direct_write, server_read, server_write, ..] =
        numbers(values).as_slice()
    {
        counters.normal_read_bytes = *normal_read;
        counters.normal_write_bytes = *normal_write;
        counters.direct_read_bytes = *direct_read;
        counters.direct_write_bytes = *direct_write;
        counters.server_read_bytes = *server_read;
        counters.server_write_bytes = *server_write;
        return Some(());
    }
    None
}

/// Which of the numbers behind a transport's name is what.
struct Columns {
    port: Option<usize>,
    connects: Option<usize>,
    sends: usize,
    has_slots: bool,
}

impl Columns {
    fn of(protocol: &str) -> Option<Self> {
        match protocol {
            // port, binds, connects, connect time, idle time, then the common ones
            "tcp" => Some(Self { port: Some(0), connects: Some(2), sends: 5, has_slots: true }),
            "rdma" => Some(Self { port: Some(0), connects: Some(2), sends: 5, has_slots: false }),
            "udp" => Some(Self { port: Some(0), connects: None, sends: 2, has_slots: true }),
            "local" => Some(Self { port: None, connects: Some(1), sends: 4, has_slots: true }),
            _ => None,
        }
    }
}

fn transport_line(values: &str) -> Option<NfsTransport> {
    let values = values.trim_start();
    let (protocol, rest) = values.split_once(char::is_whitespace)?;
    let columns = Columns::of(protocol)?;
    let numbers = numbers(rest);
    let at = |index: usize| numbers.get(index).copied();
    Some(NfsTransport {
        protocol: protocol.to_owned(),
        port: columns.port.and_then(at).unwrap_or_default(),
        connects: columns.connects.and_then(at).unwrap_or_default(),
        sends: at(columns.sends)?,
        receives: at(columns.sends + 1)?,
        bad_xids: at(columns.sends + 2)?,
        inflight: at(columns.sends + 3)?,
        backlog: at(columns.sends + 4)?,
        max_slots: if columns.has_slots { at(columns.sends + 5) } else { None },
    })
}

fn operation_line(values: &str) -> Option<NfsOperation> {
    let numbers = numbers(values);
    let [operations, transmissions, timeouts, sent, received, queue, rtt, execute, rest @ ..] =
        numbers.as_slice()
    else {
        return None;
    };
    Some(NfsOperation {
        operations: *operations,
        transmissions: *transmissions,
        timeouts: *timeouts,
        sent_bytes: *sent,
        received_bytes: *received,
        queue_ms: *queue,
        rtt_ms: *rtt,
        execute_ms: *execute,
        errors: rest.first().copied(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "device sysfs mounted on /sys with fstype sysfs\n\
        device filer:/a\\040b mounted on /mnt/a with fstype nfs statvers=1.1\n\
        \topts:\trw,vers=3,nconnect=2\n\
        \tage:\t17 (seconds)\n\
        \tcaps:\tcaps=0xf,wtmult=4096,dtsize=65536,bsize=0\n\
        \tbytes:\t1 2 3 4 5 6 0 0 \n\
        \txprt:\ttcp 720 1 2 0 0 2161 2160 3 3946 7 4 8 1783\n\
        \txprt:\tudp 832 0 6428 6427 1 12154 2 24 26 5726\n\
        \txprt:\trdma 0 1 9 0 0 10 11 12 13 14 99 99\n\
        \tper-op statistics\n\
        \t        READ: 3216 3217 1 321600 210126848 94 1365 1541 5\n\
        \t       WRITE: 1 2 3 4 5 6 7 8\n\
        \t      COMMIT: 1 2\n";

    #[test]
    fn reads_every_transport_and_operation() {
        let mut gaps = Vec::new();
        let mounts = parse_mountstats(TEXT, "proc/self/mountstats", &mut gaps);
        assert_eq!(mounts.len(), 1);
        let mount = &mounts[0];
        assert_eq!((mount.source.as_str(), mount.age_s), ("filer:/a b", Some(17)));
        let connects: Vec<u64> =
            mount.counters.transports.iter().map(|transport| transport.connects).collect();
        assert_eq!(connects, [2, 0, 9]);
        let udp = &mount.counters.transports[1];
        assert_eq!(
            (udp.sends, udp.receives, udp.bad_xids, udp.inflight, udp.backlog),
            (6428, 6427, 1, 12154, 2)
        );
        assert_eq!(mount.counters.transports[2].max_slots, None);
        let read = &mount.counters.operations["READ"];
        assert_eq!((read.transmissions, read.execute_ms, read.errors), (3217, 1541, Some(5)));
        assert_eq!(mount.counters.operations["WRITE"].errors, None);
        assert_eq!(gaps.len(), 1);
        assert!(gaps[0].detail.starts_with("proc/self/mountstats:13:"), "{gaps:?}");
    }
}
