//! Time stamps in front of the lines of logs.

/// The time stamp in front of a line, and the rest without the host and `kernel:`.
pub(crate) fn split_stamp(line: &str) -> (&str, &str) {
    if let Some((stamp, rest)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let stamp = stamp.trim();
        // `[Feb14 03:36]`, and from there on `[  +2.141017]`: dmesg -H.
        let since = stamp.strip_prefix('+').unwrap_or(stamp);
        let of_day =
            || stamp.split_once(' ').is_some_and(|(_, time)| time.len() == 5 && time.as_bytes()[2] == b':');
        if since.starts_with(|c: char| c.is_ascii_digit()) || stamp.matches(':').count() == 2 || of_day() {
            return (stamp, rest.trim());
        }
    }
    // `[    CSSD]2008-01-03 18:49:04.418 ...`: who writes stands before the date.
    let bare = line.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or("", |(_, rest)| rest);
    let line = if bare.starts_with(|c: char| c.is_ascii_digit()) { bare } else { line };
    let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).take(6).collect();
    let is_time =
        |word: &str| word.matches(':').count() == 2 && word.starts_with(|c: char| c.is_ascii_digit());
    let is_date = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word.matches(['-', '/']).count() == 2
            && word.len() >= 8
    };
    let first = words.first().copied().unwrap_or("");
    // 2026-11-03T13:22:30.5+00:00 db1 kernel: ...
    if first.contains('T') && is_date(first.split('T').next().unwrap_or("")) {
        return (first, without_host(line[line.find(first).unwrap_or(0) + first.len()..].trim()));
    }
    match words.as_slice() {
        // 2018-10-25 16:20:35.185438 W | ...
        [date, time, ..]
            if is_date(date)
                && is_time(time.split([',', 'Z', '+']).next().unwrap_or("").trim_end_matches(':')) =>
        {
            let end = line.find(time).map_or(0, |at| at + time.len());
            (&line[..end], without_head(without_zone(&line[end..])))
        }
        // 2026/11/03-13:22:30, [MAPS-1003], 412, ... (Fabric OS)
        [stamp, ..]
            if stamp
                .split_once('-')
                .is_some_and(|(date, time)| is_date(date) && is_time(time.trim_end_matches(','))) =>
        {
            let end = line.find(stamp).map_or(0, |at| at + stamp.len());
            (&line[..end], line[end..].trim_start())
        }
        // 2026 Mar  7 05:02:55 switch %PORT-5-... (NX-OS)
        [year, name, day, time, ..]
            if year.len() == 4 && is_month(name) && is_time(time) && day.parse::<u8>().is_ok() =>
        {
            let end = line.find(time).map_or(0, |at| at + time.len());
            (&line[..end], without_host(line[end..].trim()))
        }
        // 091119 22:27:11  InnoDB: text (MySQL before 5.7, which may leave out the blank), E200527 19:02:20.779 text (glog)
        [date, time, ..] if is_short_date(date) && is_time(time_of(time)) => {
            let end = line.find(time).map_or(0, |at| at + time_of(time).len());
            (&line[..end], line[end..].trim_start())
        }
        // Mar  7 05:02:55 db01 kernel: ...
        [name, day, time, ..] if is_month(name) && is_time(time) && day.parse::<u8>().is_ok() => {
            let end = line.find(time).map_or(0, |at| at + time.len());
            (&line[..end], without_host(line[end..].trim()))
        }
        // 17488:M 15 Dec 14:20:44.495 * text (Redis)
        [task, day, name, time, ..]
            if task.contains(':') && is_month(name) && is_time(time) && day.parse::<u8>().is_ok() =>
        {
            let end = line.find(time).map_or(0, |at| at + time.len());
            (&line[..end], line[end..].trim_start_matches([' ', '*', '#', '-', '.']))
        }
        // Sat Mar 07 05:03:10 2015
        [_, name, day, time, year]
            if is_month(name) && is_time(time) && day.parse::<u8>().is_ok() && year.len() == 4 =>
        {
            (line, "")
        }
        _ => ("", line),
    }
}

