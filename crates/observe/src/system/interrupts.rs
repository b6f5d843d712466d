//! Interrupts: which CPU serves which line, and which it may be served by.

use crate::Root;
use crate::root::malformed;
use fullwire_model::Gap;
use fullwire_model::counters::Counters;

const PATH: &str = "/proc/interrupts";

/// One line of `/proc/interrupts`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// `24`, or `NMI`, `RES` ...
    pub irq: String,
    /// The device's name for it (`eth0-rx-0`), or the architecture's (`RES`).
    pub name: String,
    /// By CPU, in the order of the header.
    pub counts: Vec<u64>,
}

/// All lines.
#[derive(Debug, Default)]
pub(crate) struct Lines(pub Vec<Line>);

impl Lines {
    pub(crate) fn read(root: &Root, gaps: &mut Vec<Gap>) -> Self {
        root.read(PATH, gaps).map(|text| Self::parse(&text, gaps)).unwrap_or_default()
    }

    /// The header names the CPUs; a line has a count for each, then what serves it, then the device.
    fn parse(text: &str, gaps: &mut Vec<Gap>) -> Self {
        let mut lines = text.lines().enumerate();
        let cpus = lines.next().map_or(0, |(_, header)| header.split_whitespace().count());
        let mut all = Vec::new();
        for (index, line) in lines {
            if line.trim().is_empty() {
                continue;
            }
            let Some((irq, rest)) = line.split_once(':') else {
                gaps.push(malformed(PATH, index + 1, "no colon"));
                continue;
            };
            let words: Vec<&str> = rest.split_whitespace().collect();
            let counts: Vec<u64> = words.iter().take(cpus).map_while(|word| word.parse().ok()).collect();
            let irq = irq.trim().to_owned();
            let device = irq.parse::<u32>().is_ok();
            if device && counts.len() < cpus {
                gaps.push(malformed(PATH, index + 1, "fewer counts than CPUs in the header"));
                continue;
            }
            let name = if device { words.last().map_or(irq.as_str(), |word| word) } else { &irq };
            all.push(Line { name: name.to_owned(), irq, counts });
        }
        Self(all)
    }
}

/// Counts of device interrupts by name; several lines of one name are distinguished by their number.
pub(super) fn read_counters(root: &Root, counters: &mut Counters) {
    for line in Lines::read(root, &mut counters.gaps).0 {
        if line.irq.parse::<u32>().is_err() || line.counts.iter().all(|&count| count == 0) {
            continue;
        }
        let taken = counters.interrupts.contains_key(&line.name);
        let name = if taken { format!("{}#{}", line.name, line.irq) } else { line.name };
        counters.interrupts.insert(name, line.counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "           CPU0       CPU1       \n  0:         44          0   IO-APIC   2-edge      timer\n \
        24:       1000    2000000   PCI-MSI 49152-edge      eth0-rx-0\nNMI:          0          0   Non-maskable interrupts\nERR:          0\n";

    #[test]
    fn reads_lines_by_cpu() {
        let mut gaps = Vec::new();
        let lines = Lines::parse(TEXT, &mut gaps).0;
        assert_eq!(gaps, []);
        assert_eq!(
            lines[1],
            Line { irq: "24".into(), name: "eth0-rx-0".into(), counts: vec![1000, 2_000_000] }
        );
        assert_eq!((lines[3].name.as_str(), lines[3].counts.len()), ("ERR", 1));
    }

    proptest! {
        #[test]
        fn mangled_tables_never_panic(cut in 0..TEXT.len(), noise in "(?s).{0,80}") {
            let mangled: String = TEXT.chars().take(cut).chain(noise.chars()).collect();
            let mut gaps = Vec::new();
            Lines::parse(&mangled, &mut gaps);
            prop_assert!(gaps.iter().all(|gap| gap.detail.starts_with("/proc/interrupts:")));
        }
    }
}
