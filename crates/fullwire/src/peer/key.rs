//! The key of a responder: made, or read from where the user put it.

use crate::cli::KeyArgs;
use crate::output::{Show, open};
use crate::usage;
use anyhow::{Context, Result, anyhow, bail};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// A key may also are here, where other users do not see it.
const KEY_VARIABLE: &str = "FULLWIRE_KEY";

/// Keys with fewer characters are guessed: each try costs the guesser one connection.
const SHORT_KEY: usize = 12;

/// A key file is small; more of it is not read.
const KEY_FILE_BYTES: u64 = 64 << 10;

/// The key of a responder that is about to listen. One that is easily guessed or read is warned of.
pub(crate) fn read_key(args: &KeyArgs) -> Result<Option<String>> {
    let key = given_key(args)?;
    if let Some(key) = &key
        && key.chars().count() < SHORT_KEY
    {
        Show::warn(&format!(
            "a key of {} characters can be guessed; without one, a key of 26 characters is generated",
            key.chars().count()
        ));
    }
    Ok(key)
}

/// The key of `--key`, of the file's first line, or of the variable. What was typed counts before what is in the
/// environment.
pub(super) fn given_key(args: &KeyArgs) -> Result<Option<String>> {
    match (&args.key, &args.key_file) {
        (Some(key), _) => not_empty(key, "--key").map(Some),
        (None, Some(path)) => key_of(path).map(Some),
        (None, None) => match std::env::var_os(KEY_VARIABLE) {
            None => Ok(None),
            Some(key) => match key.to_str() {
                Some(key) => not_empty(key, KEY_VARIABLE).map(Some),
                None => usage::wrong(format!("the key in {KEY_VARIABLE} is not UTF-8")),
            },
        },
    }
}

/// Everyone has the empty key.
fn not_empty(key: &str, place: &str) -> Result<String> {
    if key.trim().is_empty() {
        return usage::wrong(format!("the key in {place} is empty: give one, or unset it"));
    }
    Ok(key.to_owned())
}

/// A new key: 128 random bits in base 32.
pub(crate) fn new_key() -> Result<String> {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let mut random = [0_u8; 26];
    getrandom::fill(&mut random).map_err(|error| anyhow!("get random bytes: {error}"))?;
    Ok(random.iter().map(|byte| char::from(DIGITS[usize::from(byte & 31)])).collect())
}

fn key_of(path: &Path) -> Result<String> {
    let read = || format!("read the key file {}", path.display());
    let mut file = open(path).with_context(read)?;
    let others = file.metadata().with_context(read)?.permissions().mode() & 0o007;
    if others != 0 {
        Show::warn(&format!(
            "every user of this host can read the key file {} (fix: chmod o=)",
            path.display()
        ));
    }
    let mut text = String::new();
    file.by_ref().take(KEY_FILE_BYTES).read_to_string(&mut text).with_context(read)?;
    let key = text.lines().next().unwrap_or("").trim();
    if key.is_empty() {
        bail!("the key file {} is empty: its first line must be the key", path.display());
    }
    Ok(key.to_owned())
}
