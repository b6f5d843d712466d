rule! {
    /// # What it checks
    /// Passes when no disk group is being rebalanced; a warning when a rebalance stopped with an error.
    /// # Why it matters
    /// A rebalance reads and writes as fast as its power lets it: it is load beside the database's, and every measurement
    /// meanwhile is lower. One that stopped leaves data unevenly spread, or mirrors missing.
    /// # Evidence
    /// `V$ASM_OPERATION`.
    /// # Remedy
    /// Wait, or set its power.
    /// # Source
    /// Oracle Automatic Storage Management Administrator's Guide, "Manually Rebalancing Disk Groups", "Tuning Rebalance
    /// Operations"; Oracle Database Reference, `V$ASM_OPERATION`.
    code: "asm-rebalance",
    title: "ASM rebalances a disk group, or could not",
    layer: Database, severity: Warning, on: [AsmGroup],
}

/// Of several operations on a group the first of these is told.
const WORST_FIRST: [&str; 2] = ["ERRORS", "RUN"];

fn check(run: &Facts) -> Vec<Outcome> {
    let Some(views) = views::asm(run) else { return Vec::new() };
    let Some(operations) = &views.asm_operations else {
        return vec![views::missing(views, "v$asm_operation")];
    };
    // Release 12 lists each pass of one rebalance.
    let mut active: Vec<&AsmOperation> = operations.iter().filter(|one| one.state != "DONE").collect();
    active.sort_by_key(|one| {
        (one.group, WORST_FIRST.iter().position(|state| one.state == *state).unwrap_or(WORST_FIRST.len()))
    });
    active.dedup_by_key(|one| one.group);
    match active.as_slice() {
        [] => vec![Outcome::Passes],
        active => active.iter().map(|one| judge(views, one)).collect(),
    }
}

fn judge(views: &OracleViews, operation: &AsmOperation) -> Outcome {
    let group = views::group_name(views, operation.group);
    let name = group.trim_start_matches('+');
    let failed = operation.state == "ERRORS" || !operation.error.is_empty();
    let left = match operation.minutes_left {
        Some(minutes) if !failed && operation.state == "RUN" => format!(", about {minutes} minutes left"),
        _ => String::new(),
    };
    let what = if failed {
        format!(
            "the rebalance of {group} stopped with {}",
            if operation.error.is_empty() { "an error" } else { &operation.error }
        )
    } else {
        format!("{group} is being rebalanced ({}){left}: it takes I/O from the database", operation.state)
    };
    let power = operation.power.unwrap_or(1);
    RULE.finding(Kind::AsmGroup.named(&group), what)
        .severity(if failed { Severity::Warning } else { Severity::Info })
        .evidence(
            format!("{} {}, power {power}, error {}", operation.operation, operation.state, if operation.error.is_empty() { "none" } else { &operation.error }),
            views.source(),
        )
        .because("The database and the rebalance share the disks.")
        .now(if failed {
            format!("The ASM alert log names the cause (room, a disk); then: alter diskgroup {name} rebalance power {power} wait;")
        } else {
            format!("Wait for it before you measure. Less load for a longer time: alter diskgroup {name} rebalance power 1;")
        })
        .undo(format!("alter diskgroup {name} rebalance power {power};"))
        .expecting("v$asm_operation without rows")
        .into()
}
