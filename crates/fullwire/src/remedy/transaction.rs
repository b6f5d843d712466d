//! A finding's remedy as one transaction: each step is checked, done, read back and written down; one that fails or is left
//! out ends it, and what was done of it is taken back.

use super::device::device;
use super::obstacle::{self, is_change, steps};
pub(crate) use super::obstacle::{Allowed, cost, obstacle};
use super::watchdog::{QUESTION, Watchdog};
use super::{files, reach, shell, undo, way_back};
use crate::journal::{Entry, Journal};
use crate::output::person;
use crate::signals;
use anyhow::{Context as _, Result};
use fullwire_model::assessment::{Advice, Check, Finding, Phase, Step, StepKind};
use fullwire_rules::advice::effect::lasts;
use std::collections::BTreeSet;

/// What came of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Its steps are done.
    Applied,
    /// All was so already.
    AlreadySo,
    /// Nothing of it is in effect; why it was left out.
    Skipped(String),
    /// Why it failed; what was done of it was taken back.
    Failed(String),
    /// Why it failed, and why it could not be taken back.
    Stuck(String),
}

/// How a finding is called in the journal and to a person.
pub(crate) fn name(finding: &Finding) -> String {
    format!("{}: {}", finding.code, finding.subject)
}

/// Every change of the finding is in effect.
pub(crate) fn is_in_effect(finding: &Finding, allowed: &Allowed) -> bool {
    let changes = steps(&finding.advice).into_iter().filter(|step| is_change(step));
    // A service that reads its configuration again has nothing to read where nothing changed.
    let mut told = changes.filter(|step| step.kind != StepKind::Reload).peekable();
    told.peek().is_some() && told.all(|step| is_so(step, &name(finding), allowed))
}

/// A step's change is in effect: by its read-back or, where it has none, by the journal of the same finding. What is done now
/// and leaves nothing to read is done anew: the finding that asks for it is the proof that it is not so.
fn is_so(step: &Step, of: &str, allowed: &Allowed) -> bool {
    match step.read_back.as_deref() {
        Some(check) => shell::holds(check),
        None if step.phase == Phase::Now => false,
        None => step.command().is_some_and(|run| allowed.done.contains(&(of.to_owned(), run.to_string()))),
    }
}

/// One finding that is being applied.
struct Transaction<'a> {
    journal: &'a mut Journal,
    finding: &'a Finding,
    allowed: &'a Allowed,
    name: String,
    /// Steps of it in the journal.
    begun: Vec<u32>,
    /// A command was run, or a person has done a step.
    is_changed: bool,
    /// Phases whose way back is in the journal.
    covered: Vec<Phase>,
    tell: &'a dyn Fn(&str),
}

/// The commands of a finding that change something, in order.
pub(crate) fn commands(advice: &Advice) -> Vec<&str> {
    steps(advice).into_iter().filter(|step| is_change(step)).filter_map(|step| step.run.as_deref()).collect()
}

/// Why a finding ended early.
enum Stop {
    Skip(String),
    Fail(String),
}

/// Applies a finding. An error means that the journal cannot be written: nothing more may be done.
pub(crate) fn apply(
    journal: &mut Journal,
    finding: &Finding,
    allowed: &Allowed,
    tell: &dyn Fn(&str),
) -> Result<Ending> {
    let name = name(finding);
    if let Some(why) = obstacle(finding, allowed) {
        journal.skipped(&name, &why)?;
        return Ok(Ending::Skipped(why));
    }
    if is_in_effect(finding, allowed) {
        return Ok(Ending::AlreadySo);
    }
    let mut all = Transaction {
        journal,
        finding,
        allowed,
        name,
        begun: Vec::new(),
        is_changed: false,
        covered: Vec::new(),
        tell,
    };
    let stop = match all.unkept().or_else(|| all.questions()) {
        None => all.carry_out()?,
        stop => stop,
    };
    let Some(stop) = stop else {
        if all.begun.is_empty() {
            return Ok(Ending::AlreadySo);
        }
        all.journal.kept(&all.name)?;
        return Ok(Ending::Applied);
    };
    let taken_back = all.take_back();
    let (why, is_skip) = match stop {
        Stop::Skip(why) => (why, true),
        Stop::Fail(why) => (why, false),
    };
    all.journal.skipped(&all.name, &why)?;
    Ok(match taken_back {
        Err(error) => Ending::Stuck(format!("{why}; not taken back: {}", crate::sentence(&error))),
        Ok(()) if is_skip => Ending::Skipped(why),
        Ok(()) => Ending::Failed(why),
    })
}

