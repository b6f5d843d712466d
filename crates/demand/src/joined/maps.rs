//! `multipath -ll`: a map, its groups and their paths in a line for each group.

use fullwire_model::host::MultipathMap;

/// A multipath map whose groups are being read.
#[derive(Default)]
pub(super) struct Map {
    name: Option<String>,
    /// The line of its first group.
    first: Option<usize>,
    /// An active/passive array's own handler, with priorities of its own (multipath-tools `libmultipath/prioritizers`).
    has_handler: bool,
    /// The group may hold paths of several priorities: it holds all of the map (multipath.conf(5), multibus).
    mixes: bool,
    /// The line above was of a group or of a path.
    wanted: bool,
}

impl Map {
    /// Takes a line of a group or of a path, and becomes the map of a heading.
    pub(super) fn takes(&mut self, bare: &str, lines: &mut Vec<String>) -> bool {
        if bare.contains(" dm-") && !bare.contains(':') {
            *self = Self { name: bare.split_whitespace().next().map(str::to_owned), ..Self::default() };
        } else if let (Some(name), true) = (&self.name, bare.contains("policy='") && bare.contains("prio=")) {
            if let Some(first) = self.first.and_then(|first| lines.get_mut(first)) {
                unmix(first);
            }
            self.mixes = self.first.is_none() && !self.has_handler;
            self.first = self.first.or(Some(lines.len()));
            lines.push(format!(
                "multipath {name} {} paths=0",
                bare.trim_start_matches(MultipathMap::BRANCHES)
            ));
            self.wanted = true;
            return true;
        } else if self.wanted && is_path(bare) {
            count_path(lines.last_mut(), self.mixes);
            return true;
        } else if let Some((_, handler)) = bare.split_once("hwhandler='1 ") {
            self.has_handler = HANDLERS.iter().any(|name| handler.starts_with(name));
        }
        self.wanted = false;
        false
    }
}

/// A map of which neither vendor nor a path is known any more, as `multipath -ll` lists it: `map mpathq is left over`.
pub(super) fn left_over(lines: &mut Vec<String>) {
    let is_map = |line: &String| line.contains(" dm-") && !line.contains(':');
    let told = lines.iter().enumerate().filter(|(_, line)| is_map(line) && line.contains(" ##,##"));
    let without_paths = told.filter(|(at, _)| {
        let own = lines[at + 1..].iter().take_while(|line| !is_map(line));
        !own.into_iter().any(|line| is_path(line) || line.contains("paths="))
    });
    let names = without_paths.filter_map(|(_, line)| line.split_whitespace().next());
    let told: Vec<String> = names.map(|name| format!("map {name} is left over")).collect();
    lines.extend(told);
}

/// Handlers of active/passive arrays (Linux `drivers/scsi/device_handler`).
const HANDLERS: [&str; 3] = ["rdac", "emc", "hp_sw"];

/// A path of a map: `|- 8:0:1:18 sdv 65:80 active ready running`, also where its branch was lost.
fn is_path(line: &str) -> bool {
    line.trim_start_matches(MultipathMap::BRANCHES)
        .split(' ')
        .next()
        .is_some_and(|address| address.matches(':').count() == 3)
}

/// The map has a second group: groups are made by priority.
fn unmix(group: &mut String) {
    if let Some(at) = group.find(" mixed=") {
        group.truncate(at);
    }
}

/// Priorities that a path of ALUA has by itself (multipath-tools `libmultipath/prioritizers/alua.c`), and those without it.
const OWN_PRIORITIES: [u32; 7] = [0, 1, 5, 10, 50, 60, 80];

/// One more path in the group: a priority that no single path has is the mean of several.
fn count_path(group: Option<&mut String>, mixes: bool) {
    let Some(group) = group else { return };
    let Some((before, count)) = group.split_once(" paths=") else { return };
    let paths = count.split(' ').next().and_then(|count| count.parse::<u32>().ok()).unwrap_or(0) + 1;
    let prio = before.split_once("prio=").and_then(|(_, rest)| rest.split(' ').next()?.parse::<u32>().ok());
    let mixed = prio.filter(|prio| mixes && paths > 1 && !OWN_PRIORITIES.contains(prio)).unwrap_or(0);
    *group = format!("{before} paths={paths} mixed={mixed}");
}

#[cfg(test)]
mod tests {
    use super::super::joined;

    #[test]
    fn a_map_and_its_group_are_one_line() {
        let text = "mpatha (3600507) dm-16 IBM     ,2145\nsize=100G features='1 queue_if_no_path' hwhandler='0' wp=rw\n\
                    `-+- policy='round-robin 0' prio=30 status=active\n  |- 8:0:1:18 sdv 65:80 active ready  running\n  \
                    `- 9:0:2:18 sded 128:80 active ready running\n";
        let lines = joined(text);
        assert_eq!(
            lines.last().unwrap(),
            "multipath mpatha policy='round-robin 0' prio=30 status=active paths=2 mixed=30"
        );
    }

    /// Active/passive arrays have two groups, each with one priority: 6 and 1, or 14 and 9 of RDAC.
    #[test]
    fn groups_by_priority_are_not_mixed() {
        for handler in ["1 rdac", "0"] {
            let text = format!(
                "mpathb (3600a0b) dm-3 IBM,1814      FAStT\nsize=500G features='0' hwhandler='{handler}' wp=rw\n\
                 |-+- policy='round-robin 0' prio=6 status=active\n| |- 3:0:0:1 sdc 8:32 active ready running\n\
                 | `- 4:0:0:1 sde 8:64 active ready running\n`-+- policy='round-robin 0' prio=9 status=enabled\n  \
                 |- 3:0:1:1 sdd 8:48 active ghost running\n  `- 4:0:1:1 sdf 8:80 active ghost running\n"
            );
            let told = joined(&text);
            assert_eq!(told.iter().filter(|line| line.starts_with("multipath ")).count(), 2);
            assert!(
                !told.iter().any(|line| line.contains("mixed=6") || line.contains("mixed=9")),
                "{told:?}"
            );
        }
    }
}
