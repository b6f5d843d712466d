//! Small pieces of the formats that several kernel files share.

/// The value behind `Name:` in a file of `Name: value` lines (`/proc/meminfo`, `/proc/PID/status`).
pub(crate) fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| Some(line.strip_prefix(name)?.trim_start().strip_prefix(':')?.trim()))
}

/// `123 kB` in bytes; a bare number is itself.
pub(crate) fn kib(value: &str) -> Option<u64> {
    let mut words = value.split_whitespace();
    let number: u64 = words.next()?.parse().ok()?;
    match words.next() {
        None => Some(number),
        Some("kB") => number.checked_mul(1024),
        Some(_) => None,
    }
}

/// How many CPUs a list such as `0-3,8,10-11` names.
pub(crate) fn cpu_list_len(list: &str) -> Option<u32> {
    if list.trim().is_empty() {
        return Some(0);
    }
    list.split(',').try_fold(0_u32, |sum, range| {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let (from, to): (u32, u32) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        sum.checked_add(to.checked_sub(from)?.checked_add(1)?)
    })
}

/// The choice in brackets: `always [madvise] never`; without brackets all of it.
pub(crate) fn chosen(text: &str) -> Option<String> {
    let inner =
        text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or(text, |(inner, _)| inner);
    (!inner.is_empty()).then(|| inner.to_owned())
}

/// Names that are a prefix and a number (`node0`, `cpu12`), with the number, in its order.
pub(crate) fn numbered(names: Vec<String>, prefix: &str) -> Vec<(u32, String)> {
    let mut all: Vec<(u32, String)> =
        names.into_iter().filter_map(|name| Some((name.strip_prefix(prefix)?.parse().ok()?, name))).collect();
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_small_formats() {
        assert_eq!(field("MemTotal:  16 kB\nMemFree:  4 kB\n", "MemFree"), Some("4 kB"));
        assert_eq!(field("MemTotalX: 1\n", "MemTotal"), None);
        assert_eq!(kib("16 kB"), Some(16384));
        assert_eq!(kib("12"), Some(12));
        assert_eq!(kib("12 MB"), None);
        assert_eq!(cpu_list_len("0-3,8,10-11\n"), Some(7));
        assert_eq!(cpu_list_len(""), Some(0));
        assert_eq!(cpu_list_len("3-0"), None);
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
        assert_eq!(chosen("none").as_deref(), Some("none"));
        let names = ["cpu10", "cpu2", "cpuidle", "cpu"].map(str::to_owned).to_vec();
        assert_eq!(numbered(names, "cpu"), [(2, "cpu2".to_owned()), (10, "cpu10".to_owned())]);
    }
}
