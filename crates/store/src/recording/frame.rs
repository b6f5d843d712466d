//! Samples as key frames and differences: typed counters in, compressed bytes out, and back.

use super::codec;
use fullwire_model::counters::Counters;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;

/// A frame unpacks to at most this: a host of 10,000 disks has 4 MB of counters.
const LARGEST_BYTES: u64 = 64 << 20;

/// After so many bytes of differences the size of the tree is looked at.
const GROWN_BYTES: usize = 4 << 20;

/// zstd's default: a key frame of 1,000 disks packs to about a tenth in a few milliseconds.
const LEVEL: i32 = 3;

/// Packs a value: JSON, zstd with a checksum.
pub(crate) fn pack<V: Serialize>(value: &V) -> std::io::Result<Vec<u8>> {
    let json = serde_json::to_vec(value)?;
    let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
    encoder.include_checksum(true)?;
    std::io::copy(&mut &json[..], &mut encoder)?;
    encoder.finish()
}

/// Unpacks what [`pack`] packed. The error says what is wrong with the bytes.
pub(crate) fn unpack<V: DeserializeOwned>(body: &[u8]) -> Result<V, String> {
    fullwire_model::json::read(&text(body)?).map_err(|error| error.to_string())
}

fn text(body: &[u8]) -> Result<Vec<u8>, String> {
    let mut json = Vec::new();
    let decoder = zstd::Decoder::new(body).map_err(|error| error.to_string())?;
    let length = decoder.take(LARGEST_BYTES + 1).read_to_end(&mut json).map_err(|error| error.to_string())?;
    if length as u64 > LARGEST_BYTES {
        return Err(format!("it unpacks to more than {LARGEST_BYTES} bytes"));
    }
    Ok(json)
}

/// The body of a difference; empty when nothing changed.
pub(crate) fn pack_difference(from: &Counters, to: &Counters) -> std::io::Result<Vec<u8>> {
    let (from, to) = (serde_json::to_value(thin(from, to))?, serde_json::to_value(thin(to, from))?);
    codec::difference(&from, &to).map_or_else(|| Ok(Vec::new()), |change| pack(&change))
}

/// Applies the body of a difference to a key frame's tree. `grown_bytes`: what all differences had since the tree was looked
/// at; each of them is small, and a thousand of them that only add would fill the memory.
pub(crate) fn apply(tree: &mut Value, body: &[u8], grown_bytes: &mut usize) -> Result<(), String> {
    if body.is_empty() {
        return Ok(());
    }
    let text = text(body)?;
    let change: Value = fullwire_model::json::read(&text).map_err(|error| error.to_string())?;
    codec::apply(tree, change).map_err(str::to_owned)?;
    *grown_bytes += text.len();
    if *grown_bytes > GROWN_BYTES {
        *grown_bytes = 0;
        if values(tree) * size_of::<Value>() > fullwire_model::json::MEMORY_LIMIT_BYTES {
            return Err("it holds more records than any host has".to_owned());
        }
    }
    Ok(())
}

/// How many values a tree has.
fn values(tree: &Value) -> usize {
    1 + match tree {
        Value::Array(list) => list.iter().map(values).sum(),
        // A key and what the map needs for it weigh as much as a few values.
        Value::Object(map) => map.values().map(|value| 3 + values(value)).sum(),
        _ => 0_usize,
    }
}

/// The counters without the entries of its large maps that are the same in another reading: most devices of a large host
/// are idle, and what is the same at both ends adds nothing to a difference.
fn thin(one: &Counters, other: &Counters) -> Counters {
    Counters {
        disks: changed(&one.disks, &other.disks),
        nics: changed(&one.nics, &other.nics),
        interrupts: changed(&one.interrupts, &other.interrupts),
        idle_states: changed(&one.idle_states, &other.idle_states),
        snmp: changed(&one.snmp, &other.snmp),
        vmstat: changed(&one.vmstat, &other.vmstat),
        errors: changed(&one.errors, &other.errors),
        qdiscs: changed(&one.qdiscs, &other.qdiscs),
        nfs: changed(&one.nfs, &other.nfs),
        cpus: changed(&one.cpus, &other.cpus),
        softnet: changed(&one.softnet, &other.softnet),
        monotonic_ns: one.monotonic_ns,
        cpu: one.cpu.clone(),
        load: one.load,
        procs_running: one.procs_running,
        procs_blocked: one.procs_blocked,
        mem_available_bytes: one.mem_available_bytes,
        swap_free_bytes: one.swap_free_bytes,
        pressure: one.pressure.clone(),
        tcp_mem_pages: one.tcp_mem_pages,
        conntrack_count: one.conntrack_count,
        neighbours: one.neighbours,
        neighbour_overflows: one.neighbour_overflows,
        neighbour_macs: one.neighbour_macs.clone(),
        sockets: one.sockets.clone(),
        cgroups: one.cgroups.clone(),
        rpc_client: one.rpc_client,
        files_open: one.files_open,
        aio_nr: one.aio_nr,
        threads: one.threads.clone(),
        processes: one.processes.clone(),
        gaps: one.gaps.clone(),
    }
}

fn changed<K: Ord + Clone, V: PartialEq + Clone>(
    one: &BTreeMap<K, V>,
    other: &BTreeMap<K, V>,
) -> BTreeMap<K, V> {
    let differs = |(key, value): &(&K, &V)| other.get(key) != Some(value);
    one.iter().filter(differs).map(|(key, value)| (key.clone(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::counters::{DiskCounters, SocketCounters};
    use proptest::prelude::*;

    fn counters() -> impl Strategy<Value = Counters> {
        let disk = (any::<u64>(), any::<u32>(), proptest::option::of(any::<u64>())).prop_map(
            |(reads, in_flight, flushes)| DiskCounters {
                reads,
                in_flight: in_flight.into(),
                flushes,
                ..DiskCounters::default()
            },
        );
        let disks = proptest::collection::btree_map("sd[a-d]", disk, 0..4);
        let interrupts =
            proptest::collection::btree_map("eth[0-2]", proptest::collection::vec(any::<u64>(), 0..4), 0..3);
        let sockets = proptest::collection::vec(("[a-b]", any::<u64>()), 0..3);
        (disks, interrupts, sockets, proptest::option::of(0.0..1e3_f64), any::<u64>()).prop_map(
            |(disks, interrupts, sockets, load, monotonic_ns)| Counters {
                disks,
                interrupts,
                sockets: sockets
                    .into_iter()
                    .map(|(local, inode)| SocketCounters { local, inode, ..SocketCounters::default() })
                    .collect(),
                load: load.map(|load| [load, 0.0, 1.0]),
                monotonic_ns,
                ..Counters::default()
            },
        )
    }

    proptest! {
        #[test]
        fn a_key_frame_and_its_differences_give_the_counters_back(all in proptest::collection::vec(counters(), 1..5)) {
            let mut tree: Value = unpack(&pack(&all[0]).unwrap()).map_err(TestCaseError::fail)?;
            for pair in all.windows(2) {
                let change = pack_difference(&pair[0], &pair[1]).unwrap();
                apply(&mut tree, &change, &mut 0).map_err(TestCaseError::fail)?;
                let back: Counters = serde_json::from_value(tree.clone()).unwrap();
                prop_assert_eq!(&back, &pair[1]);
            }
        }

        #[test]
        fn mangled_bodies_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut tree = serde_json::to_value(Counters::default()).unwrap();
            let _ = apply(&mut tree, &bytes, &mut 0);
        }
    }
}
