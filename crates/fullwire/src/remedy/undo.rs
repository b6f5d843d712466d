//! A step taken back by what the journal holds, and by nothing else.

use super::device::device;
use super::obstacle::Allowed;
use super::own::{self, Kept};
use super::{files, reach, shell};
use crate::journal::{Entry, Journal, Pen, Progress, Undo};
use crate::output::Show;
use crate::output::person;
use anyhow::{Result, bail};
use fullwire_model::assessment::{Risk, ShellCommand};
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
    // A person is asked as it is taken back.
    if is_untold(undo, run, entry) {
        return None;
    }
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
        Some(run) if is_untold(undo, run, entry) => {
            let text = format!("where it is still so after the restart of the host: {run}");
            if !person::agrees(&format!("by hand, {text}. Is it done, or not needed?")) {
                bail!("by hand, {text}");
            }
            return Ok(());
        }
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
    is_of_files(run, entry)
        || is_gone(run)
        || is_back(undo).is_some_and(|check| shell::holds(&check))
        || entry.restarted && made(run, entry).is_some_and(|made| !shell::holds(&made))
}

/// After a restart nothing tells whether it is so again: its device has another name or is gone, or it cannot be read back.
fn is_untold(undo: &Undo, run: &str, entry: &Entry) -> bool {
    let is_same = || entry.run.iter().all(|step| device(step) == entry.device);
    let is_read = || made(run, entry).is_some() || is_back(undo).is_some_and(|check| shell::holds(&check));
    entry.restarted && !(is_same() && is_read())
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
    is_whole && made(run, entry).is_some_and(|made| !shell::holds(&made))
}

/// Succeeds where what a command takes back is as the step made it.
fn made(run: &str, entry: &Entry) -> Option<ShellCommand> {
    let same = |step: &&String| setting(step).is_some_and(|name| setting(run) == Some(name));
    entry.run.iter().find(same).and_then(|step| read_back(step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::leftovers;
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

    /// A keeper has made the change again as the host started: it is taken back. What is otherwise then is nobody's to change,
    /// and what cannot be told is not called taken back.
    #[test]
    fn after_a_restart_what_a_keeper_has_made_again_is_taken_back() {
        let mut process = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let file = format!("/proc/{}/oom_score_adj", process.id());
        let (value, read) = (
            |value: &str| std::fs::write(&file, value).unwrap(),
            || std::fs::read_to_string(&file).unwrap().trim().to_owned(),
        );
        for (after_the_start, device, after_the_undo) in [
            ("300", "", Some("200")),
            ("100", "", Some("100")),
            ("200", "", Some("200")),
            ("300", "naa.5", None),
        ] {
            let state = tempfile::tempdir().unwrap();
            let mut journal = Journal::begin(state.path(), "apply", "a run").unwrap();
            let now = Entry {
                until_boot: true,
                device: device.to_owned(),
                ..Entry::new(
                    "it",
                    "",
                    &[format!("echo 300 > {file}")],
                    vec![Undo::command(&format!("echo 200 > {file}"))],
                )
            };
            let keeps = Entry::new("it", "", &["echo 300 > /etc/x".to_owned()], Vec::new());
            for entry in [now, keeps] {
                let number = journal.about_to(entry).unwrap();
                journal.done(number, Vec::new()).unwrap();
            }
            journal.kept("it").unwrap();
            let path = journal.path();
            drop(journal);
            let text = std::fs::read_to_string(&path).unwrap();
            let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
            std::fs::write(&path, text.replace(boot.trim(), "another")).unwrap();
            value(after_the_start);
            let mut journal = leftovers(state.path()).left.pop().expect("a journal of this machine").journal;
            let (number, entry) = journal.in_effect().pop().expect("the step of now");
            let undone = later(&mut journal, number, &entry, &Allowed::default());
            assert_eq!(undone.is_ok(), after_the_undo.is_some(), "{undone:?}");
            assert_eq!(read(), after_the_undo.unwrap_or(after_the_start));
            assert_eq!(journal.in_effect().len(), if after_the_undo.is_some() { 1 } else { 2 });
        }
        process.kill().unwrap();
        process.wait().unwrap();
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
