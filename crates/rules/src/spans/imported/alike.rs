//! One of many like disks: which of them is slow, where none is slow enough to be conspicuous by itself.

use super::ms;
use super::record::{File, find};
use fullwire_model::demand::Series;
use fullwire_model::median;
use std::collections::BTreeMap;

thresholds! {
    /// Names that a sentence has room for.
    const NAMED: usize = 4;
    /// Fewer disks of a kind have no usual time.
    const FEWEST: usize = 4;
    /// So many times as long as the others of its kind (as `device-wait-long` holds a disk against its own past).
    const TIMES: f64 = 5.0;
    /// Shorter waits are not felt by a commit or a single read, ns: flash behind a network answers within it.
    const FELT_NS: f64 = 5e6;
    /// Requests a second from which a mean is one (own choice).
    const FEW_PER_S: f64 = 10.0;
    /// More or larger requests by this factor take longer by themselves.
    const MORE: f64 = 2.0;
    /// Halves of a mirror get the same load within this share (own choice).
    const ALIKE: f64 = 0.05;
    /// Of so many, one is the odd one: more are another kind of storage (own choice).
    const ODD: usize = 4;
}

/// A disk in one direction over the whole file.
struct Mean<'a> {
    name: &'a str,
    await_ns: f64,
    per_s: f64,
    bytes: f64,
}

/// A sentence about the disks that take much longer than their like, with the metric that shows it.
pub(super) fn odd(file: &File<'_>) -> Option<(String, &'static str)> {
    let directions = [
        ("read_await_ns", "read_io_per_s", "read_bytes_per_s", "read"),
        ("write_await_ns", "write_io_per_s", "write_bytes_per_s", "write"),
        ("await_ns", "io_per_s", "bytes_per_s", "request"),
    ];
    directions.into_iter().find_map(|(wait, rate, bytes, what)| {
        let mut kinds: BTreeMap<&str, Vec<Mean<'_>>> = BTreeMap::new();
        for mean in means(file, [wait, rate, bytes]).into_iter().filter(|mean| mean.per_s >= FEW_PER_S) {
            kinds.entry(kind(mean.name)).or_default().push(mean);
        }
        kinds.into_values().find_map(|disks| Some((sentence(&disks, what)?, wait)))
    })
}

/// `sdh` and `sdab` are of one kind, `dm-3` and `nvme0n1` of others: a map is not held against its own paths.
fn kind(name: &str) -> &str {
    let letters = name.find(|sign: char| !sign.is_ascii_alphabetic()).unwrap_or(name.len());
    ["sd", "vd", "xvd", "hd", "emcpower"]
        .into_iter()
        .find(|kind| name.starts_with(kind))
        .unwrap_or(&name[..letters])
}

fn means<'a>(file: &File<'a>, [wait, rate, bytes]: [&str; 3]) -> Vec<Mean<'a>> {
    let names = file.of.keys().filter(|(area, _)| *area == "disk").map(|(_, name)| *name);
    names
        .filter_map(|name| {
            let (waits, rates) = (find(file, "disk", name, wait)?, find(file, "disk", name, rate)?);
            let requests: f64 = values(rates).sum();
            let waited: f64 = values(waits).zip(values(rates)).map(|(wait, rate)| wait * rate).sum();
            let moved = find(file, "disk", name, bytes).map_or(0.0, |bytes| values(bytes).sum());
            let is_whole = waits.samples.len() == rates.samples.len() && requests > 0.0;
            is_whole.then(|| Mean {
                name,
                await_ns: waited / requests,
                per_s: requests / rates.samples.len() as f64,
                bytes: moved / requests,
            })
        })
        .collect()
}

fn values(series: &Series) -> impl Iterator<Item = f64> {
    series.samples.iter().map(|sample| sample.value)
}

