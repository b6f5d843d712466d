//! Names on the bus: one branch for each estate, in it one for each kind of word, in it one for each host. Who may say
//! and hear what is granted by these names.

use fullwire_model::assessment::is_plain_word;
use std::fmt::Write as _;

/// The names of one estate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subjects {
    estate: String,
}

/// A name that cannot be part of a subject.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{}\": a name has letters, digits, -, _ and dots, and no more than 128 of them", .0.escape_default())]
pub struct SubjectError(String);

const LONGEST: usize = 128;

impl Subjects {
    /// Of an estate.
    pub fn new(estate: &str) -> Result<Self, SubjectError> {
        check(estate)?;
        Ok(Self { estate: token(estate) })
    }

    /// Plans for a host.
    pub fn plan(&self, host: &str) -> String {
        self.of("plan", host)
    }

    /// A host is there.
    pub fn here(&self, host: &str) -> String {
        self.of("here", host)
    }

    /// What a host's node says.
    pub fn said(&self, host: &str) -> String {
        self.of("said", host)
    }

    /// A host's results.
    pub fn result(&self, host: &str) -> String {
        self.of("result", host)
    }

    /// Asks all hosts to say that they are there. It makes them say at most that, and so it is not signed.
    pub fn call(&self) -> String {
        format!("fw.{}.call", self.estate)
    }

    /// The same kind for all hosts: `here`, `said`, `result`, `plan`.
    pub fn all(&self, kind: &str) -> String {
        format!("fw.{}.{kind}.*", self.estate)
    }

    /// Where answers to a member go: `host` or `coordinator`.
    pub fn inbox(&self, member: &str) -> String {
        format!("_INBOX_{}_{}", self.estate, token(member))
    }

    /// The stream of results.
    pub fn stream(&self) -> String {
        format!("fw_{}_results", self.estate)
    }

    /// Kind and host of a subject of this estate.
    pub fn parse<'a>(&self, subject: &'a str) -> Option<(&'a str, String)> {
        let mut parts = subject.split('.');
        let ours = parts.next() == Some("fw") && parts.next() == Some(&self.estate);
        let (kind, host) = (parts.next()?, parts.next()?);
        (ours && parts.next().is_none()).then(|| (kind, host.replace('~', ".")))
    }

    fn of(&self, kind: &str, host: &str) -> String {
        format!("fw.{}.{kind}.{}", self.estate, token(host))
    }
}

/// Whether a name can be a host's or an estate's.
pub(crate) fn check(name: &str) -> Result<(), SubjectError> {
    if is_plain_word(name, LONGEST) && !name.starts_with('.') {
        Ok(())
    } else {
        Err(SubjectError(name.to_owned()))
    }
}

/// One part of a subject, whatever the name: a dot would begin the next one, `*` and `>` would stand for other names, and a space or
/// a line's end would end the word of the protocol (NATS, "Subject-Based Messaging"). `~` and `=` are in no name that [`check`] knows.
fn token(name: &str) -> String {
    let mut token = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'.' => token.push('~'),
            b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => token.push(char::from(byte)),
            // Writing to a text does not fail.
            other => drop(write!(token, "={other:02x}")),
        }
    }
    token
}

impl Subjects {
    /// Whether a name can be a host's.
    pub fn check_host(name: &str) -> Result<(), SubjectError> {
        check(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_with_dots_is_one_part_and_comes_back() {
        let subjects = Subjects::new("prod").unwrap();
        assert_eq!(subjects.plan("db1.example.com"), "fw.prod.plan.db1~example~com");
        assert_eq!(subjects.parse("fw.prod.plan.db1~example~com"), Some(("plan", "db1.example.com".into())));
        for other in ["fw.test.plan.db1", "fw.prod.plan", "fw.prod.plan.db1.x", "x.prod.plan.db1"] {
            assert_eq!(subjects.parse(other), None, "{other}");
        }
    }

    /// Also of one that nobody checked: what an agent says, what stands in a file that was edited.
    #[test]
    fn whatever_the_name_it_is_one_part_of_a_subject_and_no_other_name_s() {
        let names =
            ["db1", "*", ">", "a b", "a.b", "a~b", "a=2e", "a\r\nPUB x 1\r\n", "\0", "é", "", "*.>", "a.*"];
        let mut seen = std::collections::BTreeSet::new();
        for name in names {
            // Of a file of a coordinator that was edited.
            let subjects = Subjects { estate: token(name) };
            for subject in [subjects.plan("db1"), Subjects::new("prod").unwrap().plan(name)] {
                assert_eq!(subject.split('.').count(), 4, "{name:?}: {subject}");
                let plain = |c: char| c.is_ascii_alphanumeric() || ".-_~=".contains(c);
                assert!(subject.chars().all(plain), "{name:?}: {subject}");
                assert!(seen.insert(subject), "{name:?}");
            }
        }
    }

    #[test]
    fn no_name_reaches_into_the_branch_of_another() {
        for name in ["", "*", ">", "a b", "a>", "~", "-x", ".x", "a\n", "é", &"x".repeat(129)] {
            assert!(Subjects::check_host(name).is_err() && Subjects::new(name).is_err(), "{name:?}");
        }
    }
}
