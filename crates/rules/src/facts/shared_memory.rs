//! How large an instance's shared memory is: by its mappings, else by the segments of its owner. A support bundle
//! has no process's mappings.

use fullwire_model::host::{Database, Host, SharedSegment};

thresholds! {
    /// Shared-memory segments below 100 MiB are not counted as an SGA: each instance has some of a few MiB beside it.
    pub(crate) const NOTABLE_BYTES: u64 = 100 << 20;
    /// So much of the memory may be shared: the rest is for processes and the kernel (as `sga-exceeds-memory` has it).
    const MOST_SHARED: f64 = 0.90;
}

/// Shared memory of one Oracle instance, bytes: its mappings, otherwise the attached segments that its own process created,
/// else those of its owner if the owner has no other instance. Where the other is that of ASM, the largest segment is
/// the database's. Of several databases the segments tell the sum alone.
pub(crate) fn shared_memory(host: &Host, database: &Database) -> Option<u64> {
    database.shared_memory_bytes.or_else(|| {
        let uid = database.uid?;
        let of_owner = || instances(host).filter(|other| other.uid.is_none_or(|other| other == uid));
        if of_owner().count() == 1 {
            return attached(host, &[uid]);
        }
        let own = notable(host).filter(|segment| database.pid > 0 && segment.creator_pid == database.pid);
        own.map(|segment| segment.size_bytes).reduce(u64::saturating_add).or_else(|| {
            let alone =
                database.kind == "oracle" && of_owner().filter(|other| other.kind == "oracle").count() == 1;
            let sizes = notable(host).filter(|segment| segment.uid == uid).map(|segment| segment.size_bytes);
            alone.then(|| sizes.max())?
        })
    })
}

/// So many bytes fit beside processes and the kernel; also where the memory is not known.
pub(crate) fn memory_holds(host: &Host, bytes: u64) -> bool {
    host.memory.total_bytes.is_none_or(|total| bytes as f64 <= MOST_SHARED * total as f64)
}

/// Shared memory of all Oracle instances of this host, bytes.
pub(crate) fn oracle_shared_memory(host: &Host) -> Option<u64> {
    let databases: Vec<&Database> = instances(host).filter(|database| database.kind == "oracle").collect();
    let mut mapped = databases.iter().map(|database| database.shared_memory_bytes);
    let sum = mapped.try_fold(0, |sum: u64, part| Some(sum.saturating_add(part?)));
    if sum.is_some() && !databases.is_empty() {
        return sum;
    }
    let owners: Option<Vec<u32>> = databases.iter().map(|database| database.uid).collect();
    attached(host, &owners?).or_else(|| {
        let known = databases.iter().filter_map(|database| database.shared_memory_bytes);
        known.reduce(u64::saturating_add)
    })
}

/// The largest segment that Oracle has attached.
pub(crate) fn largest_oracle_segment(host: &Host) -> Option<&SharedSegment> {
    let owners = super::oracle_owners(host);
    let of_oracle = notable(host).filter(|segment| owners.contains(&segment.uid));
    of_oracle.max_by_key(|segment| segment.size_bytes)
}

fn instances(host: &Host) -> impl Iterator<Item = &Database> {
    host.databases.iter().filter(|database| database.kind.starts_with("oracle"))
}

fn notable(host: &Host) -> impl Iterator<Item = &SharedSegment> {
    let segments = host.ipc.segments.iter();
    segments.filter(|segment| segment.attached > 0 && segment.size_bytes >= NOTABLE_BYTES)
}

/// Bytes in the notable attached segments of these owners; `None` if there are none (then the memory may be in
/// `/dev/shm`).
fn attached(host: &Host, owners: &[u32]) -> Option<u64> {
    let sizes = notable(host).filter(|segment| owners.contains(&segment.uid));
    sizes.map(|segment| segment.size_bytes).reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::host::Ipc;

    fn host(instances: &[(&str, u32)]) -> Host {
        let segment =
            |uid, size_bytes, attached| SharedSegment { uid, size_bytes, attached, ..<_>::default() };
        let segments = vec![
            segment(54_321, 192 << 30, 70),
            segment(54_321, 12 << 20, 70),
            segment(54_321, 64 << 30, 0),
            segment(26, 16 << 30, 9),
        ];
        let database = |&(kind, uid): &(&str, u32)| Database {
            kind: kind.to_owned(),
            uid: Some(uid),
            ..Database::default()
        };
        Host {
            databases: instances.iter().map(database).collect(),
            ipc: Ipc { segments, ..Ipc::default() },
            ..Host::default()
        }
    }

    #[test]
    fn segments_of_the_owner_tell_the_sga_of_its_only_instance() {
        let host = host(&[("oracle", 54_321), ("oracle-asm", 54_322)]);
        assert_eq!(shared_memory(&host, &host.databases[0]), Some(192 << 30));
        assert_eq!(oracle_shared_memory(&host), Some(192 << 30));
        assert_eq!(largest_oracle_segment(&host).map(|segment| segment.size_bytes), Some(192 << 30));
    }

    #[test]
    fn beside_asm_the_largest_segment_is_the_databases() {
        let mut host = host(&[("oracle", 54_321), ("oracle-asm", 54_321)]);
        let own = SharedSegment {
            uid: 54_321,
            size_bytes: 1 << 30,
            attached: 60,
            creator_pid: 7,
            ..<_>::default()
        };
        host.ipc.segments.push(own);
        assert_eq!(shared_memory(&host, &host.databases[0]), Some(192 << 30));
        assert_eq!(shared_memory(&host, &host.databases[1]), None);
        host.databases[1].pid = 7;
        assert_eq!(shared_memory(&host, &host.databases[1]), Some(1 << 30), "its process created it");
    }

    #[test]
    fn of_two_instances_of_one_owner_the_sum_alone_is_known() {
        let host = host(&[("oracle", 54_321), ("oracle", 54_321)]);
        assert_eq!(shared_memory(&host, &host.databases[0]), None);
        assert_eq!(oracle_shared_memory(&host), Some(192 << 30));
    }

    #[test]
    fn an_sga_that_is_in_no_segment_is_not_known() {
        let host = host(&[("oracle", 500)]);
        assert_eq!(shared_memory(&host, &host.databases[0]), None);
        assert_eq!(oracle_shared_memory(&host), None);
    }
}
