//! What a settings file says as one line for each of its sections, so that settings which mean something together are told together.

/// Settings of multipath.conf(5) that decide what happens to I/O, and which array they are for.
const OF_MULTIPATH: [&str; 8] = [
    "vendor", "product", "features", "failback", "no_path_retry", "path_grouping_policy", "prio",
    "dev_loss_tmo",
];

/// Sections of multipath.conf(5): `multipath.conf: section=device; vendor=NETAPP; no_path_retry=0`.
pub(super) fn multipath(lines: &mut Vec<String>) {
    let mut told = Vec::new();
    let mut open: Vec<(String, Vec<String>)> = Vec::new();
    for line in lines.iter().map(|line| line.trim()).filter(|line| !line.starts_with(['#', '!'])) {
        if let Some(name) = line.strip_suffix('{') {
            open.push((name.trim().to_owned(), Vec::new()));
        } else if line == "}" {
            told.extend(open.pop());
        } else if let (Some((_, settings)), Some((name, value))) = (open.last_mut(), line.split_once(' '))
            && OF_MULTIPATH.contains(&name)
        {
            let value = value.split('#').next().unwrap_or("").trim().trim_matches('"').replace(';', ",");
            settings.push(format!("{name}={value}"));
        }
    }
    // Cut off below.
    told.extend(open);
    told.retain(|(section, settings)| !settings.is_empty() && !section.starts_with("blacklist"));
    lines
        .extend(told.iter().map(|(section, settings)| {
            format!("multipath.conf: section={section}; {}", settings.join("; "))
        }));
}

#[cfg(test)]
mod tests {
    use super::multipath;

    #[test]
    fn a_section_is_a_line() {
        let text = "defaults {\n  no_path_retry queue # for ever\n  verbosity 2\n}\nblacklist {\n device {\n  vendor \"X\"\n }\n}\n\
                    devices {\n device {\n  vendor \"ACME\"\n  #prio const\n  features \"1 queue_if_no_path\"\n";
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let before = lines.len();
        multipath(&mut lines);
        assert_eq!(
            lines[before..],
            [
                "multipath.conf: section=defaults; no_path_retry=queue",
                "multipath.conf: section=device; vendor=X",
                "multipath.conf: section=device; vendor=ACME; features=1 queue_if_no_path"
            ]
        );
    }
}
