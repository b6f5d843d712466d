//! Volumes of RAID controllers, md and device mapper: whatever tool lists them, a row says which one and in which state.

/// What tools call the states of a volume, in lower case, and what they come to; a rebuild that runs comes first. Sources: 3ware
/// CLI guide (unit status), Areca CLI manual (`rsf info`), mpt-status(8), LSI `cfggen` guide, IBM `ServeRAID` `ipssend`,
/// `cciss_vol_status`(8).
const STATES: [(&str, &[&str]); 4] = [
    // A disk has failed, and nothing takes its place yet.
    ("degraded", &["interim"]),
    ("rebuilding", &["rebuild", "rbld", "resync", "initializ", "recover", "synchroniz", "migrating"]),
    ("degraded", &["degrad", "dgrd", "critical", "exposed", "spare drive has failed"]),
    ("failed", &["fail", "inoperable", "offline", "ofln", "offln", "ubad", "msng", "dead"]),
];

/// `RAID volume u0 is rebuilding` in place of each row of a volume that is not whole.
pub(super) fn volumes(lines: &mut Vec<String>) {
    let mut number = String::new();
    for line in lines {
        let numbered =
            ["ogical drive number ", "IR Volume ", "IR volume ", "Logical device                 : "];
        if let Some((_, rest)) = numbered.iter().find_map(|mark| line.split_once(mark)) {
            rest.split_whitespace().next().unwrap_or("").clone_into(&mut number);
        }
        let Some((name, state)) = row(line, &number) else { continue };
        let state = state.to_lowercase();
        let is = STATES.iter().find(|(_, words)| words.iter().any(|word| state.contains(word)));
        let is_disk = name.starts_with('c') && name.contains('p') || name.contains(':');
        *line = match is {
            Some((is, _)) if is_disk => format!("RAID disk {name} is {is}: {line}"),
            Some((is, _)) => format!("RAID volume {name} is {is}: {line}"),
            None if state.contains("cache off") => format!("RAID volume {name} has no write cache: {line}"),
            // Nothing that a row of a sound volume names is trouble.
            None => String::new(),
        };
    }
}

