//! The plan of a run as a script that a person reads; what executes it is `fullwire apply`.

mod ansible;
mod shell;

pub use ansible::ansible;
pub use shell::shell;

use fullwire_model::assessment::{Finding, Step, harmless};

/// What a script is made of.
#[derive(Debug, Clone, Copy)]
pub struct Script<'a> {
    /// The run's id.
    pub run_id: &'a str,
    /// The host that was judged.
    pub hostname: &'a str,
    /// What the host is, as name and value: what support asks for first.
    pub about: &'a [(String, String)],
    /// The store that the run is in; `None`: the user's.
    pub store: Option<&'a str>,
    /// The findings whose steps it takes, worst first.
    pub findings: &'a [&'a Finding],
    /// Why `fullwire apply` would refuse this run, and what to do instead; `None`: it takes it.
    pub refused: Option<&'a str>,
}

impl Script<'_> {
    /// The first comment: whose steps these are and, where nothing applies them, what to do instead.
    fn title(&self) -> String {
        let host = one_line(self.hostname);
        let whose = if host.is_empty() { host.clone() } else { format!(" for {host}") };
        let title = format!("# Steps that fullwire advises{whose}, from run {}.\n", one_line(self.run_id));
        match self.refused {
            Some(why) => format!("{title}# Nothing here is applied: {}.\n", one_line(why)),
            None => title,
        }
    }

    /// `fullwire apply` for these findings, word by word.
    fn words(&self) -> Vec<String> {
        let mut words = vec!["fullwire".to_owned(), "apply".to_owned(), plain(self.run_id)];
        if let Some(store) = self.store {
            words.extend(["--store".to_owned(), one_line(store)]);
        }
        let mut codes: Vec<String> = self.findings.iter().map(|finding| plain(&finding.code)).collect();
        codes.dedup();
        words.extend(codes.into_iter().flat_map(|code| ["--finding".to_owned(), code]));
        words
    }
}

/// One line: a name or a text from outside cannot begin another one.
fn one_line(text: &str) -> String {
    harmless(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name of which nothing means anything to a shell, a file system or Ansible.
fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '-' };
    name.chars().map(kept).collect()
}

/// What the machine that runs a step is called, and whether it is another one.
fn place(step: &Step) -> String {
    one_line(&step.on)
}
