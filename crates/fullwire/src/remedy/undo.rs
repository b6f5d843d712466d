//! A step taken back by what the journal holds, and by nothing else.

use super::obstacle::Allowed;
use super::own::{self, Kept};
use super::{files, reach, shell};
use crate::journal::{Entry, Journal, Pen, Progress, Undo};
use crate::output::Show;
use crate::output::person;
use anyhow::{Result, bail};
use fullwire_model::assessment::Risk;
use fullwire_model::sh;
use fullwire_rules::advice::effect::{edits, interface, read_back, setting};
use std::fmt::Write as _;
use std::path::Path;

/// Takes a step back some time after it was done: what must be true is looked at again, what interrupts something needs a
/// window, and nothing that may cut off ssh is done where nobody could set it right.
pub(crate) fn later(journal: &mut Journal, number: u32, entry: &Entry, allowed: &Allowed) -> Result<()> {
    match entry.undo.iter().find_map(|undo| obstacle(undo, entry, allowed)) {
        Some(why) => bail!(why),
        None => step(journal, number, entry),
    }
}

fn obstacle(undo: &Undo, entry: &Entry, allowed: &Allowed) -> Option<String> {
    let run = undo.run.as_deref()?;
    if is_nothing_to_do(undo, run, entry) || is_of_someone_else(run, entry) {
        return None;
    }
    if undo.kind.risk() > Risk::Online && !allowed.window {
        let what = if undo.interrupts.is_empty() { "the service" } else { undo.interrupts.as_str() };
        return Some(format!("`{run}` interrupts {what}: it needs --window"));
    }
    let question =
        format!("`{run}` may cut off ssh, and nobody takes that back: is there another way to the host?");
    if entry.until_boot && reach::touches(run, &undo.interrupts, &allowed.ssh) && !person::agrees(&question) {
        return Some(format!(
            "`{run}` may cut off ssh, and nobody could set it right: do it from the console"
        ));
    }
    let failed = undo.checks.iter().find(|check| !shell::holds(check))?;
    Some(format!("`{run}` may not be run now: {failed} fails"))
}

/// Takes a step back and writes so.
pub(crate) fn step(journal: &mut Journal, number: u32, entry: &Entry) -> Result<()> {
    by(journal.pen(), number, entry)?;
    journal.was_undone(number);
    Ok(())
}

/// Takes a step back: the files that it changed have the bytes that they had, or lose what it wrote; then its commands are
/// run, where there is something to take back; and what those wrote anew has the bytes that it had.
pub(crate) fn by(pen: &mut Pen, number: u32, entry: &Entry) -> Result<()> {
    let ours = own::of_step(entry, &files::save(&entry.writes)?);
    // A disk that is full keeps nobody from taking a change back.
    let _ = pen.undoing(number);
    // Each is tried, whatever becomes of the others.
    let first = own::put_back(entry, &ours).and(commands(pen, entry));
    let files = own::restore(entry, &ours);
    let undone = first.and(files);
    let told = pen.undo_came_to(number, undone.as_ref().err());
    for Kept { path, lacks } in undone? {
        let mut text = format!(
            "{} was changed by someone else since: what fullwire wrote there was taken out, and the rest is left as it is",
            path.display()
        );
        if !lacks.is_empty() {
            let _ = write!(text, "; it lacks what stood there before: {}", lacks.join(" | "));
        }
        Show::warn(&text);
    }
    told
}

/// What cannot be taken back keeps nothing else from it.
fn commands(pen: &Pen, entry: &Entry) -> Result<()> {
    let failed: Vec<anyhow::Error> =
        entry.undo.iter().filter_map(|undo| one(pen, entry, undo).err()).collect();
    failed.into_iter().next().map_or(Ok(()), Err)
}

fn one(pen: &Pen, entry: &Entry, undo: &Undo) -> Result<()> {
    match &undo.run {
        Some(run) if is_nothing_to_do(undo, run, entry) => return Ok(()),
        Some(run) if is_of_someone_else(run, entry) => {
            Show::warn(&format!("changed by someone else since, and left as it is: `{run}` is not run"));
            return Ok(());
        }
        Some(run) => shell::run(run, pen.lock()?)?,
        None if person::agrees(&format!("by hand: {}. Is it done?", undo.text)) => {}
        None => bail!("by hand: {}", undo.text),
    }
    match is_back(undo).filter(|check| !shell::comes_to_hold(check, undo.kind)) {
        Some(check) => bail!("it is not as it was before: {check} fails"),
        None => Ok(()),
    }
}

