//! Outputs in the form of the host's own files, for which there is one reader.

use std::fmt::Write as _;

/// The lines of `/proc/mounts` in a text that has them as they are, as `mount` prints them, as `/proc/PID/mountinfo` has them
/// (proc(5)), or as `nfsstat -m` does in two each.
pub(super) fn mounts(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut above = None;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [_, target, _, options, "0", "0" | "1" | "2"]
                if target.starts_with('/') && options.starts_with('r') =>
            {
                found.push(line.trim().to_owned());
            }
            [source, "on", target, "type", kind, options] if options.starts_with('(') => {
                let options = options.trim_matches(['(', ')']);
                found.push(format!("{source} {target} {kind} {options} 0 0"));
            }
            [_, _, device, _, target, options, .., "-", kind, source, _]
                if device.contains(':') && target.starts_with('/') =>
            {
                found.push(format!("{source} {target} {kind} {options} 0 0"));
            }
            [target, "from", source] if target.starts_with('/') && source.contains(':') => {
                above = Some((*source, *target));
                continue;
            }
            ["Flags:", options] => found.extend(above.map(|(source, target)| {
                let kind = if options.contains("vers=4") { "nfs4" } else { "nfs" };
                format!("{source} {target} {kind} {options} 0 0")
            })),
            _ => {}
        }
        above = None;
    }
    found
}

/// The table of `zpool status` that is cut off above: its first row is the pool.
pub(super) fn pool(table: &str) -> String {
    let row = table.lines().skip_while(|line| !line.contains(" CKSUM")).nth(1).unwrap_or("");
    let mut words = row.split_whitespace();
    let (name, state) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    format!("  pool: {name}\n state: {state}\nconfig:\n\n{table}")
}

/// What `mdadm --detail` prints, as `/proc/mdstat` has it.
pub(super) fn mdstat(detail: &str) -> String {
    let mut arrays: Vec<[String; 2]> = Vec::new();
    for line in detail.lines() {
        if let Some(name) = line.strip_prefix("/dev/").and_then(|name| name.trim_end().strip_suffix(':')) {
            arrays.push([format!("{name} : active"), String::new()]);
            continue;
        }
        let Some([members, rest]) = arrays.last_mut() else { continue };
        let (name, value) = line.split_once(" : ").unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        match (name.trim(), words.as_slice()) {
            ("Raid Level", _) => _ = write!(members, " {}", value.trim()),
            ("Raid Devices", _) => _ = write!(rest, "[{}/", value.trim()),
            ("Active Devices", _) => _ = write!(rest, "{}]", value.trim()),
            ("Chunk Size", _) => *rest = format!("{} chunk {rest}", value.trim().to_lowercase()),
            ("Rebuild Status", _) => _ = write!(rest, " recovery = {}", value.trim()),
            (_, [_, _, _, role, state, .., disk]) if disk.starts_with("/dev/") => {
                let flag = match *state {
                    "faulty" => "(F)",
                    "spare" if role.parse::<u32>().is_err() => "(S)",
                    _ => "",
                };
                _ = write!(members, " {}[{}]{flag}", disk.trim_start_matches("/dev/"), words[0]);
            }
            _ => {}
        }
    }
    arrays.iter().map(|[members, rest]| format!("{members}\n      {rest}\n")).collect()
}
