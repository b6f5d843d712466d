rule! {
    /// # What it checks
    /// Passes when data and metadata of each thin pool and the space of each snapshot are used to less than 90 %. Where their
    /// fill is not known, the kernel log's word of a pool that ran low or out of space within the last day counts; so does in any case that of a
    /// pool that turned read-only, or of a snapshot that was lost.
    /// # Why it matters
    /// A full pool turns writes of every volume in it into errors; a full snapshot is lost.
    /// # Evidence
    /// Status of the device-mapper target; kernel log, "reached low water mark", "out-of-data-space", "switching
    /// pool to read-only mode", "Invalidating snapshot".
    /// # Remedy
    /// `lvextend` the pool (`--poolmetadatasize` for metadata), and let dmeventd do it
    /// (`thin_pool_autoextend_threshold`).
    /// # Source
    /// Linux Documentation/admin-guide/device-mapper/thin-provisioning.rst (out of space behaviour);
    /// drivers/md/dm-thin.c (`check_low_water_mark`, `notify_of_pool_mode_change`); drivers/md/dm-snap.c
    /// (`__invalidate_snapshot`); Netdata
    /// health.d (LVM thin 90 and 98 %); lvmthin(7).
    code: "lvm-pool-full",
    title: "a thin pool or snapshot is nearly full",
    layer: Storage, severity: Critical, on: [Volume],

    /// Of the pool: time to extend it (lvmthin(7) extends at 70 to 100 %).
    const NEARLY: f64 = 0.90;
    /// Of the pool: writes are about to fail.
    const FULL: f64 = 0.98;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let of_kind =
        |volume: &&LogicalVolume| matches!(volume.layout.as_str(), "thin" | "thin-pool" | "snapshot");
    let mut seen = BTreeSet::new();
    // A pool's figures are at each of its volumes too.
    let volumes = run.host.logical_volumes.iter().filter(of_kind);
    let mut outcomes: Vec<Outcome> =
        volumes.filter(|volume| seen.insert(filled(volume))).map(judge).collect();
    outcomes.extend(logged(run));
    outcomes
}

/// The newest of the worst lines of each pool. A pool whose fill is known now is judged by that.
fn logged(run: &Run) -> Vec<Outcome> {
    let known = |line: &LogLine| {
        let mut volumes = run.host.logical_volumes.iter().filter(|volume| volume.data_used.is_some());
        let own = pool_of(run, line);
        volumes.any(|volume| {
            own.is_none_or(|own| volume.device == own.name || pool_name(own) == Some(filled(volume)))
        })
    };
    let lines = run.host.kernel_log.iter().filter(|line| line.pattern == "pool-full");
    let recent: Vec<&LogLine> = lines.filter(|line| facts::log::is_recent(run, line)).collect();
    let of_fill = recent.iter().filter(|line| word(line).by_fill && !known(line));
    let worst = of_fill.max_by_key(|line| word(line).severity);
    // That a pool no longer takes writes, or that a snapshot is lost, no fill tells.
    let failed = recent.iter().find(|line| !word(line).by_fill);
    [worst, failed].into_iter().flatten().map(|line| told(run, line)).collect()
}

/// What a line says.
struct Word {
    what: &'static str,
    severity: Severity,
    /// It follows from the fill alone.
    by_fill: bool,
}

fn word(line: &LogLine) -> Word {
    let says = |text: &str| line.text.contains(text);
    let (what, severity, by_fill) = match () {
        () if says("Invalidating snapshot") => {
            ("a snapshot overflowed or failed and is lost", Severity::Warning, false)
        }
        () if says("read-only mode") => {
            ("a thin pool takes no more writes (read-only after an error)", Severity::Critical, false)
        }
        () if says("fail mode") => ("a thin pool failed: no volume in it works", Severity::Critical, false),
        () if says("low water mark") => ("a thin pool ran low on space", Severity::Warning, true),
        () => ("a thin pool ran out of space", Severity::Critical, true),
    };
    Word { what, severity, by_fill }
}

