//! A scenario's expectations: the comment lines at its top, as the bench's README describes them.

use anyhow::{Context, Result};
use regex::{Regex, RegexBuilder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub(super) struct Scenario {
    /// `KIND/NAME`
    pub(super) name: String,
    expect: BTreeMap<String, Vec<String>>,
}

impl Scenario {
    /// `KIND/NAME.sh` in the first of the folders that has it.
    pub(super) fn find(name: &str, folders: &[PathBuf]) -> Result<Self> {
        let file = format!("{name}.sh");
        let path = folders.iter().map(|folder| folder.join(&file)).find(|path| path.is_file()).with_context(
            || {
                format!(
                    "no scenario {file} below {}; name its folder with --scenarios",
                    super::shown(folders)
                )
            },
        )?;
        Ok(Self::parse(name, &super::read(&path)?))
    }

    pub(super) fn parse(name: &str, script: &str) -> Self {
        let mut expect = BTreeMap::<String, Vec<String>>::new();
        for line in script.lines().take_while(|line| line.starts_with('#')) {
            if let Some((key, value)) = line.strip_prefix("# ").and_then(|line| line.split_once(": "))
                && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            {
                expect.entry(key.to_owned()).or_default().push(value.trim().to_owned());
            }
        }
        Self { name: name.to_owned(), expect }
    }

    pub(super) fn all(&self, key: &str) -> &[String] {
        self.expect.get(key).map_or(&[], Vec::as_slice)
    }

    pub(super) fn one(&self, key: &str) -> Option<&str> {
        self.all(key).first().map(String::as_str)
    }

    /// The first pattern under this key, in any case of letters.
    pub(super) fn pattern(&self, key: &str) -> Result<Option<Regex>> {
        self.one(key).map(pattern).transpose()
    }

    pub(super) fn is_healthy(&self) -> bool {
        self.one("expect-healthy") == Some("yes")
    }

    /// The folder that the scenario is in: `net`, `host`, `compound`, `heal`.
    pub(super) fn kind(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// The row of the matrix of layers that it belongs to.
    pub(super) fn expected_layer(&self) -> &str {
        if self.is_healthy() { "healthy" } else { self.one("expect-layer").unwrap_or("any") }
    }
}

pub(super) fn pattern(expression: &str) -> Result<Regex> {
    RegexBuilder::new(expression)
        .case_insensitive(true)
        .build()
        .with_context(|| format!("read the pattern {expression}"))
}

/// Whether a path names a scenario's folder of results: it has the console.
pub(super) fn has_console(folder: &Path) -> bool {
    folder.join("console.txt").is_file()
}
