//! Configuration files of the `[section]` kind, with their includes.

use super::Files;

/// Files that one configuration may take in, and how deep.
const MAX_FILES: usize = 64;
const MAX_DEPTH: usize = 8;
const MAX_BYTES: usize = 1 << 20;

/// What is called for each setting: name, value, `FILE:LINE`.
pub(super) type Sink<'a> = &'a mut dyn FnMut(&str, &str, &str);

/// Which settings are wanted. No other is taken from a file, or kept of it.
pub(super) type Wanted<'a> = &'a dyn Fn(&str) -> bool;

/// Where a configuration begins.
#[derive(Clone, Copy)]
pub(super) enum Start<'a> {
    /// At the place where every host has it.
    AtItsPlace(&'a str),
    /// Where the process says.
    Named(&'a str),
}

impl Start<'_> {
    fn read(self, files: &Files, kept: impl Fn(&str) -> String) -> Option<String> {
        match self {
            Self::AtItsPlace(path) => files.read_at_its_place(path, MAX_BYTES, kept),
            Self::Named(path) => files.read(path, MAX_BYTES, kept),
        }
    }

    fn path(&self) -> &str {
        match self {
            Self::AtItsPlace(path) | Self::Named(path) => path,
        }
    }
}

/// One configuration of the `[section]` kind.
pub(super) struct Ini<'a> {
    pub(super) files: &'a Files<'a>,
    pub(super) section: &'a dyn Fn(&str) -> bool,
    pub(super) wanted: Wanted<'a>,
}

impl Ini<'_> {
    /// Reads settings of the sections that `section` chooses, in the order in which they take effect.
    /// `!include FILE` and `!includedir DIR` are followed.
    pub(super) fn read(&self, start: Start, sink: Sink) {
        self.file(start, sink, MAX_DEPTH, &mut 0);
    }

    fn file(&self, start: Start, sink: Sink, depth: usize, count: &mut usize) {
        *count += 1;
        if depth == 0 || *count > MAX_FILES {
            return;
        }
        let Some(text) = start.read(self.files, |text| kept_of_ini(text, self.wanted)) else { return };
        let mut inside = false;
        for (index, line) in text.lines().enumerate() {
            match ini_line(line) {
                Some(Line::Section(name)) => inside = (self.section)(name),
                Some(Line::IncludeDirectory(directory)) => {
                    let names = self.files.list(directory);
                    for name in names.iter().filter(|name| has_suffix(name, "cnf")) {
                        let path = format!("{directory}/{name}");
                        self.file(Start::Named(&path), sink, depth - 1, count);
                    }
                }
                Some(Line::Include(file)) => self.file(Start::Named(file), sink, depth - 1, count),
                Some(Line::Setting(name, value)) if inside && (self.wanted)(name) => {
                    let value = value.trim_matches(['"', '\'']);
                    sink(name, value, &format!("{}:{}", start.path(), index + 1));
                }
                _ => {}
            }
        }
    }
}

