//! Trouble that is over by what the same text says later: a page that was recovered, a node that joined.

/// A node of Galera has no quorum until it finds the others at its start: what it says before its first primary view is no trouble.
pub(super) fn joining(lines: &mut Vec<String>) {
    let first = lines.iter().position(|line| line.contains("view_id(PRIM")).unwrap_or(0);
    let starts = |line: &String| {
        let lower = line.to_lowercase();
        lower.contains("wsrep")
            && ["non-prim", "non_prim", "primary = no"].iter().any(|word| lower.contains(word))
    };
    let mut place = 0;
    lines.retain(|line| {
        place += 1;
        place > first || !starts(line)
    });
}

/// Of a log that is made anew its file is missing first (`alter database clear logfile` on a standby).
pub(super) fn cleared(lines: &mut Vec<String>) {
    // Cut off above, it begins with the end of one.
    let mut clears = lines
        .iter()
        .map(|line| line.to_lowercase())
        .find(|line| line.contains("clear logfile") || line.contains("clearing online log"))
        .is_some_and(|line| line.starts_with("completed: "));
    lines.retain(|line| {
        let lower = line.to_lowercase();
        let completed = lower.contains("completed: alter database clear logfile");
        clears = (clears || lower.contains("clear logfile") || lower.contains("clearing online log"))
            && !completed;
        !(clears && ["ORA-00313", "ORA-00312", "ORA-27037"].iter().any(|code| line.contains(code)))
    });
}

/// Torn pages that `InnoDB` put right from its doublewrite buffer: any start after a power cut has them.
pub(super) fn recovered(lines: &mut Vec<String>) {
    let page = |line: &str| Some(line.split_once("[page id: ")?.1.split(']').next()?.replace("number", ""));
    let whole: Vec<String> =
        lines.iter().filter(|line| line.contains("Recovered page")).filter_map(|line| page(line)).collect();
    lines.retain(|line| {
        !(line.contains("Trying to recover") && page(line).is_some_and(|page| whole.contains(&page)))
    });
}

/// Oracle reads a block that looks damaged once more: what it then finds valid was only being written at that moment.
pub(super) fn read_again(lines: &mut Vec<String>) {
    let block = |line: &str| {
        let (_, rest) = line.split_once("blocknum=").or_else(|| line.rsplit_once("block "))?;
        Some(rest.split(|c: char| !c.is_ascii_digit()).next()?.to_owned())
    };
    let valid: Vec<String> = lines
        .iter()
        .filter(|line| line.contains("found valid data"))
        .filter_map(|line| block(line))
        .collect();
    lines.retain(|line| {
        let damaged = line.contains("Corrupt block relative dba");
        !(damaged && block(line).is_some_and(|block| valid.contains(&block)))
    });
}

/// Blocks that btrfs read from another copy and wrote anew: of the damage the line of its repair is left.
pub(super) fn corrected(lines: &mut Vec<String>) {
    let last = lines.iter().rposition(|line| line.contains("read error corrected")).unwrap_or(0);
    let mut place = 0;
    lines.retain(|line| {
        place += 1;
        let damage =
            line.contains("csum failed") || (line.contains("errs: wr ") && line.contains(" corrupt "));
        place > last || !(line.contains("BTRFS") && damage)
    });
}

/// The kernel's error handler resets the device, the bus and the adapter one after the other for a device that does not answer
/// (`drivers/scsi/scsi_error.c`, `scsi_eh_ready_devs`): where it gives that up in the end, the resets tell of nothing else.
pub(super) fn given_up(lines: &mut Vec<String>) {
    const STEPS: [&str; 7] = [
        "abort command issued", "reset issued", "isp error recovery", "loop down detected",
        "attempting bus reset", "attempting target reset", "attempting host reset",
    ];
    let last = lines.iter().rposition(|line| line.contains("not ready after error recovery")).unwrap_or(0);
    let mut place = 0;
    lines.retain(|line| {
        place += 1;
        let lower = line.to_lowercase();
        place > last || !STEPS.iter().any(|step| lower.contains(step))
    });
}

/// A server of NFS that answered, and later did not, is away: its answer was before.
pub(super) fn answered(lines: &mut Vec<String>) {
    let last = lines.iter().rposition(|line| line.contains("nfs: server") && line.contains("not responding"));
    let mut place = 0;
    lines.retain(|line| {
        place += 1;
        last.is_none_or(|last| place > last) || !(line.contains("nfs: server") && line.ends_with(" OK"))
    });
}

/// A board that a driver does not know is none that it could bring up (drivers/scsi/hpsa.c, `hpsa_lookup_board_id`).
pub(super) fn of_others(lines: &mut Vec<String>) {
    lines.retain(|line| !line.contains("board not ready"));
}

#[cfg(test)]
mod tests {
    use super::super::joined;

    #[test]
    fn what_was_put_right_later_is_no_trouble() {
        let view = |kind: &str| format!("7 [Note] WSREP: view(view_id({kind},7)");
        let (prim, non) = (view("PRIM"), view("NON_PRIM"));
        assert_eq!(joined(&format!("{non}\n{prim}\n")), [prim.as_str()]);
        assert_eq!(joined(&format!("{prim}\n{non}\n")).len(), 2);
        let made = "alter database clear logfile group 7\nORA-00313: x\nCompleted: alter database clear logfile group 7\n";
        assert_eq!(joined(made).len(), 2);
        assert_eq!(joined(&format!("{made}ORA-00313: x\n")).len(), 3);
        let torn =
            "file read of page [page id: space=7, page number=81]. Trying to recover it from the buffer.";
        let whole = "Recovered page [page id: space=7, page number=81] from the buffer.";
        assert_eq!(joined(&format!("{torn}\n{whole}\n")), [whole]);
        assert_eq!(joined(&format!("{torn}\n{}\n", whole.replace("81", "82"))).len(), 2);
        let damaged = "Corrupt block relative dba: 0x00812abc (file 7, block 812)";
        let valid = "Reread of blocknum=812, file=/u02/a.dbf. found valid data";
        assert_eq!(joined(&format!("{damaged}\n{valid}\n")), [valid]);
        let (ok, away) = ("nfs: server 10.9.7.2 OK", "nfs: server 10.9.7.2 not responding, still trying");
        assert_eq!(joined(&format!("{ok}\n{away}\n")), [away]);
        assert_eq!(joined(&format!("{away}\n{ok}\n")).len(), 2);
        let damage = "BTRFS warning (device sdq1): csum failed root 5 ino 812 mirror 2";
        let right = "BTRFS info (device sdq1): read error corrected: ino 812";
        assert_eq!(joined(&format!("{damage}\n{right}\n")), [right]);
        assert_eq!(joined(&format!("{right}\n{damage}\n")).len(), 2);
        let (reset, gone) = (
            "xyz 7:0: ADAPTER RESET ISSUED.",
            "sd 7:0:0:0: Device offlined - not ready after error recovery",
        );
        assert_eq!(joined(&format!("{reset}\n{gone}\n")), [gone]);
        assert_eq!(joined(&format!("{gone}\n{reset}\n")).len(), 2);
    }
}
