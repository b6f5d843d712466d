//! What is kept of texts in which anything may stand: of command lines, environments and settings files only what a
//! reader asks for.

pub(crate) mod command_line;
pub(crate) mod mysql;
pub(crate) mod oracle;
pub(crate) mod postgresql;

/// Which options of a program are kept, for those that are a database's server: without the hyphens before, and with
/// underscores between words, except for short ones.
pub(crate) fn known_options(program: &str) -> Option<fn(&str) -> bool> {
    match program {
        "mysqld" | "mariadbd" => Some(mysql::is_known_option),
        _ if postgresql::is_postmaster(program) => Some(postgresql::is_known_option),
        _ => None,
    }
}
