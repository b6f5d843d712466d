//! What a mistyped command suggests: never the program's own internal commands and options.

use clap::error::{ContextKind, ContextValue};
use clap::{Command, Error};

/// The error of these arguments without suggestions that no help lists: clap takes them from all commands and options.
pub(crate) fn without_hidden(mut error: Error, program: &Command, arguments: &[String]) -> Error {
    let given = arguments.iter().find_map(|word| program.find_subcommand(word));
    let options = given.map(hidden_options).unwrap_or_default();
    for (kind, hidden) in
        [(ContextKind::SuggestedSubcommand, hidden_commands(program)), (ContextKind::SuggestedArg, options)]
    {
        let shown = match error.remove(kind) {
            Some(ContextValue::Strings(names)) => {
                let names: Vec<String> = names.into_iter().filter(|name| !hidden.contains(name)).collect();
                (!names.is_empty()).then_some(ContextValue::Strings(names))
            }
            Some(ContextValue::String(name)) if hidden.contains(&name) => None,
            other => other,
        };
        if let Some(shown) = shown {
            error.insert(kind, shown);
        }
    }
    error
}

fn hidden_commands(program: &Command) -> Vec<String> {
    let hidden = program.get_subcommands().filter(|command| command.is_hide_set());
    hidden.map(|command| command.get_name().to_owned()).collect()
}

/// As they are typed.
fn hidden_options(command: &Command) -> Vec<String> {
    let hidden = command.get_arguments().filter(|option| option.is_hide_set());
    hidden.filter_map(|option| Some(format!("--{}", option.get_long()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::{CommandFactory as _, Parser as _};

    /// What clap says by itself, and what is shown.
    fn said(words: &[&str]) -> (String, String) {
        let words: Vec<String> =
            [&["fullwire"], words].concat().iter().map(|word| (*word).to_owned()).collect();
        let error = || Cli::try_parse_from(&words).expect_err("a mistake");
        (error().to_string(), without_hidden(error(), &Cli::command(), &words).to_string())
    }

    #[test]
    fn no_hidden_command_is_suggested() {
        let hidden = hidden_commands(&Cli::command());
        for name in ["touch", "node", "watchdog"] {
            assert!(hidden.iter().any(|one| one == name), "{name} is not hidden: {hidden:?}");
        }
        for name in &hidden {
            // The last letter twice: near enough that clap suggests the name.
            let mistyped = format!("{name}{}", &name[name.len() - 1..]);
            let (by_clap, shown) = said(&[&mistyped]);
            assert!(by_clap.contains(&format!("'{name}'")), "{by_clap}");
            assert!(!shown.contains(&format!("'{name}'")), "{shown}");
            assert!(shown.contains(&mistyped) && shown.contains("Usage:"), "{shown}");
        }
    }

    #[test]
    fn no_hidden_option_is_suggested() {
        let (by_clap, shown) = said(&["record", "--roott", "x"]);
        assert!(by_clap.contains("'--root'") && !shown.contains("'--root'"), "{by_clap}{shown}");
        assert!(said(&["check", "--roott", "x"]).1.contains("'--root'"), "there it is listed");
    }

    #[test]
    fn what_users_type_is_still_suggested() {
        assert!(said(&["chekc"]).1.contains("'check'")); // typos: as it is
        assert!(said(&["net", "db2", "--stream", "4"]).1.contains("'--streams'"));
    }
}
