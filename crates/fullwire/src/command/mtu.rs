//! `fullwire mtu`: the path MTU, both ways.

use crate::cli::MtuArgs;
use crate::output::Show;
use crate::output::progress::Progress;
use crate::peer::reached::Reached;
use crate::session;
use crate::session::Session;
use crate::signals;
use anyhow::{Result, bail};
use fullwire_model::mtu::MtuPlan;
use fullwire_present::{json, terminal};
use std::process::ExitCode;
use std::time::Duration;

/// A responder that is there answers much faster; one that is not must not hold the rest up.
const RESPONDER_WITHIN: Duration = Duration::from_secs(2);

pub(crate) fn run(args: &MtuArgs, show: &Show) -> Result<ExitCode> {
    let stop = signals::on_signals()?;
    let mut session = Session::live("mtu", &args.keep)?;
    session.judge_by(&args.judge, &[])?;
    let reached = Reached::open(&args.target, &args.key, RESPONDER_WITHIN, &stop)?;
    session.observe(&reached.addresses()?);
    session::net::introduce(&mut session, &args.target, None);
    let plan = MtuPlan {
        target: args.target.clone(),
        timeout_ns: u64::try_from(args.timeout.as_nanos()).unwrap_or(u64::MAX),
        hops: !args.no_hops,
        gain: !args.no_gain,
    };
    let progress = Progress::new(show, Duration::from_secs(5));
    session::net::path_mtu(&mut session, &plan, &reached, &progress, &stop)?;
    drop(progress);

    let outcome = session.finish();
    let documents = json::mtu(&outcome.run, &outcome.assessment);
    let Some(document) = documents.first() else { bail!("nothing was measured to {}", args.target) };
    outcome.show(show, document, || terminal::report(&outcome.report()).render(true))?;
    outcome.keep(&args.keep, show);
    Ok(outcome.exit_code_of_probes(args.judge.fail_on))
}