/// A month as logs have it.
pub(crate) fn is_month(word: &str) -> bool {
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"].contains(&word)
}

/// The digits and signs of a time, of which text may follow without a blank.
fn time_of(word: &str) -> &str {
    &word[..word.find(|c: char| !(c.is_ascii_digit() || ":.".contains(c))).unwrap_or(word.len())]
}

/// `091119`, or behind the letter of a level `E200527`, `W0527`.
fn is_short_date(word: &str) -> bool {
    let digits = word.strip_prefix(['I', 'W', 'E', 'F']).unwrap_or(word);
    (digits.len() == 6 || digits.len() == 4 && digits.len() < word.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
}

/// `db01 kernel: text` without the host and the kernel's name.
fn without_host(rest: &str) -> &str {
    // `cpu7:33331)NMP: text` of ESXi has none.
    let is_host = |word: &str| !word.contains(')') && !word.ends_with(':');
    let rest = match rest.split_once(' ') {
        Some((word, rest)) if is_host(word) => rest,
        Some(_) => rest,
        None => "",
    };
    rest.strip_prefix("kernel:").unwrap_or(rest).trim()
}

/// ` UTC [27] LOG:  text` of PostgreSQL without the time zone.
fn without_zone(rest: &str) -> &str {
    let (zone, after) = rest.trim_start().split_once(' ').unwrap_or_default();
    let is_zone = (2..=5).contains(&zone.len()) && zone.bytes().all(|byte| byte.is_ascii_uppercase());
    if is_zone && after.starts_with('[') { after } else { rest }
}

/// `W | wal: ...` without the level; a server's own fields stay.
fn without_head(rest: &str) -> &str {
    let rest = rest.trim_start();
    rest.split_once(" | ").filter(|(level, _)| level.len() == 1).map_or(rest, |(_, rest)| rest)
}

/// A fourth of the lines have the time stamps of a log: Oracle's have one for several.
pub(crate) fn is_log(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(200).collect();
    lines.iter().filter(|line| !split_stamp(line).0.is_empty()).count() * 4 >= lines.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_of_all_kinds_are_taken_off() {
        let rest = |line: &'static str| split_stamp(line).1;
        assert_eq!(rest("[8605.689789] ata4.00: failed command: FLUSH"), "ata4.00: failed command: FLUSH");
        assert_eq!(rest("Mar  7 05:02:55 db01 kernel: Error:Mpx:x"), "Error:Mpx:x");
        assert_eq!(rest("Apr 12 08:40:12 db01 iscsid: Kernel reported"), "iscsid: Kernel reported");
        assert_eq!(rest("2026-11-03T13:22:30.5+00:00 db1 kernel: nfs: x"), "nfs: x");
        assert_eq!(split_stamp("Sat Mar 07 05:03:10 2015"), ("Sat Mar 07 05:03:10 2015", ""));
        assert_eq!(rest("812:M 15 Dec 14:20:44.495 # Disk is full"), "Disk is full");
        assert_eq!(rest("091119 22:27:11InnoDB: text"), "InnoDB: text");
        assert_eq!(rest("150315  2:20:01 [Note] text"), "[Note] text");
        assert_eq!(rest("E200527 19:02:20.779025 12 x.go:9 text"), "12 x.go:9 text");
        assert_eq!(rest("[    CSSD]2008-01-03 18:49:04.418 [11] text"), "[11] text");
        assert_eq!(rest("2026-11-03 13:22:30.512 CET [812] LOG:  text"), "[812] LOG:  text");
        assert_eq!(rest("2026-11-03 13:22:30.512: gipc: text"), "gipc: text");
        assert_eq!(rest("2026/11/03-13:22:30, [MAPS-1003], 412, text"), "[MAPS-1003], 412, text");
        assert_eq!(rest("2026 Nov  3 13:22:30 sw7 %PORT-5-X: text"), "%PORT-5-X: text");
        assert_eq!(rest("WARNING: Waited 15 secs"), "WARNING: Waited 15 secs");
    }
}