/// The device that the line names by its number: `device-mapper: thin: 253:5: ...`.
fn pool_of<'a>(run: &'a Run, line: &LogLine) -> Option<&'a Disk> {
    let number = line.text.split_once("thin: ")?.1.split(": ").next()?;
    run.host.disk_by_number(number)
}

fn told(run: &Run, line: &LogLine) -> Outcome {
    let ago = facts::log::ago(run, line);
    let Word { what, severity, .. } = word(line);
    let is_snapshot = line.text.contains("snapshot");
    let unnamed = if is_snapshot { "snapshot" } else { "thin pool" };
    let name = pool_of(run, line).and_then(pool_name).unwrap_or(unnamed);
    let finding = finding!(Kind::Volume.named(name), "{what}{ago}: {}", line.text)
        .severity(severity)
        .evidence(facts::log::quoted(line), "kernel log");
    if is_snapshot {
        return finding
            .because("Nothing can be read back from a snapshot that overflowed; its origin is intact.")
            .look("lvs -a -o+data_percent,lv_snapshot_invalid", "Shows which one it is")
            .now("`lvremove` it, and take a new one with more room")
            .persist("/etc/lvm/lvm.conf: snapshot_autoextend_threshold = 80, snapshot_autoextend_percent = 20; dmeventd must run")
            .expecting("no such line while the snapshot is kept")
            .into();
    }
    if severity == Severity::Critical && !word(line).by_fill {
        return finding
            .because("A pool whose metadata could not be written refuses writes, so that nothing more is damaged.")
            .look("lvs -a -o+lv_health_status,data_percent,metadata_percent", "Shows its state and fill")
            .look("dmesg -T | grep -iE 'device-mapper|I/O error' || true", "The first error is the cause")
            .persist(
                "Repair the disk below, or extend the metadata if it is full; then stop the database, deactivate the pool and run `lvconvert --repair VG/POOL` (lvmthin(7), Metadata check and repair)",
            )
            .unmounts("everything in the pool")
            .needs("there is a backup: the repair writes new metadata")
            .expecting("an empty health status in `lvs`")
            .into();
    }
    finding
        .advice(grown_in_time(
            because(POOL).look("lvs -a -o+data_percent,metadata_percent", "Shows how full it is now").now(
                "`lvextend -L +10G VG/POOL`; for the metadata `lvextend --poolmetadatasize +1G VG/POOL`",
            ),
        ))
        .into()
}

const POOL: &str =
    "A thin pool promises more space than it has; when it runs out, all its volumes fail together.";

fn grown_in_time(now: Advice) -> Advice {
    now.persist("/etc/lvm/lvm.conf: thin_pool_autoextend_threshold = 80, thin_pool_autoextend_percent = 20; dmeventd must run")
        .expecting("less than 90 % in `lvs -o+data_percent,metadata_percent`")
}

/// What fills up: the pool of a thin volume, or the volume itself. A pool has a second map, `-tpool`, below its volumes.
fn filled(volume: &LogicalVolume) -> &str {
    let of_pool = volume.layout == "thin" && !volume.pool.is_empty();
    without_layer(if of_pool { &volume.pool } else { &volume.name })
}

fn pool_name(disk: &Disk) -> Option<&str> {
    disk.dm.as_ref().map(|map| without_layer(&map.name))
}

fn without_layer(name: &str) -> &str {
    name.strip_suffix("-tpool").unwrap_or(name)
}

/// As LVM's commands take it: `my-vg/pool` of `my--vg-pool`.
fn path(name: &str) -> String {
    let doubled = name.replace("--", "\0");
    doubled.replacen('-', "/", 1).replace('\0', "-")
}

