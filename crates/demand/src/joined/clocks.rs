//! Sources of a clock: which one is followed, and how far away it says that the clock is.

use crate::page;

/// What `ntpq -p` marks the source with that the clock follows: one of the network, or a pulse (ntpq(8), tally codes).
const OF_NTPQ: [char; 2] = ['*', 'o'];

/// `ntpq -p`: `clock: no source is followed, 2 listed`, `clock: the source 192.0.2.10 is 4211.530 ms away`.
pub(super) fn ntpq(lines: &mut Vec<String>) {
    told(lines, " refid ", |line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [source, _, _, _, _, _, reach, _, offset, _] = words.as_slice() else { return None };
        Some((source.strip_prefix(OF_NTPQ), u32::from_str_radix(reach, 8).ok()?, offset.parse().ok()?))
    });
}

/// `chronyc sources`: the same; its second sign is `*` at the source that is followed (chronyc(1), sources).
pub(super) fn chronyc(lines: &mut Vec<String>) {
    told(lines, "MS Name/IP address", |line| {
        let (offset, _) = line.split_once('[')?;
        let words: Vec<&str> = offset.split_whitespace().collect();
        let [marks, source, _, _, reach, _, offset] = words.as_slice() else { return None };
        let offset_ms = page::quantity(offset)?;
        Some((marks.ends_with('*').then_some(*source), u32::from_str_radix(reach, 8).ok()?, offset_ms))
    });
}

/// `chronyc tracking`: `System time     : 4.120331 seconds slow of NTP time`.
pub(super) fn tracking(lines: &mut [String]) {
    for line in lines.iter_mut().filter(|line| line.starts_with("System time")) {
        let offset_s =
            line.split_once(": ").and_then(|(_, rest)| rest.split(' ').next()?.parse::<f64>().ok());
        if let Some(offset_s) = offset_s {
            *line = format!("clock: the source of chronyd is {:.3} ms away", offset_s * 1e3);
        }
    }
}

/// Which of the last eight polls were answered, as bits: after four a source may be followed; with fewer the program has just
/// begun.
const ENOUGH: u32 = 0o17;

/// A row: the name of the source if it is followed, its polls, and its offset, ms.
type Row<'a> = (Option<&'a str>, u32, f64);

fn told(lines: &mut Vec<String>, heading: &str, row: fn(&str) -> Option<Row<'_>>) {
    let below = lines.iter().position(|line| line.contains(heading)).map_or(lines.len(), |at| at + 1);
    let rows: Vec<_> = lines[below..].iter().filter_map(|line| row(line)).collect();
    let followed = rows.iter().find_map(|(name, _, offset)| Some(((*name)?, *offset)));
    let begins =
        rows.iter().any(|(_, polls, _)| *polls > 0) && rows.iter().all(|(_, polls, _)| *polls < ENOUGH);
    let said = match followed {
        Some((name, offset)) => format!("clock: the source {name} is {:.3} ms away", offset.abs()),
        None if rows.is_empty() || begins => return,
        None => format!("clock: no source is followed, {} listed", rows.len()),
    };
    lines.push(said);
}

#[cfg(test)]
mod tests {
    use super::super::joined;

    #[test]
    fn the_source_that_is_followed_tells_of_the_clock() {
        let ntpq = |mark: &str, reach: &str, offset: &str| {
            let heading =
                "     remote           refid      st t when poll reach   delay   offset  jitter\n====\n";
            let row = format!("{mark}10.9.7.2  10.9.7.1  2 u 12 64  {reach}  0.812  {offset} 0.041\n");
            joined(&format!("{heading}{row}")).pop().unwrap()
        };
        assert_eq!(ntpq("*", "377", "-812.407"), "clock: the source 10.9.7.2 is 812.407 ms away");
        assert_eq!(ntpq(" ", "0", "0.000"), "clock: no source is followed, 1 listed");
        assert_eq!(ntpq("x", "377", "812.4"), "clock: no source is followed, 1 listed");
        assert!(!ntpq(" ", "3", "0.812").contains("clock:"), "it has just begun");
        let tracking = joined("System time     : 0.812407000 seconds slow of NTP time\n");
        assert_eq!(tracking, ["clock: the source of chronyd is 812.407 ms away"]);
        let chronyc = |marks: &str, sample: &str| {
            let heading = "MS Name/IP address         Stratum Poll Reach LastRx Last sample\n====\n";
            joined(&format!("{heading}{marks} 10.9.7.2  2  6  377  41  {sample}\n")).pop().unwrap()
        };
        assert_eq!(chronyc("^*", "-71us[ -81us] +/-   12ms"), "clock: the source 10.9.7.2 is 0.071 ms away");
        assert_eq!(chronyc("^?", "+0ns[   +0ns] +/-    0ns"), "clock: no source is followed, 1 listed");
    }
}
