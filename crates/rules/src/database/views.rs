//! What the rules on listings of `V$` views share.

use crate::Outcome;
use fullwire_model::Run;
use fullwire_model::demand::{AsmDisk, AsmGroup, AsmOperation, OracleViews};

/// The listing, where it is about ASM.
pub(super) fn asm(run: &Run) -> Option<&OracleViews> {
    let about = |views: &&OracleViews| {
        views.asm_groups.is_some() || views.asm_disks.is_some() || views.asm_operations.is_some()
    };
    run.views.as_ref().filter(about)
}

/// The listing, where it is about redo and standbys.
pub(super) fn standby(run: &Run) -> Option<&OracleViews> {
    let about = |views: &&OracleViews| {
        views.redo_groups.is_some()
            || views.standby_groups.is_some()
            || views.destinations.is_some()
            || views.dataguard.is_some()
            || views.database.is_some()
    };
    run.views.as_ref().filter(about)
}

/// The outcome for a view that the listing does not have.
pub(super) fn missing(views: &OracleViews, view: &str) -> Outcome {
    unknown!("{} does not list {view}", views.source())
}

/// Judges each disk group of a listing.
pub(super) fn each_group(run: &Run, judge: impl Fn(&OracleViews, &AsmGroup) -> Outcome) -> Vec<Outcome> {
    let Some(views) = asm(run) else { return Vec::new() };
    match &views.asm_groups {
        Some(groups) => groups.iter().map(|group| judge(views, group)).collect(),
        None => vec![missing(views, "v$asm_diskgroup")],
    }
}

/// Judges each disk group by its disks; those of quorum failure groups hold no data.
pub(super) fn each_group_of_disks(
    run: &Run,
    judge: impl Fn(&OracleViews, &str, &[&AsmDisk]) -> Outcome,
) -> Vec<Outcome> {
    let Some(views) = asm(run) else { return Vec::new() };
    let Some(disks) = &views.asm_disks else { return vec![missing(views, "v$asm_disk")] };
    let mut numbers: Vec<u64> = disks.iter().map(|disk| disk.group).filter(|number| *number > 0).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let judged = |number: &u64| {
        let own: Vec<&AsmDisk> = disks
            .iter()
            .filter(|disk| disk.group == *number && disk.failure_group_kind != "QUORUM")
            .collect();
        judge(views, &group_name(views, *number), &own)
    };
    numbers.iter().map(judged).collect()
}

/// A disk group's name as people say it: `+DATA`.
pub(super) fn group_name(views: &OracleViews, number: u64) -> String {
    match views.asm_group(number) {
        Some(group) => format!("+{}", group.name),
        None => format!("disk group {number}"),
    }
}

/// What goes on in a group; `None`: the listing does not have the view.
pub(super) fn operations<'a>(
    views: &'a OracleViews,
    group: &'a str,
) -> Option<impl Iterator<Item = &'a AsmOperation>> {
    let all = views.asm_operations.as_ref()?;
    Some(all.iter().filter(move |one| group_name(views, one.group) == group))
}

/// A disk's name as a person finds it.
pub(super) fn disk_name(disk: &AsmDisk) -> String {
    match (disk.name.is_empty(), disk.path.is_empty()) {
        (false, false) => format!("{} ({})", disk.name, disk.path),
        (false, true) => disk.name.clone(),
        (true, _) => disk.path.clone(),
    }
}

/// What the database is called in a finding.
pub(super) fn database_name(views: &OracleViews) -> String {
    let name = views.database.as_ref().map_or("", |database| database.name.as_str());
    if name.is_empty() { "Oracle".to_owned() } else { name.to_owned() }
}
