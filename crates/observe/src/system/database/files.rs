//! The files that a database process names, read with no more rights than its owner has, and the question whether
//! it is the server that it calls itself.

use crate::Root;
use crate::root::{FIRST_OF_PEOPLE, Owner, gap_reason};
use crate::system::process::{self, Answers};
use crate::system::process_stat::ProcessStat;
use crate::system::{cgroup, login_limits};
use crate::text;
use fullwire_model::{Gap, GapReason};
use std::cell::{Cell, RefCell};
use std::path::Path;

/// The owner of a process whose status cannot be read, or for which nobody answers: the one with the fewest rights.
const NOBODY: u32 = 65_534;

/// Accounts of services have lower numbers than people, or a name that tells.
const ACCOUNTS: [&str; 6] = ["postgres", "pgsql", "mysql", "mariadb", "mssql", "enterprisedb"];

/// In the groups of what any user has started: sessions, and units that start what any user asks for.
const LOGINS: [&str; 6] = ["/user.slice", "cron", "/atd", ".atd", "ssh", "slurm"];

/// Where users have places of their own (`pam_systemd(8)`), and what the kernel shows of their processes.
const OF_PEOPLE: [&str; 5] = ["/run", "/var/run", "/proc", "/sys", "/dev"];
/// Below a directory of this name are homes, wherever it lies: `/home`, `/export/home`, `/nfs/users` (hier(7)).
const HOMES: [&str; 3] = ["home", "homes", "users"];

/// What is read of all that one process names.
const MOST_BYTES: usize = 4 << 20;

/// One process's way to its files.
pub(super) struct Files<'a> {
    left_bytes: Cell<usize>,
    root: &'a Root,
    owner: Owner,
    pid: u32,
    answers: Answers,
    /// Where its paths start in our tree: of a server in a container not at the top.
    top: String,
    refused: RefCell<Vec<Gap>>,
}

impl<'a> Files<'a> {
    pub(super) fn of(root: &'a Root, process: &ProcessStat) -> Self {
        let status = root.attribute(&format!("/proc/{}/status", process.pid)).unwrap_or_default();
        let numbers = |name: &str| -> Vec<u32> {
            let words = text::field(&status, name).unwrap_or_default().split_whitespace();
            words.filter_map(|word| word.parse().ok()).collect()
        };
        let groups = numbers("Gid").first().copied().into_iter().chain(numbers("Groups")).collect();
        let answers = process::answers(root, process);
        let inside = process::is_elsewhere(root, process.pid).then_some(process.pid);
        let owner = match answers {
            Answers::User(uid) => Owner { uid, groups, inside },
            Answers::Unknown => Owner { uid: NOBODY, groups, inside },
            Answers::Nobody => Owner { uid: NOBODY, groups: Vec::new(), inside },
        };
        let top = inside.map_or_else(String::new, |pid| format!("/proc/{pid}/root"));
        let (left_bytes, refused) = (Cell::new(MOST_BYTES), RefCell::default());
        Self { left_bytes, root, owner, pid: process.pid, answers, top, refused }
    }

    /// The server runs in a container: none of its paths is the host's.
    pub(super) fn are_elsewhere(&self) -> bool {
        self.owner.inside.is_some()
    }

    /// Where our tree has what the process calls so.
    fn path(&self, path: &str) -> String {
        format!("{}{path}", self.top)
    }

    /// A file that the process, or a file of it, named.
    pub(super) fn read(&self, path: &str, limit: usize, kept: impl Fn(&str) -> String) -> Option<String> {
        if self.left_bytes.get() == 0 {
            self.tell(path, GapReason::Skipped, &format!("more than {} MiB of settings", MOST_BYTES >> 20));
            return None;
        }
        let counted = |text: &str| {
            self.left_bytes.set(self.left_bytes.get().saturating_sub(text.len()));
            kept(text)
        };
        let read = self.root.read_settings(&self.path(path), limit, Some(&self.owner), counted);
        read.map_err(|error| self.refuse(path, &error)).ok()
    }

    /// A file at a place that every host has it; in a container it is whoever's made the container.
    pub(super) fn read_at_its_place(
        &self,
        path: &str,
        limit: usize,
        kept: impl Fn(&str) -> String,
    ) -> Option<String> {
        let owner = self.are_elsewhere().then_some(&self.owner);
        self.root.read_settings(&self.path(path), limit, owner, kept).ok()
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        self.root.exists(&self.path(path))
    }

    pub(super) fn list(&self, path: &str) -> Vec<String> {
        let names = self.root.try_list_as(&self.path(path), Some(&self.owner));
        names.map_err(|error| self.refuse(path, &error)).unwrap_or_default()
    }

    pub(super) fn link(&self, path: &str) -> Option<String> {
        self.root.link_as(&self.path(path), Some(&self.owner))
    }