/// The volume that a row is about, and what tells of its state; `number` is the one above it.
fn row(line: &str, number: &str) -> Option<(String, String)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let unit = |word: &str| word.strip_prefix('u').is_some_and(|rest| rest.parse::<u8>().is_ok());
    match words.as_slice() {
        // tw_cli: `u0 RAID-5 OK - - 64K 1396.93 OFF OFF`
        [name, kind, state, .., cache, _] if unit(name) && kind.starts_with(['R', 'S', 'J']) => {
            let cache = if *cache == "OFF" { " cache off" } else { "" };
            Some(((*name).to_owned(), format!("{state}{cache}")))
        }
        // cli64: `1 data 15 11250.0GB 0.0GB 123456789ABCDEF Rebuilding`
        [index, name, disks, size, free, _, state, ..]
            if [index, disks].iter().all(|word| word.parse::<u16>().is_ok())
                && [size, free].iter().all(|word| word.ends_with("GB")) =>
        {
            Some(((*name).to_owned(), (*state).to_owned()))
        }
        // storcli: `32:1 1 UBad 0 446.625 GB SATA SSD N N 512B MTFDDAK480TDS U -`
        [slot, _, state, _, _, _, _, "HDD" | "SSD", ..] if slot.contains(':') => {
            Some(((*slot).to_owned(), (*state).to_owned()))
        }
        // megaclisas-status: `c0u0 | RAID-5 | 3271G | ... | Degraded |`, and its disks `c0u0p1 | HDD | ... | Failed |`.
        [name, "|", kind, "|", ..]
            if name.starts_with('c')
                && name.contains('u')
                && (kind.starts_with("RAID") || ["HDD", "SSD"].contains(kind)) =>
        {
            Some(((*name).to_owned(), line.split('|').skip(3).collect()))
        }
        // hpacucli: `array B (Failed)`
        // The array is called failed for one disk; its logical drives tell whether they are.
        ["array", name, state] if state.starts_with('(') => {
            let state = if state.contains("Failed") { "degraded" } else { *state };
            Some((format!("in array {name}"), state.to_owned()))
        }
        // arcconf getstatus: `Current operation : Rebuild`
        ["Current", "operation", ":", operation] => Some((number.to_owned(), (*operation).to_owned())),
        // mpt-status: `ioc0 vol_id 0 type IM, 2 phy, 68 GB, state DEGRADED, flags ENABLED RESYNC_IN_PROGRESS`
        [adapter, "vol_id", id, ..] => {
            let (_, state) = line.split_once(" state ")?;
            Some((format!("{id} of {adapter}"), state.to_owned()))
        }
        // dmsetup status: `vg-root: 0 2097152 raid raid1 2 AD 2097152/2097152 idle 0`
        [name, start, _, "raid", _, _, health, _, action, ..] if start.parse::<u64>().is_ok() => {
            let state = if health.contains('D') {
                "failed leg: degraded"
            } else if health.contains('a') && ["recover", "resync"].contains(action) {
                "resync"
            } else {
                ""
            };
            Some((name.trim_end_matches(':').to_owned(), state.to_owned()))
        }
        // cciss_vol_status: `/dev/sda: (Smart Array P410i) RAID 5 Volume 0 status: OK.`
        [device, ..] if device.starts_with("/dev/") && line.contains(" Volume ") => {
            let (_, state) = line.split_once(" status: ")?;
            Some((device.trim_end_matches(':').to_owned(), state.to_owned()))
        }
        // mdadm --examine: `Array State : A. ('A' == active, '.' == missing, 'R' == replacing)`
        ["Array", "State", ":", members, ..] => {
            let state = if members.contains('.') { "degraded" } else { "" };
            Some(("of this member".to_owned(), state.to_owned()))
        }
        _ => {
            let (name, state) = line.split_once(':')?;
            let name = name.trim();
            ["Status of logical drive", "Volume state"]
                .contains(&name)
                .then(|| (number.to_owned(), state.to_owned()))
        }
    }
}

/// What `lsblk` lists of a device that costs: `lsblk: sdb1 is read-only below /u01` (RO 1 of a mounted one; a snap is always so, and
/// a CD), `lsblk: sdb1 is misaligned` (ALIGNMENT other than 0).
pub(super) fn listed_blocks(text: &str, lines: &mut Vec<String>) {
    let mut heading: Vec<&str> = Vec::new();
    for line in text.lines().map(super::unquoted) {
        let bare = line.trim_start_matches([' ', '|', '`', '-', '│', '├', '└', '─']);
        let cells: Vec<&str> = bare.split_whitespace().collect();
        let cell = |name: &str| cells.get(heading.iter().position(|own| *own == name)?).copied();
        match cells.as_slice() {
            ["NAME", ..] => heading = cells,
            [name, ..] if ["loop", "sr"].iter().any(|kind| name.starts_with(kind)) => {}
            [name, .., mount]
                if cell("RO") == Some("1") && mount.starts_with('/') && !mount.starts_with("/snap/") =>
            {
                lines.push(format!("lsblk: {name} is read-only below {mount}"));
            }
            [name, ..]
                if cell("ALIGNMENT").is_some_and(|offset| offset != "0" && offset.parse::<i64>().is_ok()) =>
            {
                lines.push(format!("lsblk: {name} is misaligned"));
            }
            _ => {}
        }
    }
}

