//! `fullwire script`: the advised steps of a kept run as a script that a person reads; it calls `fullwire apply`.

use crate::cli::{ScriptArgs, ScriptFormat};
use crate::output::{Show, write_to};
use crate::remedy::present::done_elsewhere;
use crate::session::last::of_this_host;
use crate::session::store::read_store;
use anyhow::Result;
use fullwire_present::script::{self, Script};
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &ScriptArgs, show: &Show) -> Result<ExitCode> {
    let run = of_this_host(&*read_store(args.store.as_deref())?, &args.run, &args.finding)?;
    let assessment = fullwire_rules::assess(&run);
    let findings = super::meant(&assessment, &run.run_id, &args.finding)?;
    let store = args.store.as_deref().and_then(Path::to_str);
    let about = fullwire_present::description(&run.host);
    let hostname = &run.host.hostname;
    let refused = done_elsewhere(&run);
    let script = Script {
        run_id: &run.run_id,
        hostname,
        about: &about,
        store,
        findings: &findings,
        refused: refused.as_deref(),
    };
    let text = match args.format {
        ScriptFormat::Sh => script::shell(&script),
        ScriptFormat::Ansible => script::ansible(&script),
    };
    write_to(Path::new("-"), &text)?;
    if findings.is_empty() {
        show.note(super::nothing(&assessment));
    }
    Ok(ExitCode::SUCCESS)
}
