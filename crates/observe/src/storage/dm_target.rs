//! A target of a device-mapper table, without its secrets: a key of dm-crypt never gets past this file.

use fullwire_model::host::DmTarget;

/// Both outputs of one map: its table and its status, lines of `START LENGTH KIND PARAMETERS`.
pub(crate) type Answer = [Vec<DmTarget>; 2];

/// A target without its secrets.
pub(crate) fn target(start_sectors: u64, length_sectors: u64, kind: &str, parameters: &str) -> DmTarget {
    DmTarget {
        start_sectors,
        length_sectors,
        kind: kind.to_owned(),
        parameters: without_key(kind, parameters.trim()),
        status: String::new(),
    }
}

/// dm-crypt: `CIPHER KEY IV-OFFSET DEVICE START`. A key in the kernel's keyring is named, not shown.
fn without_key(kind: &str, parameters: &str) -> String {
    let mut words: Vec<&str> = parameters.split(' ').collect();
    if kind == "crypt"
        && let Some(key) = words.get_mut(1).filter(|key| !key.starts_with(':'))
    {
        *key = "-";
    }
    words.join(" ")
}

/// Every `MAJOR:MINOR` in a target's parameters, in order.
pub(crate) fn devices_in(parameters: &str) -> impl Iterator<Item = &str> {
    parameters.split(' ').filter(|word| {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        word.split_once(':').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
    })
}
