//! A user of this host starts a process that calls itself a database server, and root looks at the host.

use crate::skips::{given, skipped};
use fullwire_observe::{Ask, CaptureOptions, Root, capture, host};
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const EVIL: u32 = 65_534;
const SECRET: &str = "root:$6$SECRETHASH-of-root-only-file";

/// The impostor's place, with a file next to it that is root's alone.
struct Scene(tempfile::TempDir);

/// Ends its process.
struct Impostor(Child);

impl Drop for Impostor {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Scene {
    /// `None` where the test is not root and so could give nothing away.
    fn new() -> Option<Self> {
        // Where an administrator gives servers their places: what runs below /tmp is a user's own, and nothing of it is read.
        let dir =
            tempfile::tempdir_in("/srv").or_else(|_| tempfile::tempdir()).expect("a temporary directory");
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).expect("opened to all");
        let scene = Self(dir);
        fs::write(scene.path("shadow"), SECRET).expect("written");
        fs::set_permissions(scene.path("shadow"), fs::Permissions::from_mode(0o600)).expect("closed");
        fs::create_dir(scene.path("x")).expect("made");
        if chown(scene.path("x"), Some(EVIL), Some(EVIL)).is_err() {
            skipped("needs root, who alone may give files away");
            return None;
        }
        Some(scene)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    fn own_file(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(Path::new(&path).parent().expect("below")).expect("made");
        fs::write(&path, text).expect("written");
        let top = Path::new(&path).ancestors().take_while(|path| *path != self.0.path());
        top.for_each(|path| chown(path, Some(EVIL), Some(EVIL)).expect("given"));
    }

    fn own_link(&self, name: &str, target: &str) {
        self.own_file(name, "");
        fs::remove_file(self.path(name)).expect("removed");
        symlink(target, self.path(name)).expect("linked");
        lchown(self.path(name), Some(EVIL), Some(EVIL)).expect("given");
    }

    /// What `root.sh` leaves in a home: this one counts as installed, whoever's else it is.
    fn install(&self) {
        fs::create_dir_all(self.path("x/bin")).expect("made");
        fs::write(self.path("x/bin/oradism"), "").expect("written");
    }

