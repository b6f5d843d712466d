//! Records as trees of JSON, by way of their text. serde makes code for each pair of a record and a form that it is written
//! in or read from, megabytes of it in all: text is the one form that every record has anyway.

mod objects;

use crate::assessment::Assessment;
use crate::counters::Counters;
use crate::host::Host;
use crate::live::Live;
use crate::mesh::Mesh;
use crate::{Run, Window};
use objects::Objects;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Result, Value};

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

/// The record of a text, of whose records each is an object.
pub fn read<'text, R: Deserialize<'text>>(text: &'text [u8]) -> Result<R> {
    let mut text = serde_json::Deserializer::from_slice(text);
    let record = R::deserialize(Objects(&mut text))?;
    text.end()?;
    Ok(record)
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
    fn no_number_changes_on_its_way_through_the_text() {
        let numbers = [f64::MAX, f64::MIN_POSITIVE, 0.1 + 0.2, -0.0, 1e21, 1e-7, 3.0];
        assert_eq!(tree(&numbers).unwrap(), serde_json::to_value(numbers).unwrap());
        assert_eq!(tree(&[u64::MAX]).unwrap(), serde_json::to_value([u64::MAX]).unwrap());
    }
}