fn judge(volume: &LogicalVolume) -> Outcome {
    let parts =
        [volume.data_used.map(|used| ("data", used)), volume.metadata_used.map(|used| ("metadata", used))];
    let Some((_, used)) = parts.into_iter().flatten().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return facts::unread(&format!("the fill of {}", filled(volume)));
    };
    let full: Vec<String> =
        parts.into_iter().flatten().map(|(part, used)| format!("{part} {}", facts::percent(used))).collect();
    let seen: Vec<String> =
        parts.into_iter().flatten().map(|(part, used)| format!("{part} used {used:.3}")).collect();
    let kind = if volume.layout == "snapshot" { "snapshot" } else { "thin pool" };
    let name = filled(volume);
    if used < NEARLY {
        return Outcome::Passes;
    }
    // What overflows is the snapshot: its origin goes on (Linux Documentation, device-mapper/snapshot.rst).
    let snapshot = volume.layout == "snapshot";
    let severity = if used >= FULL && !snapshot { Severity::Critical } else { Severity::Warning };
    let state = if used >= 1.0 { "full" } else { "nearly full" };
    let then = match (snapshot, used >= 1.0) {
        (true, true) => "it is lost, its origin is not",
        (true, false) => "when it is full it is lost, its origin is not",
        (false, _) => "writes fail when it is full",
    };
    finding!(Kind::Volume.named(name), "{kind} {name} is {state} ({}): {then}", full.join(", "))
        .severity(severity)
        .measured(used, NEARLY, Unit::Ratio)
        .evidence(seen.join(", "), "device-mapper status")
        .advice(advice(volume, name))
        .into()
}

fn advice(volume: &LogicalVolume, name: &str) -> Advice {
    let path = path(name);
    if volume.layout == "snapshot" {
        return because("A snapshot that overflows is lost.")
            .now(format!("`lvextend -L +10G {path}`, or remove the snapshot if no one needs it", path = as_word(&path)))
            .persist("/etc/lvm/lvm.conf: snapshot_autoextend_threshold = 80, snapshot_autoextend_percent = 20; dmeventd must run")
            .expecting("less than 90 % in `lvs -o+data_percent`");
    }
    let grow = [
        (volume.data_used, format!("for the data `lvextend -L +10G {path}`", path = as_word(&path))),
        (
            volume.metadata_used,
            format!("for the metadata `lvextend --poolmetadatasize +1G {path}`", path = as_word(&path)),
        ),
    ];
    let grow: Vec<String> =
        grow.into_iter().filter(|(used, _)| *used >= Some(NEARLY)).map(|(_, text)| text).collect();
    grown_in_time(because(POOL).now(format!(
        "Extend the pool while it is in use: {}; `vgs` shows whether the volume group has the space",
        grow.join("; ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_and_its_own_map_are_one() {
        let volume = |name: &str, layout: &str, pool: &str| LogicalVolume {
            name: name.into(),
            layout: layout.into(),
            pool: pool.into(),
            data_used: Some(0.95),
            ..LogicalVolume::default()
        };
        let mut run = Run::default();
        run.host.logical_volumes = vec![
            volume("vg-pool", "thin-pool", ""),
            volume("vg-pool-tpool", "thin-pool", ""),
            volume("vg-redo", "thin", "vg-pool-tpool"),
        ];
        let text = r#"{ "kernel_log": [{ "pattern": "pool-full", "seconds": 899000, "count": 1,
              "text": "device-mapper: thin: 253:5: reached low water mark for data device: sending event." }],
            "os": { "uptime_s": 900000 },
            "disks": [{ "name": "dm-5", "number": "253:5", "kind": "lvm", "dm": { "name": "vg-pool-tpool" } }] }"#;
        let host: fullwire_model::host::Host = serde_json::from_str(text).expect("a host");
        (run.host.kernel_log, run.host.os, run.host.disks) = (host.kernel_log, host.os, host.disks);
        let outcomes = check(&Facts::of(&run));
        assert!(matches!(&outcomes[..], [Outcome::Fires(finding)] if finding.subject == "vg-pool"));
        // Its fill is not known: the log's word is all there is.
        run.host.logical_volumes.clear();
        let outcomes = check(&Facts::of(&run));
        assert!(matches!(&outcomes[..], [Outcome::Fires(finding)] if finding.subject == "vg-pool"));
    }

    #[test]
    fn a_mapped_name_as_the_commands_take_it() {
        assert_eq!(path("vgredo-thinpool"), "vgredo/thinpool");
        assert_eq!(path("my--vg-my--pool"), "my-vg/my-pool");
    }
}