impl Transaction<'_> {
    /// What only a person can tell is asked before anything is done.
    fn questions(&self) -> Option<Stop> {
        let steps = steps(&self.finding.advice);
        let asked: Vec<&String> = steps
            .iter()
            .filter(|step| step.is_here() && !obstacle::comes_later(step))
            .flat_map(|step| &step.needs)
            .collect();
        let mut told = BTreeSet::new();
        let denied = asked
            .into_iter()
            .filter(|needs| told.insert(*needs))
            .find(|needs| !person::agrees(&format!("Needed: {needs}. Is it so?")))?;
        Some(Stop::Skip(format!("not confirmed: {denied}")))
    }

    /// A file that could not be put back: a link, or one that is mounted by itself.
    fn unkept(&self) -> Option<Stop> {
        let mut changes = steps(&self.finding.advice).into_iter().filter(|step| is_change(step));
        let error = changes.find_map(|step| files::save(&step.writes).err())?;
        Some(Stop::Skip(crate::sentence(&error)))
    }

    fn carry_out(&mut self) -> Result<Option<Stop>> {
        let advice = self.finding.advice.clone();
        for step in steps(&advice) {
            if signals::raised() {
                return Ok(Some(Stop::Fail("interrupted".to_owned())));
            }
            if let Some(stop) = self.one(&advice, step)? {
                return Ok(Some(stop));
            }
        }
        Ok(None)
    }

    fn one(&mut self, advice: &Advice, step: &Step) -> Result<Option<Stop>> {
        let Some(run) = step.command().filter(|_| step.is_here()) else {
            if obstacle::comes_later(step) {
                (self.tell)(&format!("still to do {}", step.text));
                return Ok(None);
            }
            self.is_changed = true;
            return Ok(by_hand(step));
        };
        if step.kind == StepKind::Look {
            (self.tell)(&format!("look       {run}"));
            return Ok(match shell::look(run) {
                Ok(text) => {
                    text.lines().for_each(|line| (self.tell)(&format!("           {line}")));
                    None
                }
                Err(error) => Some(Stop::Fail(crate::sentence(&error))),
            });
        }
        if self.is_so(step) {
            (self.tell)(&format!("already so {run}"));
            return Ok(None);
        }
        if let Some(check) = self.required(advice, step).into_iter().find(|check| !shell::holds(&check.run)) {
            return Ok(Some(Stop::Skip(format!("it is not so that {} ({})", check.text, check.run))));
        }
        (self.tell)(&format!("run        {run}"));
        self.change(advice, step, run)
    }

    /// What makes something anew out of files is done again after each change of them.
    fn is_so(&self, step: &Step) -> bool {
        (step.read_back.is_some() || !self.is_changed) && is_so(step, &self.name, self.allowed)
    }

    /// What must be true before a step and, before the first change, for all that follows it without a person: a file system
    /// is not unmounted before it is known that it can be mounted.
    fn required<'s>(&self, advice: &'s Advice, step: &'s Step) -> Vec<&'s Check> {
        let all = steps(advice).into_iter().skip_while(|one| *one != step);
        let count = if self.begun.is_empty() { usize::MAX } else { 1 };
        let commands = all.take_while(|one| one.is_here() && one.command().is_some()).take(count);
        commands.filter(|one| !self.is_so(one)).flat_map(|one| &one.checks).collect()
    }

    fn change(&mut self, advice: &Advice, step: &Step, run: &str) -> Result<Option<Stop>> {
        let before = match files::save(&step.writes) {
            Ok(before) => before,
            Err(error) => return Ok(Some(Stop::Fail(crate::sentence(&error)))),
        };
        let undo = way_back::of(advice, step, &mut self.covered);
        let entry = Entry {
            before,
            writes: step.writes.clone(),
            until_boot: step.phase == Phase::Now && step.writes.is_empty() && !lasts(run),
            device: device(run),
            ..Entry::new(&self.name, &step.text, &[run.to_owned()], undo)
        };
        let number = self.journal.about_to(entry)?;
        self.begun.push(number);
        self.is_changed = true;
        let mut watchdog = if reach::may_cut(step, &self.allowed.ssh) {
            match Watchdog::start(self.journal, self.in_effect()) {
                Ok(watchdog) => Some(watchdog),
                Err(error) => return Ok(Some(Stop::Fail(crate::sentence(&error)))),
            }
        } else {
            None
        };
        let lock = self.journal.pen().lock()?;
        let held = files::hold(&step.writes);
        let done = shell::run(run, lock);
        files::carry_attributes(&held);
        let done = done.and_then(|()| shell::took_effect(step));
        if let Some(watchdog) = &mut watchdog {
            watchdog.command_ended();
        }
        if let Err(error) = done {
            let why = crate::sentence(&error);
            self.journal.failed(number, &why, files::save(&step.writes).ok())?;
            if let Some(watchdog) = watchdog {
                self.refused(watchdog);
            }
            return Ok(Some(Stop::Fail(why)));
        }
        // What cannot be read now is not known.
        let after = files::save(&step.writes).unwrap_or_default();
        self.journal.done(number, after)?;
        watchdog.map_or(Ok(None), |watchdog| self.confirmed(watchdog))
    }

    /// The steps of this finding that may be in effect, the last one first.
    fn in_effect(&self) -> Vec<(u32, Entry)> {
        let all = self.journal.in_effect().into_iter();
        all.filter(|(number, _)| self.begun.contains(number)).collect()
    }

    /// Asks whether the host can still be reached; without an answer the watchdog takes the finding back.
    fn confirmed(&mut self, watchdog: Watchdog) -> Result<Option<Stop>> {
        const ASKED: &str = "This may have cut off ssh. If you can read this, it did not: keep the change? (without an answer it is taken back within a minute)";
        if person::agrees_within(ASKED, QUESTION) {
            if watchdog.confirm()? {
                return Ok(None);
            }
            self.all_taken_back();
            return Ok(Some(Stop::Fail("the answer came too late: it was taken back".to_owned())));
        }
        self.refused(watchdog);
        Ok(Some(Stop::Fail("not confirmed that the host can still be reached".to_owned())))
    }

    fn refused(&mut self, watchdog: Watchdog) {
        // If it could not take the change back, the way that every failure goes is tried after it.
        if watchdog.refuse().is_ok_and(|stays| !stays) {
            self.all_taken_back();
        }
    }

    fn all_taken_back(&mut self) {
        self.in_effect().into_iter().for_each(|(number, _)| self.journal.was_undone(number));
    }

    /// What cannot be taken back keeps nothing else from it.
    fn take_back(&mut self) -> Result<()> {
        let mut failed = None;
        for (number, entry) in self.in_effect() {
            (self.tell)(&format!("take back  {}", entry.text));
            let taken = undo::step(self.journal, number, &entry).with_context(|| entry.text.clone());
            failed = failed.or(taken.err());
        }
        failed.map_or(Ok(()), Err)
    }
}