enum Line<'a> {
    Section(&'a str),
    Include(&'a str),
    IncludeDirectory(&'a str),
    Setting(&'a str, &'a str),
}

fn ini_line(line: &str) -> Option<Line<'_>> {
    let line = line.trim();
    if let Some((name, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return Some(Line::Section(name.trim()));
    }
    if let Some(directory) = line.strip_prefix("!includedir ") {
        return Some(Line::IncludeDirectory(directory.trim().trim_end_matches('/')));
    }
    if let Some(file) = line.strip_prefix("!include ") {
        return Some(Line::Include(file.trim()));
    }
    if line.is_empty() || line.starts_with(['#', ';', '!']) {
        return None;
    }
    let (name, value) = line.split_once('=').unwrap_or((line, ""));
    let value = value.split_once(" #").map_or(value, |(value, _)| value);
    Some(Line::Setting(name.trim(), value.trim()))
}

/// The lines that are read, each at its number; comments and all else are left out.
fn kept_of_ini(text: &str, wanted: Wanted) -> String {
    let kept = |line: &str| match ini_line(line)? {
        Line::Section(name) => Some(format!("[{name}]")),
        Line::Include(file) => Some(format!("!include {file}")),
        Line::IncludeDirectory(directory) => Some(format!("!includedir {directory}")),
        Line::Setting(name, value) => wanted(name).then(|| format!("{name}={value}")),
    };
    super::kept_lines(text, kept)
}

/// The servers compare the ends of file names byte by byte.
fn has_suffix(name: &str, suffix: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| end == suffix)
}

/// Reads a `postgresql.conf`: `name = value`, `name value`, quotes, comments, `include`, `include_if_exists`
/// and `include_dir`, relative to the file that names them.
pub(super) fn postgresql(files: &Files, path: &str, wanted: Wanted, sink: Sink) {
    postgresql_file(files, path, wanted, sink, MAX_DEPTH, &mut 0);
}

fn postgresql_file(files: &Files, path: &str, wanted: Wanted, sink: Sink, depth: usize, count: &mut usize) {
    *count += 1;
    if depth == 0 || *count > MAX_FILES {
        return;
    }
    let Some(text) = files.read(path, MAX_BYTES, |text| kept_of_postgresql(text, wanted)) else { return };
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let absolute =
        |name: &str| if name.starts_with('/') { name.to_owned() } else { format!("{directory}/{name}") };
    for (index, line) in text.lines().enumerate() {
        let Some((name, value)) = postgresql_line(line) else { continue };
        match name.as_str() {
            "include" | "include_if_exists" => {
                postgresql_file(files, &absolute(&value), wanted, sink, depth - 1, count);
            }
            "include_dir" => {
                let directory = absolute(&value);
                let is_conf = |name: &&String| has_suffix(name, "conf") && !name.starts_with('.');
                for name in files.list(&directory).iter().filter(is_conf) {
                    postgresql_file(files, &format!("{directory}/{name}"), wanted, sink, depth - 1, count);
                }
            }
            name if wanted(name) => sink(name, &value, &format!("{path}:{}", index + 1)),
            _ => {}
        }
    }
}

/// The lines that are read, each at its number.
fn kept_of_postgresql(text: &str, wanted: Wanted) -> String {
    super::kept_lines(text, |line| {
        let (name, value) = postgresql_line(line)?;
        let is_include = ["include", "include_if_exists", "include_dir"].contains(&name.as_str());
        (is_include || wanted(&name)).then(|| format!("{name} = '{}'", value.replace('\'', "''")))
    })
}

/// One line's name and value; `None` for a comment or an empty line.
fn postgresql_line(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let end = line.find(|c: char| c.is_whitespace() || c == '=' || c == '#')?;
    let (name, rest) = line.split_at(end);
    if name.is_empty() {
        return None;
    }
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('=').unwrap_or(rest).trim_start();
    let value = match rest.strip_prefix('\'') {
        Some(quoted) => unquoted(quoted),
        None => rest.split('#').next().unwrap_or("").trim().to_owned(),
    };
    Some((name.to_ascii_lowercase(), value))
}

/// The text up to the closing quote; a doubled quote is one.
fn unquoted(text: &str) -> String {
    let mut value = String::new();
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        if c == '\'' && characters.next_if_eq(&'\'').is_none() {
            break;
        }
        value.push(c);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_every_form_of_a_postgresql_line() {
        let line = |text: &str| postgresql_line(text).map(|(name, value)| format!("{name}|{value}"));
        assert_eq!(line("shared_buffers = 8GB\t# min 128kB").as_deref(), Some("shared_buffers|8GB"));
        assert_eq!(line("Fsync off").as_deref(), Some("fsync|off"));
        assert_eq!(line("log_line_prefix='%m # it''s' # x").as_deref(), Some("log_line_prefix|%m # it's"));
        assert_eq!(line("#port = 5433"), None);
        assert_eq!(line(""), None);
    }

    proptest! {
        #[test]
        fn mangled_lines_never_panic(line in ".{0,60}") {
            if let Some((name, _)) = postgresql_line(&line) {
                prop_assert!(!name.is_empty());
            }
        }
    }
}