    /// The process's owner owns its program or the directory that it works in, or is root: anyone can start a process
    /// under any name. A set-uid program is nobody's server. Where only the host itself could tell, the name is believed.
    pub(super) fn are_a_servers(&self, data: Option<&str>) -> bool {
        if self.answers == Answers::Nobody {
            self.disbelieve("has the rights of several users");
            return false;
        }
        let of_process = |name: &str| self.owner_of(&format!("/proc/{}/{name}", self.pid), None);
        let program = of_process("exe");
        if program.is_none() && !self.root.is_live() {
            return true;
        }
        let is_owner = |uid: Option<u32>| uid == Some(self.owner.uid);
        let is_server = self.owner.uid == 0
            || is_owner(program)
            || is_owner(of_process("cwd"))
            || data.is_some_and(|path| is_owner(self.uid_of(path)));
        let is_private = is_server && self.is_private(data);
        if is_private {
            self.disbelieve(
                "runs a server of that user's own, by no unit, and where nobody else gave it a place",
            );
        }
        is_server && !is_private
    }

    /// An ordinary user runs it for themselves, as anyone may: no administrator gave it a unit or a container, an account for
    /// databases, or a place for its data, in which servers work, that the user could not have made. `None`: its installation
    /// tells.
    fn is_private(&self, data: Option<&str>) -> bool {
        let (root, uid) = (self.root, self.owner.uid);
        if data.is_none() || uid < FIRST_OF_PEOPLE || uid == rustix::process::geteuid().as_raw() {
            return false;
        }
        let works_in = root.link(&format!("/proc/{}/cwd", self.pid));
        let groups = cgroup::all_of(root, self.pid);
        let of_unit = !groups.is_empty()
            && !groups.iter().any(|group| LOGINS.iter().any(|login| group.contains(login)));
        let named = || {
            let name = login_limits::user_name(root, uid).unwrap_or_default();
            ACCOUNTS.iter().any(|account| name.contains(account))
        };
        let is_given = |data: &str| {
            let of_anyone = |path: &Path| {
                let mode = path.to_str().and_then(|path| root.mode_of(path, Some(&self.owner)));
                mode.is_none_or(|mode| mode & 0o002 != 0)
            };
            let own = |place: &&str| data.strip_prefix(*place).is_some_and(|rest| rest.starts_with('/'));
            // Below a root of their own a user has any directory.
            !self.are_elsewhere()
                && !data.contains("/../")
                && !OF_PEOPLE.iter().any(own)
                && !data.split('/').any(|part| HOMES.contains(&part))
                && self.uid_of(data) == Some(uid)
                && !Path::new(data).ancestors().skip(1).any(of_anyone)
        };
        !(of_unit || named() || data.into_iter().chain(works_in.as_deref()).any(is_given))
    }

    /// It is not the server that it calls itself, and why.
    pub(super) fn disbelieve(&self, why: &str) {
        let (pid, uid) = (self.pid, self.owner.uid);
        let detail =
            format!("process {pid} of user {uid} {why}: it is not judged as a database server of this host");
        self.refused.borrow_mut().push(Gap::new(format!("/proc/{pid}"), GapReason::Denied, detail));
    }

    /// Who owns what the process calls so.
    pub(super) fn uid_of(&self, path: &str) -> Option<u32> {
        self.owner_of(&self.path(path), Some(&self.owner))
    }

    /// The same of any place. Where nothing answers or is asked, nobody knows whether it is a server: that is told.
    fn owner_of(&self, path: &str, owner: Option<&Owner>) -> Option<u32> {
        let is_open = |gap: &Gap| matches!(gap.reason, GapReason::Timeout | GapReason::Skipped);
        let found = self.root.owner_of(path, owner);
        found
            .inspect_err(|gap| {
                if is_open(gap) {
                    self.tell(path, gap.reason, &gap.detail);
                }
            })
            .ok()
    }

    /// Something that it names could not be read.
    pub(super) fn were_refused(&self) -> bool {
        !self.refused.borrow().is_empty()
    }

    /// What was refused.
    pub(super) fn into_gaps(self) -> Vec<Gap> {
        self.refused.into_inner()
    }

    pub(super) fn refuse(&self, path: &str, error: &std::io::Error) {
        let reason = gap_reason(error);
        if !matches!(reason, GapReason::Denied | GapReason::Skipped | GapReason::Timeout) {
            return;
        }
        self.tell(path, reason, &error.to_string());
    }

    fn tell(&self, path: &str, reason: GapReason, why: &str) {
        let (pid, uid) = (self.pid, self.owner.uid);
        let detail = format!("process {pid} of user {uid} refers to {path}, which was not read: {why}");
        let mut refused = self.refused.borrow_mut();
        if !refused.iter().any(|gap| Path::new(&gap.subject) == Path::new(path)) {
            refused.push(Gap::new(path, reason, detail));
        }
    }
}