/// A step by hand, or on another host: it is asked whether it is done.
fn by_hand(step: &Step) -> Option<Stop> {
    let place = if step.is_here() { "by hand".to_owned() } else { format!("on {}", step.on) };
    let run = step.command().map_or_else(String::new, |run| format!(" ({run})"));
    let question = format!("{place}: {}{run}. Done, or not needed?", step.text);
    (!person::agrees(&question)).then(|| Stop::Skip(format!("not confirmed: {place}: {}", step.text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::leftovers;
    use fullwire_model::assessment::ShellCommand;
    use fullwire_model::sh;
    use std::path::{Path, PathBuf};

    /// A folder in which steps leave files.
    struct Place {
        folder: tempfile::TempDir,
        state: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Self {
            let folder = || tempfile::tempdir().expect("a folder");
            Self { folder: folder(), state: folder() }
        }

        fn file(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn there(&self, name: &str) -> bool {
            self.file(name).exists()
        }

        fn apply(&self, steps: Vec<Step>, allowed: &Allowed) -> Ending {
            let mut journal = Journal::begin(self.state.path(), "apply", "a run").expect("journal");
            let ending = apply(&mut journal, &finding(steps), allowed, &|_| ()).expect("a journal");
            journal.end();
            ending
        }

        /// Steps that the journals hold. A program that another test starts in this process has the lock of a journal until it
        /// is another program.
        fn held(&self) -> usize {
            let journals =
                || std::fs::read_dir(self.state.path().join("journal")).into_iter().flatten().count();
            let until = std::time::Instant::now() + std::time::Duration::from_secs(5);
            loop {
                let all = leftovers(self.state.path()).left;
                if all.len() == journals() || std::time::Instant::now() > until {
                    return all.iter().map(|left| left.journal.in_effect().len()).sum();
                }
                std::thread::yield_now();
            }
        }
    }

    fn finding(steps: Vec<Step>) -> Finding {
        let mut finding: Finding = serde_json::from_str(
            r#"{ "code": "a-finding", "severity": "warning", "layer": "host", "subject": "it", "message": "",
                 "measured": null, "limit": null, "unit": null, "evidence": [],
                 "advice": { "why": "", "steps": [], "expect": "" } }"#,
        )
        .expect("a finding");
        finding.advice.steps = steps;
        finding
    }

    fn step(phase: Phase, run: ShellCommand) -> Step {
        Step { run: Some(run), ..Step::by_hand(phase, "a step") }
    }

    fn text(path: &Path) -> String {
        path.to_string_lossy().into_owned()
    }

    /// A step that makes a file, with what tells that it is there, and its undo.
    fn made(place: &Place, phase: Phase, name: &str) -> [Step; 2] {
        let file = text(&place.file(name));
        let do_it = Step { read_back: Some(sh!("test -e {}", file)), ..step(phase, sh!("touch {}", file)) };
        let undo = Step { undoes: vec![phase], ..step(Phase::Undo, sh!("rm {}", file)) };
        [do_it, undo]
    }

    #[test]
    fn what_fails_takes_the_whole_finding_back() {
        let place = Place::new();
        let [one, back] = made(&place, Phase::Now, "one");
        let failing = step(Phase::Persist, sh!("touch {} && false", text(&place.file("two"))));
        let undo = Step {
            undoes: vec![Phase::Persist],
            ..step(Phase::Undo, sh!("rm -f {}", text(&place.file("two"))))
        };
        let ending = place.apply(vec![one, failing, back, undo], &Allowed::default());
        assert!(matches!(ending, Ending::Failed(_)), "{ending:?}");
        assert!(!place.there("one") && !place.there("two") && place.held() == 0);
    }

    #[test]
    fn what_is_done_stays_in_the_journal_and_is_not_done_twice() {
        let place = Place::new();
        let steps = [made(&place, Phase::Now, "one"), made(&place, Phase::Persist, "two")].concat();
        assert_eq!(place.apply(steps.clone(), &Allowed::default()), Ending::Applied);
        assert_eq!(place.held(), 2);
        assert!(leftovers(place.state.path()).left.iter().all(|left| left.interrupted().is_empty()));
        assert_eq!(place.apply(steps, &Allowed::default()), Ending::AlreadySo);
        assert_eq!(place.held(), 2);
    }

    #[test]
    fn what_leaves_nothing_to_read_is_done_again() {
        let place = Place::new();
        let file = text(&place.file("count"));
        let once = |phase| step(phase, sh!("echo {} >> {}", format!("{phase:?}"), file));
        let steps = vec![once(Phase::Now), once(Phase::Persist)];
        let done = steps
            .iter()
            .map(|step| ("a-finding: it".to_owned(), step.run.as_ref().expect("a command").to_string()))
            .collect();
        let allowed = Allowed { done, ..Allowed::default() };
        // What is kept is made anew after a change.
        assert_eq!(place.apply(steps.clone(), &allowed), Ending::Applied);
        let read = || std::fs::read_to_string(place.file("count")).expect("a file");
        assert_eq!(read(), "Now\nPersist\n");
        // Alone it counts by the journal of the same finding, and by no other's.
        assert_eq!(place.apply(steps[1..].to_vec(), &allowed), Ending::AlreadySo);
        let others = allowed.done.iter().map(|(_, run)| ("another: it".to_owned(), run.clone())).collect();
        let allowed = Allowed { done: others, ..Allowed::default() };
        assert_eq!(place.apply(steps[1..].to_vec(), &allowed), Ending::Applied);
        assert_eq!(read(), "Now\nPersist\nPersist\n");
    }

    /// A file system is not unmounted before it is known that it can be mounted.
    #[test]
    fn all_that_must_be_true_is_asked_before_the_first_change() {
        let place = Place::new();
        let [one, back] = made(&place, Phase::Now, "one");
        let mut two = step(Phase::Now, sh!("touch {}", text(&place.file("two"))));
        two.checks.push(Check { run: "test -e /nowhere".into(), text: "it can be done".to_owned() });
        let ending = place.apply(vec![one, two, back], &Allowed::default());
        assert!(matches!(&ending, Ending::Skipped(why) if why.contains("it can be done")), "{ending:?}");
        assert!(!std::fs::exists(place.state.path().join("journal")).is_ok_and(|is| is && place.held() > 0));
        assert!(!place.there("one") && !place.there("two"));
    }

    #[test]
    fn a_change_without_effect_is_a_failure() {
        let place = Place::new();
        let [mut one, back] = made(&place, Phase::Persist, "one");
        one.read_back = Some("test -e /nowhere".into());
        let Ending::Failed(why) = place.apply(vec![one, back], &Allowed::default()) else {
            panic!("no failure")
        };
        assert!(why.contains("the next boot would not have it") && !place.there("one"), "{why}");
    }

    #[test]
    fn what_is_not_so_leaves_the_finding_out() {
        let place = Place::new();
        let [mut one, back] = made(&place, Phase::Now, "one");
        one.checks.push(Check { run: "test -e /nowhere".into(), text: "it is there".into() });
        let Ending::Skipped(why) = place.apply(vec![one, back], &Allowed::default()) else {
            panic!("not left out")
        };
        assert!(why.contains("it is there") && !place.there("one"), "{why}");
    }

    /// Tests have no terminal.
    #[test]
    fn without_a_terminal_nothing_that_a_person_must_tell_is_done() {
        let place = Place::new();
        let [one, back] = made(&place, Phase::Now, "one");
        let left_out = |change: &dyn Fn(&mut Vec<Step>)| {
            let mut steps = vec![one.clone(), back.clone()];
            change(&mut steps);
            match place
                .apply(steps, &Allowed { ssh: BTreeSet::from(["eth0".to_owned()]), ..Allowed::default() })
            {
                Ending::Skipped(why) => why,
                other => panic!("{other:?}"),
            }
        };
        let needs = left_out(&|steps| steps[0].needs.push("the moon is full".to_owned()));
        assert!(needs.contains("the moon is full"));
        assert!(
            left_out(&|steps| steps.push(Step::by_hand(Phase::Persist, "Write it down"))).contains("by hand")
        );
        assert!(left_out(&|steps| steps[1].run = None).contains("taking it back"));
        assert!(left_out(&|steps| steps[0].on = "db2:5555".to_owned()).contains("db2:5555"));
        let mtu = || Some(sh!("ip link set dev {} mtu 9000", "eth0"));
        let cut = left_out(&|steps| steps[0].run = mtu());
        assert!(cut.contains("ssh") && cut.contains("no terminal"), "{cut}");
        // A terminal would change nothing about these.
        for undo in [None, Some("ethtool".into())] {
            let cut = left_out(&|steps| {
                steps[0].run = mtu();
                steps[1].run = undo.clone();
                if undo.is_some() {
                    steps[1].undoes = vec![Phase::Persist];
                }
            });
            assert!(cut.contains("from the console"), "{cut}");
        }
        assert!(!place.there("one") && place.held() == 0);
    }

    #[test]
    fn what_interrupts_waits_for_a_window_also_where_it_comes_with_the_next_boot() {
        let place = Place::new();
        let [mut one, back] = made(&place, Phase::Now, "one");
        (one.kind, one.interrupts) = (StepKind::LinkReset, "eth1".to_owned());
        let steps = vec![one, back];
        let Ending::Skipped(why) = place.apply(steps.clone(), &Allowed::default()) else {
            panic!("not left out")
        };
        assert!(why.contains("eth1") && why.contains("--window"), "{why}");
        let [kept, back] = made(&place, Phase::Persist, "two");
        let by_hand = Step { kind: StepKind::Restart, ..Step::by_hand(Phase::Now, "Restart it") };
        let later = place.apply(vec![by_hand, kept, back], &Allowed::default());
        assert!(matches!(later, Ending::Skipped(_)) && !place.there("two"));
        assert_eq!(place.apply(steps, &Allowed { window: true, ..Allowed::default() }), Ending::Applied);
    }

    #[test]
    fn files_get_their_bytes_back() {
        let place = Place::new();
        let file = place.file("conf");
        std::fs::write(&file, "# mine\na = 1\n").expect("a file");
        let path = text(&file);
        let change = Step {
            writes: vec![path.clone()],
            read_back: Some("false".into()),
            ..step(Phase::Persist, sh!("sed -i {} {} && echo {} >> {}", "/^a/d", path, "a = 2", path))
        };
        let undo =
            Step { undoes: vec![Phase::Persist], ..step(Phase::Undo, sh!("sed -i {} {}", "/^a/d", path)) };
        assert!(matches!(place.apply(vec![change, undo], &Allowed::default()), Ending::Failed(_)));
        assert_eq!(std::fs::read_to_string(&file).expect("a file"), "# mine\na = 1\n");
    }

    #[test]
    fn a_file_that_could_not_be_put_back_leaves_the_finding_out() {
        let place = Place::new();
        let [first, undo] = made(&place, Phase::Now, "first");
        let link = place.file("link");
        std::os::unix::fs::symlink(place.file("elsewhere"), &link).expect("a link");
        let kept =
            Step { writes: vec![text(&link)], ..step(Phase::Persist, sh!("echo a > {}", text(&link))) };
        let ending = place.apply(vec![first, kept, undo], &Allowed::default());
        assert!(matches!(ending, Ending::Skipped(_)) && !place.there("first"), "{ending:?}");
    }

    /// What the way back reads is as the change found it, whatever a later change has written down in its place.
    #[test]
    fn what_was_written_down_goes_with_its_change() {
        let place = Place::new();
        let saved = text(&place.file("saved"));
        std::fs::write(&saved, "of an earlier change\n").expect("a file");
        let save = Step {
            kind: StepKind::Save,
            writes: vec![saved.clone()],
            ..step(Phase::Now, sh!("echo now > {}", saved))
        };
        let fails = Step { read_back: Some("false".into()), ..step(Phase::Now, "true".into()) };
        let seen = text(&place.file("seen"));
        let undo = Step { undoes: vec![Phase::Now], ..step(Phase::Undo, sh!("cp {} {}", saved, seen)) };
        assert!(matches!(place.apply(vec![save, fails, undo], &Allowed::default()), Ending::Failed(_)));
        let read = |path: &str| std::fs::read_to_string(path).expect("a file");
        assert_eq!((read(&seen), read(&saved)), ("now\n".to_owned(), "of an earlier change\n".to_owned()));
    }

    #[test]
    fn a_file_that_a_step_made_in_a_directory_goes_with_its_undo() {
        let place = Place::new();
        let (there, made) = (place.file("conf.d/01"), place.file("conf.d/70"));
        std::fs::create_dir(place.file("conf.d")).expect("a directory");
        std::fs::write(&there, "mine").expect("a file");
        let change = Step {
            writes: vec![format!("{}/", text(&place.file("conf.d")))],
            ..step(Phase::Persist, sh!("echo new > {}", text(&made)))
        };
        let undo = Step { undoes: vec![Phase::Persist], ..step(Phase::Undo, "true".into()) };
        let failing = step(Phase::Persist, "false".into());
        assert!(matches!(place.apply(vec![change, failing, undo], &Allowed::default()), Ending::Failed(_)));
        assert!(there.exists() && !made.exists());
        assert_eq!(std::fs::read_dir(place.file("conf.d")).expect("a directory").count(), 1);
    }

    #[test]
    fn what_cannot_be_taken_back_is_said_and_stays_in_the_journal() {
        let place = Place::new();
        let [one, mut back] = made(&place, Phase::Now, "one");
        back.run = Some("false".into());
        let failing = step(Phase::Now, "false".into());
        let ending = place.apply(vec![one, failing, back], &Allowed::default());
        assert!(matches!(ending, Ending::Stuck(_)) && place.there("one"), "{ending:?}");
        assert_eq!(place.held(), 1);
    }
}
