//! `fullwire schema`.

use crate::output::Show;
use anyhow::{Context, Result};
use fullwire_present::json::{document_names, schema};
use std::process::ExitCode;

pub(crate) fn run(name: Option<&str>, _show: &Show) -> Result<ExitCode> {
    let Some(name) = name else {
        let names: String = document_names().map(|name| name + "\n").collect();
        Show::text(&names)?;
        return Ok(ExitCode::SUCCESS);
    };
    let schema =
        schema(name).with_context(|| format!("there is no document {name}; `fullwire schema` lists all"))?;
    Show::source(schema)?;
    Ok(ExitCode::SUCCESS)
}
