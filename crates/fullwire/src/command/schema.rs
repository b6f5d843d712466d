//! `fullwire schema`.

use crate::output::Show;
use anyhow::{Context, Result};
use fullwire_present::json::{SCHEMAS, schema};
use std::process::ExitCode;

pub(crate) fn run(name: Option<&str>, _show: &Show) -> Result<ExitCode> {
    let Some(name) = name else {
        let names: String = SCHEMAS.iter().map(|(short, _)| format!("fullwire.{short}/1\n")).collect();
        Show::text(&names)?;
        return Ok(ExitCode::SUCCESS);
    };
    let schema =
        schema(name).with_context(|| format!("there is no document {name}; `fullwire schema` lists all"))?;
    Show::source(&format!("{}\n", serde_json::to_string_pretty(&schema)?))?;
    Ok(ExitCode::SUCCESS)
}
