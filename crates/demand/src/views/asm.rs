//! Disk groups, disks and operations of ASM (Oracle Database Reference: `V$ASM_DISKGROUP`, `V$ASM_DISK`,
//! `V$ASM_OPERATION`; `asmcmd lsdg`).

use super::{Cells, MIB, Table, yes};
use fullwire_model::demand::{AsmDisk, AsmGroup, AsmOperation, OracleViews};

pub(super) fn groups(table: Option<&Table>, views: &mut OracleViews) {
    let rows = table.map_or_else(Vec::new, |table| table.rows("v$asm_diskgroup", &mut views.gaps, group));
    views.asm_groups.get_or_insert_with(Vec::new).extend(rows);
}

fn group(cells: &Cells) -> Option<AsmGroup> {
    // asmcmd lsdg ends the name with a slash, and gives the allocation unit in bytes as the view does.
    let name = cells.text(&["name"]).trim_end_matches('/').to_owned();
    cells.number(&["totalmb"])?;
    Some(AsmGroup {
        number: cells.count(&["groupnumber", "group#", "grp"]),
        name: Some(name).filter(|name| !name.is_empty())?,
        state: cells.word(&["state"]),
        redundancy: cells.word(&["type", "redundancy"]),
        total_bytes: cells.megabytes(&["totalmb"]),
        free_bytes: cells.megabytes(&["freemb"]),
        required_mirror_free_bytes: cells.megabytes(&["requiredmirrorfreemb", "reqmirfreemb"]),
        usable_file_bytes: cells.number(&["usablefilemb"]).and_then(signed),
        offline_disks: cells.count(&["offlinedisks"]),
        allocation_unit_bytes: cells.count(&["allocationunitsize", "ausize", "au"]),
        voting_files: yes(&cells.word(&["votingfiles"])),
    })
}

#[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
fn signed(megabytes: f64) -> Option<i64> {
    let bytes = megabytes * MIB;
    (bytes.abs() < 9e18).then_some(bytes as i64)
}

pub(super) fn disks(table: Option<&Table>, views: &mut OracleViews) {
    let rows = table.map_or_else(Vec::new, |table| table.rows("v$asm_disk", &mut views.gaps, disk));
    views.asm_disks.get_or_insert_with(Vec::new).extend(rows);
}

fn disk(cells: &Cells) -> Option<AsmDisk> {
    let (name, path) = (cells.text(&["name"]), cells.text(&["path"]));
    if name.is_empty() && path.is_empty() {
        return None;
    }
    Some(AsmDisk {
        group: cells.count(&["groupnumber", "group#", "grp"])?,
        name,
        path,
        failure_group: cells.text(&["failgroup"]),
        // Where that column is missing, its name is found in the one before.
        failure_group_kind: Some(cells.word(&["failgrouptype"]))
            .filter(|word| matches!(word.as_str(), "REGULAR" | "QUORUM"))
            .unwrap_or_default(),
        mount_status: cells.word(&["mountstatus"]),
        header_status: cells.word(&["headerstatus"]),
        mode_status: cells.word(&["modestatus"]),
        state: cells.word(&["state"]),
        total_bytes: cells.megabytes(&["totalmb"]),
        free_bytes: cells.megabytes(&["freemb"]),
        read_errors: cells.count(&["readerrs"]),
        write_errors: cells.count(&["writeerrs"]),
        reads: cells.count(&["reads"]),
        read_s: cells.number(&["readtime"]),
    })
}

pub(super) fn operations(table: Option<&Table>, views: &mut OracleViews) {
    let rows = table.map_or_else(Vec::new, |table| table.rows("v$asm_operation", &mut views.gaps, operation));
    views.asm_operations.get_or_insert_with(Vec::new).extend(rows);
}

fn operation(cells: &Cells) -> Option<AsmOperation> {
    Some(AsmOperation {
        group: cells.count(&["groupnumber", "group#", "grp"])?,
        operation: Some(cells.word(&["operation"])).filter(|word| !word.is_empty())?,
        state: cells.word(&["state"]),
        power: cells.count(&["power"]),
        minutes_left: cells.count(&["estminutes"]),
        error: cells.text(&["errorcode"]),
    })
}