fn sentence(disks: &[Mean<'_>], what: &str) -> Option<String> {
    let of = |figure: fn(&Mean<'_>) -> f64| median(&disks.iter().map(figure).collect::<Vec<_>>());
    let (usual, rate, bytes) = (of(|disk| disk.await_ns)?, of(|disk| disk.per_s)?, of(|disk| disk.bytes)?);
    let is_odd = |disk: &&Mean<'_>| {
        disk.await_ns >= FELT_NS
            && disk.await_ns >= TIMES * usual
            && disk.per_s <= MORE * rate
            && disk.bytes <= MORE * bytes
    };
    if let [one, other] = disks {
        return twin(one, other, what).or_else(|| twin(other, one, what));
    }
    let mut odd: Vec<&Mean<'_>> = disks.iter().filter(is_odd).collect();
    odd.sort_by(|one, other| other.await_ns.total_cmp(&one.await_ns));
    let worst = odd.first()?;
    if disks.len() < FEWEST || odd.len() * ODD > disks.len() {
        return None;
    }
    let names: Vec<&str> = odd.iter().take(NAMED).map(|disk| disk.name).collect();
    let more = odd.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let takes = if odd.len() == 1 { "takes" } else { "take up to" };
    Some(format!(
        "{}{rest} {takes} {} for a {what}, the other {} {} (median), with no more and no larger requests: look at its own paths, errors and place in the array, unless it is another kind of storage.",
        names.join(", "),
        ms(worst.await_ns),
        disks.len() - odd.len(),
        ms(usual),
    ))
}

/// Two disks that get as many requests of the same size, as the halves of a mirror do: one answers, the other is late.
fn twin(slow: &Mean<'_>, quick: &Mean<'_>, what: &str) -> Option<String> {
    let alike = |one: f64, other: f64| (one / other.max(1e-9) - 1.0).abs() <= ALIKE;
    let is_late = slow.await_ns >= FELT_NS && slow.await_ns >= TIMES * quick.await_ns;
    (is_late && alike(slow.per_s, quick.per_s) && alike(slow.bytes, quick.bytes)).then(|| {
        format!(
            "{} takes {} for a {what}, {} with as many of the same size {}: look at its own paths, errors and place in the array, unless it is another kind of storage.",
            slow.name,
            ms(slow.await_ns),
            quick.name,
            ms(quick.await_ns)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::demand::{ImportedSeries, Sample};

    /// Twelve disks at 400 reads of 8 KiB a second; `slow` of them take so long.
    fn file(slow: &[(usize, f64)], rate: f64) -> ImportedSeries {
        let series = |subject: &str, metric: &str, value: f64| Series {
            area: "disk".into(),
            subject: subject.into(),
            metric: metric.into(),
            samples: vec![Sample { at: None, value }; 2],
            ..Series::default()
        };
        let disks = ('b'..='m').enumerate().flat_map(|(index, letter)| {
            let name = format!("sd{letter}");
            let odd = slow.iter().find(|(at, _)| *at == index);
            let (wait, rate) = odd.map_or((0.65e6, 400.0), |(_, wait)| (*wait, rate));
            [
                series(&name, "read_await_ns", wait),
                series(&name, "read_io_per_s", rate),
                series(&name, "read_bytes_per_s", rate * 8192.0),
            ]
        });
        ImportedSeries { series: disks.collect(), ..ImportedSeries::default() }
    }

    #[test]
    fn the_slow_half_of_a_mirror_is_named() {
        let pair = |wait: f64, rate: f64| {
            let mut both = file(&[(1, wait)], rate);
            both.series.retain(|one| ["sdb", "sdc"].contains(&one.subject.as_str()));
            super::odd(&File::new(&both))
        };
        let (text, _) = pair(61e6, 400.0).expect("sdc");
        assert!(
            text.starts_with("sdc takes 61 ms for a read, sdb with as many of the same size 0.7 ms"),
            "{text}"
        );
        assert!(pair(61e6, 300.0).is_none(), "another load");
        assert!(pair(3e6, 400.0).is_none(), "nobody feels 3 ms");
    }

    #[test]
    fn the_slow_one_of_twelve_luns_is_named() {
        let odd = |slow: &[(usize, f64)], rate: f64| super::odd(&File::new(&file(slow, rate)));
        let (text, metric) = odd(&[(6, 23.5e6)], 400.0).expect("sdh");
        assert!(text.starts_with("sdh takes 24 ms for a read, the other 11 0.7 ms (median)"), "{text}");
        assert_eq!(metric, "read_await_ns");
        assert!(odd(&[], 400.0).is_none());
        assert!(odd(&[(6, 3e6)], 400.0).is_none(), "nobody feels 3 ms");
        assert!(odd(&[(6, 23.5e6)], 4000.0).is_none(), "it has ten times the load");
        assert!(odd(&[(6, 23.5e6)], 3.0).is_none(), "hardly any request");
        let half: Vec<(usize, f64)> = (0..6).map(|index| (index, 23.5e6)).collect();
        assert!(odd(&half, 400.0).is_none(), "two kinds of storage");
    }
}
