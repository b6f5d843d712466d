//! Which hosts share an uplink. A file says it, one group a line: `rack1 tests=2: db1 db2 db3`; a member is a host or
//! another group, so that sites hold racks.

use fullwire_model::mesh::MeshGroup;
use std::collections::HashMap;

/// Groups in groups: deeper than this is a mistake.
const DEEPEST: usize = 16;

/// Groups and who is in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Topology {
    groups: Vec<Group>,
    /// The innermost group of each host.
    of_host: Vec<Option<usize>>,
}

/// Hosts behind one uplink.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    name: String,
    parent: Option<usize>,
    uplink_tests: u32,
}

/// What is wrong with a topology file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct TopologyError {
    /// Counted from 1.
    pub line: usize,
    /// In words.
    pub what: String,
}

impl Topology {
    /// Hosts of which nothing is known.
    pub fn flat(hosts: usize) -> Self {
        Self { groups: Vec::new(), of_host: vec![None; hosts] }
    }

    /// Reads a file about these hosts.
    pub fn parse(text: &str, hosts: &[String]) -> Result<Self, TopologyError> {
        let mut lines = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line_number = index + 1;
            let line = line.split('#').next().unwrap_or("").trim();
            if !line.is_empty() {
                lines.push((line_number, Line::parse(line, line_number)?));
            }
        }
        let mut topology = Self::flat(hosts.len());
        let mut by_name = HashMap::new();
        for (line, group) in &lines {
            let taken = hosts.contains(&group.name) || by_name.contains_key(&group.name);
            if taken {
                return Err(wrong(*line, format!("{} is the name of another host or group", group.name)));
            }
            by_name.insert(group.name.clone(), topology.groups.len());
            let (name, uplink_tests) = (group.name.clone(), group.tests);
            topology.groups.push(Group { name, parent: None, uplink_tests });
        }
        for (own, (line, group)) in lines.iter().enumerate() {
            for member in &group.members {
                let place = match (hosts.iter().position(|host| host == member), by_name.get(member)) {
                    (Some(host), _) => &mut topology.of_host[host],
                    (None, Some(&inner)) => &mut topology.groups[inner].parent,
                    (None, None) => {
                        return Err(wrong(
                            *line,
                            format!("{member} is neither a host of this mesh nor a group"),
                        ));
                    }
                };
                if place.replace(own).is_some() {
                    return Err(wrong(*line, format!("{member} is in two groups")));
                }
            }
        }
        match (0..topology.groups.len()).find(|&group| topology.chain(Some(group)).len() > DEEPEST) {
            Some(group) => {
                Err(wrong(lines[group].0, format!("{} contains itself", topology.groups[group].name)))
            }
            None => Ok(topology),
        }
    }

    /// Number of groups, each with one uplink.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// Tests that the uplink of a group may carry at the same time.
    pub fn uplink_tests(&self, group: usize) -> u32 {
        self.groups[group].uplink_tests
    }

    /// The innermost group of a host.
    pub fn group_of(&self, host: usize) -> Option<usize> {
        self.of_host.get(host).copied().flatten()
    }

    /// The uplinks that a path between two hosts crosses: of each group that holds one of them and not the other.
    pub fn uplinks(&self, one: usize, other: usize) -> Vec<usize> {
        let (a, b) = (self.chain(self.group_of(one)), self.chain(self.group_of(other)));
        let only = |own: &[usize], foreign: &[usize]| -> Vec<usize> {
            own.iter().filter(|group| !foreign.contains(group)).copied().collect()
        };
        [only(&a, &b), only(&b, &a)].concat()
    }

    /// As the document lists them.
    pub fn listed(&self, hosts: &[String]) -> Vec<MeshGroup> {
        let inside = |group: usize| {
            let in_it = |host: &usize| self.chain(self.group_of(*host)).contains(&group);
            (0..self.of_host.len()).filter(in_it).map(|host| hosts[host].clone()).collect()
        };
        let listed = |(index, group): (usize, &Group)| MeshGroup {
            name: group.name.clone(),
            hosts: inside(index),
            uplink_tests: group.uplink_tests,
        };
        self.groups.iter().enumerate().map(listed).collect()
    }

    /// A group and those that hold it, from the inside out; cut where it would not end.
    fn chain(&self, group: Option<usize>) -> Vec<usize> {
        let next = |group: &usize| self.groups[*group].parent;
        std::iter::successors(group, next).take(DEEPEST + 1).collect()
    }
}

/// One line of the file.
struct Line {
    name: String,
    tests: u32,
    members: Vec<String>,
}

impl Line {
    fn parse(text: &str, line: usize) -> Result<Self, TopologyError> {
        let expected = || wrong(line, "expected NAME [tests=N]: MEMBER…, such as rack1: db1 db2".into());
        let (head, members) = text.split_once(':').ok_or_else(expected)?;
        let mut words = head.split_whitespace();
        let name = words.next().ok_or_else(expected)?.to_owned();
        let mut tests = 1;
        for word in words {
            let number = word.strip_prefix("tests=").and_then(|number| number.parse().ok());
            tests = number.filter(|&number| number > 0).ok_or_else(expected)?;
        }
        let separator = |c: char| c == ',' || c.is_whitespace();
        let members: Vec<String> =
            members.split(separator).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        if members.is_empty() { Err(expected()) } else { Ok(Self { name, tests, members }) }
    }
}

fn wrong(line: usize, what: String) -> TopologyError {
    TopologyError { line, what }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(count: usize) -> Vec<String> {
        (0..count).map(|index| format!("h{index}")).collect()
    }

    #[test]
    fn a_path_crosses_the_uplinks_of_groups_that_hold_one_end() {
        let text = "r1: h0 h1\nr2 tests=2: h2, h3 # comment\na: r1 r2\nb: h4\n";
        let topology = Topology::parse(text, &hosts(6)).unwrap();
        assert_eq!(topology.uplinks(0, 1), [0_usize; 0]);
        assert_eq!(topology.uplinks(0, 2), [0, 1]);
        assert_eq!(topology.uplinks(0, 4), [0, 2, 3]);
        assert_eq!(topology.uplinks(4, 5), [3]);
        assert_eq!(topology.uplink_tests(1), 2);
        let listed = topology.listed(&hosts(6));
        assert_eq!(listed[2].hosts, ["h0", "h1", "h2", "h3"]);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, what) in [
            ("r1 h0", "expected"),
            ("r1: h9", "neither a host"),
            ("r1: h0\nr2: h0", "two groups"),
            ("r1: r2\nr2: r1", "contains itself"),
            ("h0: h1", "another host"),
            ("r1 tests=0: h0", "expected"),
        ] {
            let error = Topology::parse(text, &hosts(3)).unwrap_err().to_string();
            assert!(error.starts_with("line ") && error.contains(what), "{text}: {error}");
        }
    }
}
