//! Records as trees of JSON, by way of their text. serde makes code for each pair of a record and a form that it is written
//! in or read from, megabytes of it in all: text is the one form that every record has anyway.

pub mod bounded;
mod objects;

use crate::assessment::Assessment;
use crate::counters::Counters;
use crate::host::Host;
use crate::live::Live;
use crate::mesh::Mesh;
use crate::{Run, Window};
use objects::{Objects, Room};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Result, Value};

/// Most memory that the records of one document take, bytes: a host with 20,000 block devices takes a quarter of it. Whoever
/// sends a document may be anyone: a peer, a node, an agent, whoever wrote a kept run.
pub const MEMORY_LIMIT_BYTES: usize = 96 << 20;

/// A record that several crates read and write. Its code, and that of all records in it, is made here: a crate has its own
/// copy of what it asks of serde, unless a crate that it depends on has one already.
pub trait Record: Sized {
    /// From text.
    fn read(text: &[u8]) -> Result<Self>;
    /// As text.
    fn write(&self) -> Result<Vec<u8>>;
}

macro_rules! records {
    ($($record:ty)*) => {$(
        impl Record for $record {
            fn read(text: &[u8]) -> Result<Self> {
                read(text)
            }

            fn write(&self) -> Result<Vec<u8>> {
                serde_json::to_vec(self)
            }
        }
    )*};
}

records! { Run Window Host Counters Mesh Assessment Live }

/// A record as a tree.
pub fn tree(record: &impl Serialize) -> Result<Value> {
    serde_json::from_slice(&serde_json::to_vec(record)?)
}

/// The record of a tree.
pub fn of_tree<R: DeserializeOwned>(tree: &Value) -> Result<R> {
    read(&serde_json::to_vec(tree)?)
}

/// The record of a text, of whose records each is an object, and which together take at most [`MEMORY_LIMIT_BYTES`].
pub fn read<'text, R: Deserialize<'text>>(text: &'text [u8]) -> Result<R> {
    Ok(weighed(text)?.0)
}

/// The tree that a text begins with, whatever comes after it, which takes no more: `0,` is two bytes of text and 32 of memory.
pub fn first(text: &str) -> Result<Value> {
    let room = Room::of(MEMORY_LIMIT_BYTES);
    Value::deserialize(Objects(&mut serde_json::Deserializer::from_str(text), &room))
}

/// The same, and the bytes that its lists and maps take in memory.
pub fn weighed<'text, R: Deserialize<'text>>(text: &'text [u8]) -> Result<(R, usize)> {
    let mut text = serde_json::Deserializer::from_slice(text);
    let room = Room::of(MEMORY_LIMIT_BYTES);
    let record = R::deserialize(Objects(&mut text, &room))?;
    text.end()?;
    Ok((record, MEMORY_LIMIT_BYTES - room.left_bytes()))
}

/// A record as text for a person too: a field a line.
pub fn pretty(record: &impl Serialize) -> Result<String> {
    Ok(format!("{:#}\n", tree(record)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specimen::specimen;

    #[test]
    fn a_run_comes_back_from_its_tree_and_reads_as_serde_writes_it() {
        let run: Run = specimen(1);
        assert_eq!(Run::read(&run.write().unwrap()).unwrap(), run);
        assert_eq!(of_tree::<Run>(&tree(&run).unwrap()).unwrap(), run);
        assert_eq!(pretty(&run).unwrap(), serde_json::to_string_pretty(&run).unwrap() + "\n");
    }

    #[test]
    fn a_record_is_no_array_and_nothing_follows_it() {
        let error = |text: &str| read::<crate::Gap>(text.as_bytes()).unwrap_err().to_string();
        let gap = r#"{"subject": "/proc/stat", "reason": "malformed", "detail": "line 3"}"#;
        assert_eq!(read::<crate::Gap>(gap.as_bytes()).unwrap().detail, "line 3");
        let array = error(r#"["/proc/stat", "malformed", "line 3"]"#);
        assert!(array.starts_with("invalid type: sequence, expected struct Gap"), "{array}");
        assert!(error(r#"{"subject": 7}"#).ends_with("at line 1 column 13"));
        assert!(error(&format!("{gap} {gap}")).starts_with("trailing characters"));
    }

    #[test]
    fn a_document_is_bounded_by_what_its_records_take_in_memory() {
        let most = MEMORY_LIMIT_BYTES / size_of::<crate::host::Disk>();
        assert!(most > 50_000, "a large host fits: {most} block devices");
        let disks = |count: usize| format!("{{\"disks\":[{}{{}}]}}", "{},".repeat(count - 1));
        assert_eq!(read::<Host>(disks(20_000).as_bytes()).unwrap().disks.len(), 20_000);
        // A list has a limit of its own, which may be reached before.
        let (most, why) = match most {
            most if most < 65_536 => (most, "it holds more records than any host has"),
            _ => (65_536, "a list of more than 65536 values"),
        };
        let error = read::<Host>(disks(most + 1).as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(why), "{error}");
        let refused = |list: &str, most: usize| {
            let text = format!("{{\"{list}\":[{}{{}}]}}", "{},".repeat(most));
            let of_host = ["mounts", "multipath"].contains(&list);
            let read = |text: &[u8]| if of_host { read::<Host>(text).err() } else { read::<Run>(text).err() };
            read(text.as_bytes()).expect("too many").to_string()
        };
        for (list, most) in [("mounts", 8192), ("multipath", 4096), ("net", 1024), ("disk", 1024)] {
            let refused = refused(list, most);
            assert!(refused.starts_with(&format!("a list of more than {most} values")), "{list}: {refused}");
        }
        // Where it stops is where the room ends, not where the text does.
        let column: usize = error.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(column < 3 * most + 100, "{error}");
        // Keys are no way around it, and neither are lists in lists.
        let keys: String = (0..4_000_000).map(|key| format!("\"{key}\":\"\",")).collect();
        assert!(read::<Host>(format!("{{\"sysctl_ignored\":{{{keys}\"x\":\"\"}}}}").as_bytes()).is_err());
    }

    /// A document of another tool is a tree, of which each value takes sixteen times as much as its text.
    #[test]
    fn a_tree_is_bounded_as_a_record_is() {
        let zeros = |count: usize| format!("{{\"x\":[{}0]}}", "0,".repeat(count));
        let (few, many) = (zeros(1_000_000), zeros(4_000_000));
        assert_eq!(first(&format!("{few} and more")).unwrap(), read::<Value>(few.as_bytes()).unwrap());
        // Room for more is made with the first value of each.
        for of_one in ["{\"\":0},", "[0],"] {
            let many = format!("[{}0]", of_one.repeat(300_000));
            assert!(read::<Value>(many.as_bytes()).is_err(), "{of_one}");
        }
        for error in [first(&many).err(), read::<Value>(many.as_bytes()).err()] {
            assert!(error.expect("too many").to_string().starts_with("it holds more records"));
        }
    }

    #[test]
    fn no_number_changes_on_its_way_through_the_text() {
        let numbers = [f64::MAX, f64::MIN_POSITIVE, 0.1 + 0.2, -0.0, 1e21, 1e-7, 3.0];
        assert_eq!(tree(&numbers).unwrap(), serde_json::to_value(numbers).unwrap());
        assert_eq!(tree(&[u64::MAX]).unwrap(), serde_json::to_value([u64::MAX]).unwrap());
    }
}