/// A command that succeeds where there is nothing to take back.
fn is_back(undo: &Undo) -> Option<String> {
    undo.is_back.clone().or_else(|| Some(read_back(undo.run.as_deref()?)?.to_string()))
}

fn is_nothing_to_do(undo: &Undo, run: &str, entry: &Entry) -> bool {
    is_of_files(run, entry) || is_gone(run) || is_back(undo).is_some_and(|check| shell::holds(&check))
}

/// The kernel does not have any more what a command sets: the device was removed, the session was made anew.
fn is_gone(run: &str) -> bool {
    let of_kernel = |file: &String| file.starts_with("/sys/") || file.starts_with("/proc/");
    // /sys may show the interfaces of another network namespace; ip shows those that the command would find.
    let shown = |name: &str| shell::holds(&sh!("ip link show dev {}", name));
    setting(run).filter(of_kernel).is_some_and(|file| !Path::new(&file).exists())
        || interface(run).is_some_and(|name| shown("lo") && !shown(&name))
}

/// All that it does is to edit files that are put back, which would take out others' lines of the same key.
fn is_of_files(run: &str, entry: &Entry) -> bool {
    let edits = edits(run);
    edits.nothing_else && edits.files.iter().all(|file| entry.writes.contains(file))
}

/// What the step was done to is neither as the step left it nor, by what was asked before, as it was. After a step that did
/// not come to its end nobody knows what it left.
fn is_of_someone_else(run: &str, entry: &Entry) -> bool {
    let is_whole = matches!(entry.progress, Progress::Done | Progress::Undoing);
    let same = |step: &&String| setting(step).is_some_and(|name| setting(run) == Some(name));
    let made = entry.run.iter().find(same).and_then(|step| read_back(step));
    is_whole && made.is_some_and(|made| !shell::holds(&made))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::StepKind;

    fn obstacle_of(undo: &Undo, allowed: &Allowed) -> String {
        let run = ["ip link set dev lo mtu 9000".to_owned()];
        let entry = Entry { until_boot: true, ..Entry::new("it", "", &run, Vec::new()) };
        obstacle(undo, &entry, allowed).unwrap_or_default()
    }

    #[test]
    fn what_is_gone_needs_no_way_back() {
        let entry = Entry::new(
            "it",
            "",
            &["echo 5 > /sys/class/iscsi_session/session99/recovery_tmo".to_owned()],
            Vec::new(),
        );
        let undo = Undo::command("echo 120 > /sys/class/iscsi_session/session99/recovery_tmo");
        assert!(is_nothing_to_do(&undo, undo.run.as_deref().unwrap(), &entry));
        for (run, is) in [
            ("tc qdisc replace dev fw-none root tbf rate 8bit burst 1b limit 1b", true),
            ("ip link set dev fw-none mtu 1500", true),
            ("ethtool -K fw-none tso on", true),
            ("ip link set dev lo mtu 1500", false),
        ] {
            assert_eq!(is_gone(run), is, "{run}");
        }
        assert!(!is_gone("echo 1 > /proc/sys/kernel/panic") && !is_gone("echo x > /etc/nowhere"));
    }

    /// What a step needs before it is done, it needs before it is taken back on another day.
    #[test]
    fn taking_back_later_needs_what_the_step_needed() {
        let undo = Undo { kind: StepKind::LinkReset, ..Undo::command("ip link set dev lo mtu 1500") };
        assert!(obstacle_of(&undo, &Allowed::default()).contains("--window"));
        let mut allowed = Allowed { window: true, ..Allowed::default() };
        assert_eq!(obstacle_of(&undo, &allowed), "");
        let checked = Undo { checks: vec!["test -e /nowhere".to_owned()], ..undo.clone() };
        assert!(obstacle_of(&checked, &allowed).contains("test -e /nowhere fails"));
        allowed.ssh.insert("lo".to_owned());
        assert!(obstacle_of(&undo, &allowed).contains("from the console"));
    }
}
