//! Configuration files of the `[section]` kind, with their includes.

use crate::Root;

/// Files that one configuration may take in, and how deep.
const MAX_FILES: usize = 64;
const MAX_DEPTH: usize = 8;
const MAX_BYTES: usize = 1 << 20;

/// What is called for each setting: name, value, `FILE:LINE`.
pub(super) type Sink<'a> = &'a mut dyn FnMut(&str, &str, &str);

/// Reads settings of the sections that `section` chooses, in the order in which they take effect.
/// `!include FILE` and `!includedir DIR` are followed.
pub(super) fn ini(root: &Root, path: &str, section: &dyn Fn(&str) -> bool, sink: Sink) {
    let mut files = 0;
    ini_file(root, path, section, sink, MAX_DEPTH, &mut files);
}

fn ini_file(
    root: &Root,
    path: &str,
    section: &dyn Fn(&str) -> bool,
    sink: Sink,
    depth: usize,
    files: &mut usize,
) {
    *files += 1;
    if depth == 0 || *files > MAX_FILES {
        return;
    }
    let Ok((text, _)) = root.try_read(path, MAX_BYTES) else { return };
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            inside = section(name.0.trim());
        } else if let Some(directory) = line.strip_prefix("!includedir ") {
            let directory = directory.trim().trim_end_matches('/');
            for name in root.list(directory).iter().filter(|name| has_suffix(name, "cnf")) {
                ini_file(root, &format!("{directory}/{name}"), section, sink, depth - 1, files);
            }
        } else if let Some(file) = line.strip_prefix("!include ") {
            ini_file(root, file.trim(), section, sink, depth - 1, files);
        } else if inside && !line.starts_with(['#', ';']) && !line.is_empty() {
            let (name, value) = line.split_once('=').unwrap_or((line, ""));
            let value = value.split_once(" #").map_or(value, |(value, _)| value);
            sink(name.trim(), value.trim().trim_matches(['"', '\'']), &format!("{path}:{}", index + 1));
        }
    }
}

/// The servers compare the ends of file names byte by byte.
fn has_suffix(name: &str, suffix: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| end == suffix)
}

/// Reads a `postgresql.conf`: `name = value`, `name value`, quotes, comments, `include`, `include_if_exists`
/// and `include_dir`, relative to the file that names them.
pub(super) fn postgresql(root: &Root, path: &str, sink: Sink) {
    let mut files = 0;
    postgresql_file(root, path, sink, MAX_DEPTH, &mut files);
}

fn postgresql_file(root: &Root, path: &str, sink: Sink, depth: usize, files: &mut usize) {
    *files += 1;
    if depth == 0 || *files > MAX_FILES {
        return;
    }
    let Ok((text, _)) = root.try_read(path, MAX_BYTES) else { return };
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let absolute =
        |name: &str| if name.starts_with('/') { name.to_owned() } else { format!("{directory}/{name}") };
    for (index, line) in text.lines().enumerate() {
        let Some((name, value)) = postgresql_line(line) else { continue };
        match name.as_str() {
            "include" | "include_if_exists" => {
                postgresql_file(root, &absolute(&value), sink, depth - 1, files);
            }
            "include_dir" => {
                let directory = absolute(&value);
                for name in root
                    .list(&directory)
                    .iter()
                    .filter(|name| has_suffix(name, "conf") && !name.starts_with('.'))
                {
                    postgresql_file(root, &format!("{directory}/{name}"), sink, depth - 1, files);
                }
            }
            name => sink(name, &value, &format!("{path}:{}", index + 1)),
        }
    }
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
