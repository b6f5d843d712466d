//! What is known by its form, wherever it is in a text. Each form has a longest length, so that a text of any kind is
//! gone through once.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Longest text of an IPv6 address, of pairs of digits (InfiniBand: 20), of a qualified name.
const ADDRESS_BYTES: usize = 45;
const PAIRS_BYTES: usize = 59;
const QUALIFIED_BYTES: usize = 224;

/// What begins at a place.
#[derive(Debug, PartialEq)]
pub(super) enum Found<'a> {
    Address(IpAddr),
    /// A MAC address, or a world-wide name written like one.
    Pairs(&'a str),
    /// A world-wide name's digits.
    WorldWide(&'a str),
    Uuid(&'a str),
    /// `iqn.…`, `nqn.…`, `nvme.…`.
    Qualified(&'a str),
}

/// What begins here, and how long it is.
pub(super) fn at<'a>(before: &str, rest: &'a str) -> Option<(usize, Found<'a>)> {
    let found = qualified(rest).or_else(|| uuid(rest)).or_else(|| pairs(rest));
    found.or_else(|| address(before, rest)).or_else(|| world_wide(rest))
}

fn run(rest: &str, longest: usize, belongs: impl Fn(u8) -> bool) -> &str {
    let length = rest.bytes().take(longest + 1).take_while(|&byte| belongs(byte)).count();
    if length > longest { "" } else { &rest[..length] }
}

fn ends_word(rest: &str, length: usize) -> bool {
    !rest[length..].chars().next().is_some_and(char::is_alphanumeric)
}

fn qualified(rest: &str) -> Option<(usize, Found<'_>)> {
    if !["iqn.", "nqn.", "nvme."].iter().any(|start| rest.starts_with(start)) {
        return None;
    }
    let name = run(rest, QUALIFIED_BYTES, |byte| byte.is_ascii_alphanumeric() || b".:-_".contains(&byte));
    // udev's names go on behind it.
    let end = ["-lun-", "-part"].iter().filter_map(|mark| name.rfind(mark)).min().unwrap_or(name.len());
    let name = name[..end].trim_end_matches([':', '.', '-', '_']);
    let is_one = name.split_once('.').is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_one.then_some((name.len(), Found::Qualified(name)))
}

fn uuid(rest: &str) -> Option<(usize, Found<'_>)> {
    let text = rest.get(..36)?;
    let is_uuid = text.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    (is_uuid && ends_word(rest, 36)).then_some((36, Found::Uuid(text)))
}

/// Six, eight or twenty pairs of digits with colons between them.
fn pairs(rest: &str) -> Option<(usize, Found<'_>)> {
    let text = run(rest, PAIRS_BYTES, |byte| byte.is_ascii_hexdigit() || byte == b':').trim_end_matches(':');
    let mut parts = text.split(':');
    let is_pairs = text.len() >= 17 && parts.all(|part| part.len() == 2) && ends_word(rest, text.len());
    let count = text.len().div_ceil(3);
    let is_telling =
        !text.bytes().all(|byte| b"0:".contains(&byte)) && !text.bytes().all(|byte| b"fF:".contains(&byte));
    (is_pairs && is_telling && [6, 8, 20].contains(&count)).then_some((text.len(), Found::Pairs(text)))
}

fn address(before: &str, rest: &str) -> Option<(usize, Found<'static>)> {
    let dotted = run(rest, ADDRESS_BYTES, |byte| byte.is_ascii_digit() || byte == b'.').trim_end_matches('.');
    if !before.ends_with('.')
        && ends_word(rest, dotted.len())
        && let Ok(v4) = dotted.parse::<Ipv4Addr>()
    {
        return Some((dotted.len(), Found::Address(IpAddr::V4(v4))));
    }
    let hex = run(rest, ADDRESS_BYTES, |byte| byte.is_ascii_hexdigit() || b":.".contains(&byte));
    let hex = if hex.ends_with("::") { hex } else { hex.trim_end_matches([':', '.']) };
    let v6: Ipv6Addr = hex.parse().ok().filter(|_| ends_word(rest, hex.len()) && !before.ends_with(':'))?;
    Some((hex.len(), Found::Address(IpAddr::V6(v6))))
}

/// `0x` and 16 digits, or 16, 32 or 33 digits that are no decimal number; the MAC in `enx525400123456`.
fn world_wide(rest: &str) -> Option<(usize, Found<'_>)> {
    let word = run(rest, 64, |byte| byte.is_ascii_alphanumeric());
    let is_hex = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_letter = word.contains(|c: char| c.is_ascii_alphabetic());
    let is_name = ends_word(rest, word.len())
        && match word.strip_prefix("0x").or_else(|| word.strip_prefix("enx")) {
            Some(digits) => is_hex(digits) && [12, 16, 32].contains(&digits.len()),
            None => is_hex(word) && (word.len() == 16 && has_letter || [32, 33].contains(&word.len())),
        };
    let is_zero = word.bytes().all(|byte| b"0x".contains(&byte));
    (is_name && !is_zero).then_some((word.len(), Found::WorldWide(word)))
}

/// `/24` behind an address.
pub(super) fn prefix_length(after: &str) -> Option<u32> {
    run(after.strip_prefix('/')?, 3, |byte| byte.is_ascii_digit()).parse().ok()
}

/// The name of a user that begins here, by what is before it.
pub(super) fn user_behind<'a>(before: &str, rest: &'a str) -> Option<&'a str> {
    let is_behind = ["/home/", "username=", "/run/user/home/"].iter().any(|mark| before.ends_with(mark));
    let name = run(rest, 32, |byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    (is_behind && !name.is_empty()).then_some(name)
}

/// All names of users that are in a text.
pub(super) fn users(text: &str) -> impl Iterator<Item = String> + '_ {
    ["/home/", "username="].into_iter().flat_map(move |mark| {
        text.match_indices(mark)
            .filter_map(move |(at, _)| user_behind(mark, &text[at + mark.len()..]).map(str::to_owned))
    })
}

/// All addresses in a text.
pub(super) fn addresses(text: &str, all: &mut BTreeSet<IpAddr>) {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if !before.is_alphanumeric()
            && (c.is_ascii_hexdigit() || c == ':')
            && let Some((_, Found::Address(address))) = self::at(&text[..at], &text[at..])
        {
            all.insert(address);
        }
        before = c;
    }
}
