//! A database's own figures beside what its devices counted in the same time: are the bytes conserved?

use crate::format;
use jiff::Timestamp;
use serde::Serialize;
use std::fmt::Write as _;

/// A report of a database beside a recording.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DatabaseBeside {
    /// The report's file.
    pub source: String,
    /// The database that it names.
    pub db_name: Option<String>,
    /// The beginning of the report's interval.
    pub from: Timestamp,
    /// Its end.
    pub to: Timestamp,
    /// The devices under the database's files.
    pub devices: Vec<String>,
    /// What was read; null: missing in the report or in the recording.
    pub read: Option<Balance>,
    /// What was written.
    pub written: Option<Balance>,
}

/// One direction as both sides count it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Balance {
    /// By the database, bytes per second.
    pub database_bytes_per_s: f64,
    /// By its devices, bytes per second.
    pub devices_bytes_per_s: f64,
    /// Both agree.
    pub conserved: bool,
}

impl DatabaseBeside {
    /// What a person reads.
    pub fn text(&self) -> String {
        let name = self.db_name.as_deref().unwrap_or("a database");
        let mut text = format!("{} of {name} compared with {}\n", self.source, self.devices.join(" "));
        for (what, balance) in [("read", &self.read), ("written", &self.written)] {
            let Some(balance) = balance else {
                let _ = writeln!(text, "  {what}: missing in the report or in the recording");
                continue;
            };
            let _ = writeln!(
                text,
                "  {what}: {} by the database, {} by the devices: {}",
                format::rate(balance.database_bytes_per_s),
                format::rate(balance.devices_bytes_per_s),
                balance.verdict()
            );
        }
        text
    }
}

impl Balance {
    fn verdict(&self) -> &'static str {
        if self.conserved {
            "conserved"
        } else if self.devices_bytes_per_s > self.database_bytes_per_s {
            "the devices moved more: other programs, redo members or copies also use them"
        } else {
            "the devices moved less: a cache answered, or the files are on other devices"
        }
    }
}
