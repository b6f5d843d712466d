//! `fullwire`: does the I/O path of this database server run at full wire; if not, which layer is at fault?
#![forbid(unsafe_code)]

mod allowance;
mod ask;
mod cli;
mod command;
mod complete;
mod database;
mod demand;
#[cfg(feature = "estate")]
mod estate;
mod experiment;
mod journal;
mod man;
mod mesh;
mod metrics;
mod oratcptest;
mod output;
mod peer;
mod recorder;
mod remedy;
mod repeats;
mod screen;
mod session;
mod sides;
mod signals;
#[cfg(test)]
#[path = "../../../tests/skips.rs"]
mod skips;
mod usage;
#[cfg(feature = "live-databases")]
mod users;
mod words;

use clap::{CommandFactory as _, FromArgMatches as _};
use clap_complete::CompleteEnv;
use cli::{Cli, Command, FIRST_STEPS};
use output::{Show, charset};
use std::io::IsTerminal as _;
use std::process::ExitCode;

/// Could not be done; stderr says why.
const FAILED: u8 = 3;

fn main() -> ExitCode {
    if std::env::var_os(complete::VARIABLE).is_some() {
        CompleteEnv::with_factory(Cli::command).var(complete::VARIABLE).complete();
    }
    // The jar's options are text; what is not is left to clap, which says so.
    let text = std::env::args_os().all(|argument| argument.to_str().is_some());
    let by_name = if text { command::oratcptest::called_by_name() } else { None };
    if std::env::args_os().len() == 1 && std::io::stdout().is_terminal() {
        let _ = Show::text(FIRST_STEPS);
        return ExitCode::SUCCESS;
    }
    let first = std::env::args_os().nth(1).filter(|_| text && by_name.is_none()).unwrap_or_default();
    if let Some(told) = cli::not_built(&first.to_string_lossy(), cfg!(feature = "estate")) {
        Show::warn(&told);
        return ExitCode::from(usage::STATUS);
    }
    if let Err(error) = usage::check_variables() {
        Show::warn(&sentence(&error));
        return ExitCode::from(usage::STATUS);
    }
    let cli = match by_name.map_or_else(typed, Ok) {
        Ok(cli) => cli,
        Err(error) => return mistaken(error),
    };
    let show = Show::new(&cli.output);
    run(&cli.command, &show).unwrap_or_else(|error| {
        let text = sentence(&error);
        let ended = signals::raised() && !text.contains("interrupted");
        Show::warn(&if ended { format!("interrupted: {text}") } else { text });
        ExitCode::from(match &error {
            _ if signals::raised() => signals::INTERRUPTED,
            error if usage::is_usage(error) => usage::STATUS,
            _ => FAILED,
        })
    })
}

/// The command line, read.
fn typed() -> Result<Cli, clap::Error> {
    let mut program = cli::program();
    let matches = program.try_get_matches_from_mut(cli::completed(std::env::args_os().collect()))?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut program))
}

/// An error with its causes, each said once: some name their cause themselves.
fn sentence(error: &anyhow::Error) -> String {
    // A part of it may be the word of a peer.
    let part = |error: &dyn std::fmt::Display| output::in_short(&error.to_string()).into_owned();
    let mut text = part(error);
    for cause in error.chain().skip(1).map(|cause| part(&cause)) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

fn run(command: &Command, show: &Show) -> anyhow::Result<ExitCode> {
    match command {
        Command::Assess(args) => command::assess::run(args, show),
        Command::Check(args) => command::check::run(args, show),
        Command::Capture(args) => command::capture::run(args, show),
        Command::Serve(args) => command::serve::run(args, show),
        Command::Net(args) => command::net::run(args, show),
        Command::Mtu(args) => command::mtu::run(args, show),
        Command::Disk(args) => command::disk::run(args, show),
        Command::Mesh(args) => command::mesh::run(args, show),
        #[cfg(feature = "estate")]
        Command::Agent(args) => estate::agent::run(args, show),
        #[cfg(feature = "estate")]
        Command::Coordinator(args) => estate::coordinator::run(args, show),
        #[cfg(feature = "estate")]
        Command::Estate { action } => match action {
            cli::EstateCommand::Up(args) => estate::up(args, show),
            cli::EstateCommand::Enrol(args) => estate::enrol(args, show),
            cli::EstateCommand::Remove(args) => estate::dismiss(args, show),
            cli::EstateCommand::Status(args) => estate::status(args, show),
        },
        Command::Array(args) => command::array::run(args, show),
        Command::Redo(args) => command::redo::run(args, show),
        Command::Awr(args) => command::awr::run(args, show),
        Command::Import(args) => command::import::run(args, show),
        Command::File(args) => command::file::run(args, show),
        Command::Watch(args) => command::watch::run(args, show),
        Command::Replay(args) => command::replay::run(args, show),
        Command::Record(args) => command::record::run(args, show),
        Command::Diff(args) => command::compare::diff::run(args, show),
        Command::Baseline(args) => command::compare::baseline::run(args, show),
        Command::Prove(args) => command::compare::prove::run(args, show),
        Command::History(args) => command::kept::history(args, show),
        Command::Show(args) => command::kept::show(args, show),
        Command::Report(args) => command::kept::report(args, show),
        Command::Script(args) => command::change::script::run(args, show),
        Command::Apply(args) => command::change::apply::run(args, show),
        Command::Export(args) => command::export::run(args),
        Command::Explain(args) => command::rules::explain(args, show),
        Command::Rules(args) => command::rules::list(args, show),
        Command::Schema { name } => command::schema::run(name.as_deref(), show),
        Command::Node(args) => command::node::run(args, show),
        Command::Client => database::client(),
        Command::Watchdog => remedy::watchdog::run(),
        Command::Touch { target } => {
            fullwire_probe::disk::touch(target);
            Ok(ExitCode::SUCCESS)
        }
        Command::Clean(args) => command::change::clean::run(args, show),
        Command::Oratcptest { arguments } => command::oratcptest::run(arguments, show),
        Command::Completions { shell } => command::generate::completions(*shell),
        Command::Monitoring { output } => command::export::monitoring(output, show),
        Command::Man { output } => command::generate::man_pages(output),
    }
}

/// What clap says of the command line; a monitor's plugin has its own status for it.
fn mistaken(error: clap::Error) -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    charset::begin(arguments.iter().any(|word| word == "--ascii"));
    let program = Cli::command();
    let examples = cli::examples(&error, &program, &arguments).unwrap_or_default();
    let error = cli::without_hidden(error, &program, &arguments);
    command::export::plugin_mistake(&arguments, &error).unwrap_or_else(|| said(&error, &examples))
}

/// Help on stdout, a mistake on stderr.
fn said(error: &clap::Error, examples: &str) -> ExitCode {
    let text = format!("{}{examples}", error.render().ansi());
    if error.use_stderr() {
        output::say_mistake(&text);
    } else {
        // A reader that went away is no failure.
        let _ = Show::text(&text);
    }
    ExitCode::from(if error.use_stderr() { usage::STATUS } else { 0 })
}