/// Disks of an Exadata cell that are not normal, of `cellcli -e list physicaldisk`: `8:3  R812  failed`, `FLASH_1_3  812  warning -
/// poor performance`; each becomes `cell: disk=FLASH_1_3; status=failed`.
pub(super) fn cell_disks(lines: &mut Vec<String>) {
    const STATES: [&str; 5] = ["failed", "warning", "critical", "predictive failure", "not present"];
    let row = |line: &String| {
        let mut words = line.split_whitespace();
        let (name, _) = (words.next()?, words.next()?);
        let status = words.collect::<Vec<_>>().join(" ");
        let is_slot = name.split(':').count() == 2 && name.bytes().all(|c| c.is_ascii_digit() || c == b':');
        let is_disk = is_slot || name.starts_with("FLASH_") || name.starts_with("M2_");
        (is_disk && STATES.iter().any(|state| status.starts_with(state)))
            .then(|| format!("cell: disk={name}; status={status}"))
    };
    for line in lines {
        if let Some(row) = row(line) {
            *line = row;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::joined;

    /// A row of each tool whose volume is not whole, what it comes to, and the same row of a sound one.
    #[test]
    fn each_tool_tells_of_a_volume_that_is_not_whole() {
        for (row, is, sound) in [
            (
                "u7    RAID-5    DEGRADED   -    -    64K   812.1   ON   OFF",
                "u7 is degraded",
                "u7    RAID-5    OK   -    -    64K   812.1   ON   OFF",
            ),
            (
                "u7    RAID-5    OK   -    -    64K   812.1   OFF   OFF",
                "u7 has no write cache",
                "u7    RAID-5    VERIFYING   3%    -    64K   812.1   ON   OFF",
            ),
            (
                " 2  vol7   8 8120.0GB  0.0GB 12345678  Degraded",
                "vol7 is degraded",
                " 2  vol7   8 8120.0GB  0.0GB 12345678  Normal",
            ),
            (
                "ioc7 vol_id 3 type IM, 2 phy, 812 GB, state DEGRADED, flags ENABLED RESYNC_IN_PROGRESS",
                "3 of ioc7 is rebuilding",
                "ioc7 vol_id 3 type IM, 2 phy, 812 GB, state OPTIMAL, flags ENABLED",
            ),
            (
                "c7u3 | RAID-5 | 812G | 64 KB | RA,WB | Default | Degraded | /dev/sdq | None |None",
                "RAID volume c7u3 is degraded",
                "c7u3 | RAID-5 | 812G | 64 KB | RA,WB | Default | Optimal | /dev/sdq | None |None",
            ),
            (
                "c7u3p9 | HDD | ACME RAID812 A1 | 812 Gb | Failed | 6.0Gb/s | 33C | [8:9] | 9",
                "RAID disk c7u3p9 is failed",
                "c7u3p9 | HDD | ACME RAID812 A1 | 812 Gb | Online, Spun Up | 6.0Gb/s | 33C | [8:9] | 9",
            ),
            ("   array Q (Failed)", "RAID volume in array Q is degraded", "   array Q (OK)"),
            (
                "   Current operation              : Rebuild",
                "is rebuilding",
                "   Current operation              : None",
            ),
            (
                "vg7-data: 0 8124 raid raid1 2 AD 8124/8124 idle 0",
                "vg7-data is degraded",
                "vg7-data: 0 8124 raid raid1 2 AA 8124/8124 idle 0",
            ),
            (
                "/dev/sdq: (Smart Array P000) RAID 5 Volume 0 status: Interim recovery mode.",
                "/dev/sdq is degraded",
                "/dev/sdq: (Smart Array P000) RAID 5 Volume 0 status: OK.",
            ),
            (
                "   Array State : AA.A ('A' == active, '.' == missing)",
                "of this member is degraded",
                "   Array State : AAAA ('A' == active, '.' == missing)",
            ),
            (
                "   Status of logical drive        : Critical (CRT)",
                "is degraded",
                "   Status of logical drive        : Okay (OKY)",
            ),
        ] {
            assert!(joined(row)[0].contains(is), "{:?}", joined(row));
            assert!(joined(sound).iter().all(String::is_empty), "{:?}", joined(sound));
        }
    }

    #[test]
    fn a_disk_of_a_cell_that_is_not_normal_is_a_row() {
        let listed = "\t 8:0       \t R812    \t normal\n\t FLASH_1_3 \t 412     \t failed\n";
        let told = super::super::joined(listed);
        assert_eq!(told, ["8:0             R812            normal", "cell: disk=FLASH_1_3; status=failed"]);
    }
}