    /// A process of the other user with this title and these arguments. Its program is a copy of `sleep` of the user's
    /// own, so that `/proc/PID/exe` leads where the user wants.
    fn start(
        &self,
        program: &str,
        title: &str,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Impostor {
        let program = self.path(program);
        fs::create_dir_all(Path::new(&program).parent().expect("below")).expect("made");
        fs::copy("/bin/sh", &program).expect("copied");
        chown(&program, Some(EVIL), Some(EVIL)).expect("given");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("made to run");
        // The shell waits for a line that never comes; what follows its script are arguments that it does not mind.
        let mut command = Command::new(&program);
        command.arg0(title).args(["-c", "read line"]).args(arguments).envs(environment.iter().copied());
        command.uid(EVIL).gid(EVIL).current_dir(self.path("x")).stdin(Stdio::piped());
        let child = command.spawn().expect("started");
        let comm = format!("/proc/{}/comm", child.id());
        let asked = std::time::Instant::now();
        while fs::read_to_string(&comm).is_ok_and(|name| name.starts_with("it-"))
            && asked.elapsed().as_secs() < 5
        {
            std::thread::yield_now();
        }
        Impostor(child)
    }
}

/// All that root's reading and root's capture say.
fn all_that_root_tells() -> (fullwire_model::host::Host, String) {
    let root = Root::live().expect("the live root");
    let read = host(&root, &Ask::default());
    let mut packed = Vec::new();
    let report = capture(&root, &CaptureOptions::default(), &mut packed).expect("captured");
    let plain = zstd::decode_all(packed.as_slice()).expect("zstd");
    let told = format!("{read:?} {report:?} {}", String::from_utf8_lossy(&plain));
    (read, told)
}

/// The process's own name cannot be set from outside on a copy of the shell: Oracle's title in the first argument is enough.
#[test]
fn an_oracle_of_anybodys_does_not_make_root_read_roots_files() {
    let scene = given!(Scene::new());
    scene.install();
    scene.own_link("x/dbs/oranfstab", &scene.path("shadow"));
    scene.own_link("x/network/admin/sqlnet.ora", &scene.path("shadow"));
    let impostor = scene.start("x/bin/oracle", "ora_pmon_EVIL", &[], &[("TNS_ADMIN", &scene.path(""))]);
    let (read, told) = all_that_root_tells();
    let found = read.databases.iter().find(|database| database.pid == impostor.0.id());
    assert!(
        found.is_some_and(|database| database.name == "EVIL"),
        "the attack was made: {:?}",
        read.databases
    );
    assert!(!told.contains("SECRETHASH"));
    let gap = read.gap_about("dbs/oranfstab").expect("what was refused is a gap");
    assert!(gap.detail.contains(&format!("user {EVIL}")), "{gap:?}");
}

/// What the owner may read itself is read.
#[test]
fn an_oracle_of_anybodys_is_read_as_far_as_its_owner_may() {
    let scene = given!(Scene::new());
    scene.own_file(
        "x/dbs/oranfstab",
        &format!("server: filer1\npath: 192.0.2.1\n{SECRET}\ncommunity: hunter2\n"),
    );
    scene.install();
    let impostor = scene.start("x/bin/oracle", "ora_pmon_OWN", &[], &[]);
    let (read, told) = all_that_root_tells();
    let found = read.databases.iter().find(|database| database.pid == impostor.0.id()).expect("recognised");
    assert!(found.settings["oranfstab"].starts_with("server: filer1\npath: 192.0.2.1\n"), "{found:?}");
    assert!(!told.contains("SECRETHASH") && !told.contains("hunter2"), "of it only known attributes");
}

#[test]
fn no_option_of_a_server_leads_root_astray() {
    let scene = given!(Scene::new());
    let shadow = scene.path("shadow");
    scene.own_link("x/link.cnf", &shadow);
    scene.own_file("x/include.cnf", &format!("!include {shadow}\n!include /dev/full\n!includedir /root\n"));
    scene.own_file("x/postgresql.conf", &format!("include '{shadow}'\ninclude_dir = '/root'\n"));
    let impostors: Vec<Impostor> = [
        ("x/bin/mysqld", vec![format!("--defaults-file={shadow}")]),
        ("x/bin/mariadbd", vec![format!("--defaults-extra-file={}", scene.path("x/link.cnf"))]),
        ("x/bin2/mysqld", vec![format!("--defaults-file={}", scene.path("x/include.cnf"))]),
        ("x/bin3/mysqld", vec!["--defaults-file=/dev/full".to_owned()]),
        ("x/bin/postgres", vec!["-D".to_owned(), scene.path("x")]),
        ("x/bin2/postgres", vec!["-c".to_owned(), format!("config_file={shadow}")]),
        ("x/bin3/postgres", vec!["-c".to_owned(), "config_file=/dev/full".to_owned()]),
    ]
    .iter()
    .map(|(program, arguments)| {
        let title = scene.path(program);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        scene.start(program, &title, &arguments, &[])
    })
    .collect();
    let (read, told) = all_that_root_tells();
    for impostor in &impostors {
        let pid = impostor.0.id();
        assert!(
            read.databases.iter().any(|database| database.pid == pid),
            "{pid} was looked at: {:?}",
            read.databases
        );
    }
    assert!(!told.contains("SECRETHASH"));
    assert!(read.gaps.iter().any(|gap| gap.subject == "/dev/full"), "a device is refused: {:?}", read.gaps);
}

/// Its own program under the name of a process of Oracle's, and one that is called as Oracle's is.
#[test]
fn a_program_that_nobody_installed_is_no_oracle() {
    let scene = given!(Scene::new());
    let titles = [("x/ora_pmon_A", "ora_pmon_A"), ("x/bin/oracle", "ora_pmon_B")];
    let impostors = titles.map(|(program, title)| scene.start(program, title, &[], &[]));
    let (read, told) = all_that_root_tells();
    for impostor in impostors {
        let pid = impostor.0.id();
        assert!(read.databases.iter().all(|database| database.pid != pid), "{:?}", read.databases);
        let gap = read.gap_about(&format!("/proc/{pid}")).expect("it is said");
        let whose = format!("process {pid} of user {EVIL} calls itself ora_pmon_");
        assert!(gap.detail.starts_with(&whose) && told.contains(&whose), "{gap:?}");
    }
}

/// The program is someone else's, and so is the directory that it works in.
#[test]
fn a_name_alone_makes_no_server() {
    let scene = given!(Scene::new());
    let mut command = Command::new("/bin/sh");
    command.arg0("ora_pmon_NAMED").args(["-c", "read line"]).uid(EVIL).gid(EVIL).current_dir("/");
    let impostor = Impostor(command.stdin(Stdio::piped()).spawn().expect("started"));
    let (read, _) = all_that_root_tells();
    assert!(!read.databases.iter().any(|database| database.pid == impostor.0.id()), "{:?}", read.databases);
    drop(scene);
}

/// `ln -s /usr/bin/su mysqld; ./mysqld root -- --defaults-file=...`: root by its program, anyone's by its words.
#[test]
fn a_set_uid_program_lends_roots_rights_to_no_database() {
    let scene = given!(Scene::new());
    let settings = scene.path("root-only.cnf");
    fs::write(&settings, "[mysqld]\nport=33061\ninnodb_flush_method=ROOTONLYVALUE\n").expect("written");
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o600)).expect("closed");
    let program = scene.path("x/mysqld");
    fs::copy("/bin/sh", &program).expect("copied");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).expect("set-uid");
    let mut command = Command::new(&program);
    // `-p` keeps what the program was lent.
    command.args(["-p", "-c", "read line", &format!("--defaults-file={settings}")]);
    command.uid(EVIL).gid(EVIL).current_dir(scene.path("x")).stdin(Stdio::piped());
    let impostor = Impostor(command.spawn().expect("started"));
    let status = fs::read_to_string(format!("/proc/{}/status", impostor.0.id())).expect("read");
    if !status.contains(&format!("Uid:\t{EVIL}\t0\t0\t0")) {
        eprintln!("set-uid programs lend nothing here (nosuid): skipped");
        return;
    }
    let (read, told) = all_that_root_tells();
    assert!(!told.contains("ROOTONLYVALUE"));
    assert!(read.databases.iter().all(|database| database.pid != impostor.0.id()), "{:?}", read.databases);
    let gap = read.gap_about(&format!("/proc/{}", impostor.0.id())).expect("it is said");
    assert!(gap.detail.contains("the rights of several users"), "{gap:?}");
}
