//! Which characters may be drawn: those of UTF-8, or ASCII alone.

use fullwire_present::terminal;
use std::borrow::Cow;
use std::sync::OnceLock;

/// ASCII alone; decided once, for notes and warnings have no options at hand.
static ASCII: OnceLock<bool> = OnceLock::new();

/// Draws in ASCII from now on if it was asked for or the locale has another character set than UTF-8.
pub(crate) fn begin(ascii: bool) {
    // Set twice only where one process has several outputs, all of one command line.
    let _ = ASCII.set(ascii || !is_utf8(|name| std::env::var(name).ok()));
}

/// UTF-8 may be drawn.
pub(crate) fn unicode() -> bool {
    !ASCII.get_or_init(|| !is_utf8(|name| std::env::var(name).ok()))
}

/// The text as it may be shown.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if unicode() { text.into() } else { terminal::ascii(text).into() }
}

/// The first of these that is set decides (POSIX, "Environment Variables" 8.2). Without any of them the terminal is
/// taken for a modern one, as systemd does (`is_locale_utf8`): ssh, containers and cron often set none.
fn is_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable).find(|value| !value.is_empty());
    set.is_none_or(|locale| {
        let locale = locale.to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let with = |set: &[(&str, &str)]| {
            is_utf8(|name| set.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned()))
        };
        assert!(with(&[]));
        assert!(with(&[("LANG", "C.UTF-8")]));
        assert!(with(&[("LANG", "de_DE.utf8"), ("LC_ALL", "")]));
        assert!(!with(&[("LANG", "C")]));
        assert!(!with(&[("LANG", "en_US.UTF-8"), ("LC_ALL", "POSIX")]));
        assert!(!with(&[("LC_CTYPE", "de_DE.ISO-8859-1"), ("LANG", "de_DE.UTF-8")]));
    }
}
