//! A multipath map as the kernel has it: table and status of its device-mapper target.
//!
//! Table: `#features … #handler-args … #groups next {selector #selector-args … #paths #path-args {dev …}}`.
//! Status: the same order, with a letter for each group (A active, E enabled, D disabled) and for each path
//! (A active, F failed) and its failures. Source: the kernel's dm-mpath.c, `multipath_status`.

use fullwire_model::host::{DmTarget, MapPath, PathGroup};

/// Groups of a map and paths of a group.
const LIMIT: usize = 1024;

/// What the kernel says of a map.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct KernelMap {
    pub(crate) features: Vec<String>,
    pub(crate) hardware_handler: String,
    pub(crate) groups: Vec<PathGroup>,
}

/// Reads a multipath target. Its paths' devices are `MAJOR:MINOR` still.
pub(crate) fn kernel_map(target: &DmTarget) -> Option<KernelMap> {
    let mut map = table(&target.parameters)?;
    // A status that makes no sense leaves states unknown; the table stands.
    if let Some(states) = status(&target.status) {
        for (group, state) in map.groups.iter_mut().zip(states) {
            state.letter.clone_into(&mut group.state);
            for path in &mut group.paths {
                if let Some(own) = state.paths.iter().find(|own| own.device == path.device) {
                    path.dm_state.clone_from(&own.dm_state);
                    path.failures = own.failures;
                }
            }
        }
    }
    Some(map)
}

/// Words, taken one by one or as many as a count before them says.
struct Words<'a>(std::str::SplitWhitespace<'a>);

impl<'a> Words<'a> {
    fn word(&mut self) -> Option<&'a str> {
        self.0.next()
    }

    fn count(&mut self) -> Option<usize> {
        self.word()?.parse().ok().filter(|count| *count <= LIMIT)
    }

    fn counted(&mut self) -> Option<Vec<&'a str>> {
        let count = self.count()?;
        self.take(count)
    }

    fn take(&mut self, count: usize) -> Option<Vec<&'a str>> {
        (0..count).map(|_| self.word()).collect()
    }
}

fn table(parameters: &str) -> Option<KernelMap> {
    let mut words = Words(parameters.split_whitespace());
    let features = words.counted()?;
    let handler = words.counted()?;
    let hardware_handler =
        if handler.is_empty() { "0".to_owned() } else { format!("{} {}", handler.len(), handler.join(" ")) };
    let groups = words.count()?;
    let _next = words.word()?;
    let mut map = KernelMap { features: join_values(&features), hardware_handler, groups: Vec::new() };
    for _ in 0..groups {
        let selector = words.word()?;
        let arguments = words.counted()?;
        let (paths, path_arguments) = (words.count()?, words.count()?);
        let mut group = PathGroup {
            selector: std::iter::once(selector)
                .chain([arguments.len().to_string().as_str()])
                .chain(arguments)
                .collect::<Vec<_>>()
                .join(" "),
            ..PathGroup::default()
        };
        for _ in 0..paths {
            let device = words.word()?.to_owned();
            words.take(path_arguments)?;
            group.paths.push(MapPath { device, ..MapPath::default() });
        }
        map.groups.push(group);
    }
    Some(map)
}

/// `pg_init_retries 50` is one feature.
pub(crate) fn join_values(words: &[&str]) -> Vec<String> {
    let mut features: Vec<String> = Vec::new();
    for word in words {
        match features.last_mut() {
            Some(last) if word.bytes().all(|byte| byte.is_ascii_digit()) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => features.push((*word).to_owned()),
        }
    }
    features
}

struct GroupState {
    letter: &'static str,
    paths: Vec<MapPath>,
}

fn status(text: &str) -> Option<Vec<GroupState>> {
    let mut words = Words(text.split_whitespace());
    words.counted()?; // queued requests, initialisations
    words.counted()?; // hardware handler's
    let groups = words.count()?;
    let _next = words.word()?;
    (0..groups).map(|_| group_state(&mut words)).collect()
}

fn group_state(words: &mut Words) -> Option<GroupState> {
    let letter = match words.word()? {
        "A" => "active",
        "E" => "enabled",
        "D" => "disabled",
        _ => return None,
    };
    words.counted()?; // selector's
    let (paths, path_arguments) = (words.count()?, words.count()?);
    let path = |_| {
        let device = words.word()?.to_owned();
        let dm_state = match words.word()? {
            "A" => "active",
            "F" => "failed",
            _ => return None,
        };
        let failures = words.word()?.parse().ok();
        words.take(path_arguments)?;
        Some(MapPath { device, dm_state: dm_state.to_owned(), failures, ..MapPath::default() })
    };
    let paths: Option<Vec<MapPath>> = (0..paths).map(path).collect();
    Some(GroupState { letter, paths: paths? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(parameters: &str, status: &str) -> DmTarget {
        DmTarget {
            kind: "multipath".into(),
            parameters: parameters.into(),
            status: status.into(),
            ..DmTarget::default()
        }
    }

    #[test]
    fn two_groups_with_a_failed_path() {
        let table = "3 queue_if_no_path pg_init_retries 50 1 alua 2 1 service-time 0 2 2 8:16 1 1 8:32 1 1 service-time 0 1 2 8:48 1 1";
        let status = "2 0 0 0 2 1 A 0 2 2 8:16 A 0 0 1 8:32 F 3 0 1 E 0 1 2 8:48 A 0 0 1";
        let map = kernel_map(&target(table, status)).expect("a map");
        assert_eq!(map.features, ["queue_if_no_path", "pg_init_retries 50"]);
        assert_eq!(map.hardware_handler, "1 alua");
        assert_eq!((map.groups.len(), map.groups[1].state.as_str()), (2, "enabled"));
        let failed = &map.groups[0].paths[1];
        assert_eq!(
            (failed.device.as_str(), failed.dm_state.as_str(), failed.failures),
            ("8:32", "failed", Some(3))
        );
        assert_eq!(map.groups[0].selector, "service-time 0");
    }

    #[test]
    fn rubbish_is_no_map_and_counts_do_not_run_away() {
        assert_eq!(kernel_map(&target("99999999 a", "")), None);
        assert_eq!(kernel_map(&target("0 0 1 1 round-robin 0 2 1 8:0", "")), None);
        let map = kernel_map(&target("0 0 1 1 round-robin 0 1 1 8:0 1", "x")).expect("the table stands");
        assert_eq!(map.groups[0].paths[0].dm_state, "");
    }
}
