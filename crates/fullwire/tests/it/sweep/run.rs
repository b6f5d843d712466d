//! Runs what was advised where it can do no harm: commands and scripts in a root of their own, playbooks by Ansible.

use super::{Found, MARK, PLAYED};
use crate::skips::installed;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Programs that scripts need, and the one that leaves a mark.
const PROGRAMS: [&str; 6] = ["sh", "touch", "id", "cat", "rm", "true"];
/// What scripts and playbooks call: it says with what.
const CALLED: &str =
    "#!/bin/sh\n[ \"$1\" = apply ] && printf 'run  %s\\n' \"$*\" >&2\nprintf '{\"findings\": []}\\n'\n";

/// Puts what stands for fullwire into a folder.
fn stand_in(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let file = folder.join("fullwire");
    std::fs::write(&file, CALLED).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A root of its own with a shell, few programs and the folder in which a mark would be.
fn root() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for directory in ["m", "bin", "etc", "sys", "proc", "dev", "sandbox", "var/lib", "root"] {
        std::fs::create_dir_all(at.join(directory)).unwrap();
    }
    std::fs::write(at.join("dev/null"), "").unwrap();
    stand_in(&at.join("bin"));
    for program in PROGRAMS {
        let path = which(program);
        std::fs::copy(&path, at.join("bin").join(program)).unwrap();
        let listed = Command::new("ldd").arg(&path).output().unwrap();
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        for library in listed.split_whitespace().filter(|word| word.starts_with('/')) {
            let to = at.join(library.trim_start_matches('/'));
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(library, to).unwrap();
        }
    }
    folder
}

fn which(program: &str) -> String {
    let folders = ["/usr/bin", "/bin"].into_iter();
    let found = folders.map(|folder| format!("{folder}/{program}")).find(|path| Path::new(path).exists());
    found.unwrap_or_else(|| panic!("{program} is missing"))
}

/// Runs a shell's lines in a root of their own; what it says.
fn inside(root: &Path, script: &str) -> String {
    std::fs::write(root.join("sandbox/all.sh"), script).unwrap();
    let output = Command::new("unshare")
        .args(["-rmn", "chroot"])
        .arg(root)
        .args(["/bin/sh", "/sandbox/all.sh"])
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn marks(root: &Path) -> Vec<String> {
    let left = std::fs::read_dir(root.join("m")).unwrap();
    left.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Every command by itself, and the scripts. The first that leaves a mark is named.
pub(super) fn run_commands(found: &mut Found) {
    let root = root();
    let mut all = String::from(
        "cd /sandbox\nmarked() { for f in /m/*; do [ -e \"$f\" ] && { echo \"MARK $1\"; rm -f /m/*; break; }; done; }\n",
    );
    let commands: Vec<String> = found.commands.iter().cloned().collect();
    for (index, run) in commands.iter().enumerate() {
        std::fs::write(root.path().join(format!("sandbox/{index}.sh")), run).unwrap();
        let _ = writeln!(all, "sh ./{index}.sh >/dev/null 2>&1 </dev/null; marked {index}");
    }
    let scripts: Vec<String> = found.scripts.values().flatten().cloned().collect();
    for (index, text) in scripts.iter().enumerate() {
        std::fs::write(root.path().join(format!("sandbox/s{index}.sh")), text).unwrap();
        let _ = writeln!(all, "sh ./s{index}.sh --yes --window >>/sandbox/said 2>&1; marked s{index}");
    }
    all += "echo END\n";
    let said = inside(root.path(), &all);
    assert!(said.contains("END"), "the sandbox broke off: {said}");
    for line in said.lines().filter_map(|line| line.strip_prefix("MARK ")) {
        let what = match line.strip_prefix('s') {
            Some(index) => scripts[index.parse::<usize>().unwrap()].lines().find(|line| line.contains(MARK)),
            None => Some(commands[line.parse::<usize>().unwrap()].as_str()),
        };
        found.wrong.insert(format!("run {line}"), what.unwrap_or_default().to_owned());
    }
    assert!(marks(root.path()).is_empty());
    let ran = std::fs::read_to_string(root.path().join("sandbox/said")).unwrap_or_default();
    let ran = ran.lines().filter(|line| line.starts_with("run  ") && line.contains(MARK)).count();
    found.arrived.insert("commands run", commands.len());
    found.arrived.insert("scripts run", ran);
}

/// A sample of the playbooks, as Ansible checks them and as it runs them.
pub(super) fn run_playbooks(found: &mut Found) {
    if !installed("ansible-playbook") {
        found.arrived.insert("playbooks run", 1);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // What would leave a mark leaves it where it can be found.
    let at = folder.path().join("m");
    std::fs::create_dir(&at).unwrap();
    stand_in(folder.path());
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let texts: Vec<&String> = found.playbooks.values().flatten().collect();
    let every = texts.len().div_ceil(PLAYED).max(1);
    let mut shown = 0;
    for arguments in [&["--check"][..], &["-e", "apply=true"]] {
        let mut command = Command::new("/usr/bin/ansible-playbook");
        command.args(["-i", "here,", "-c", "local", "-e", "ansible_python_interpreter=/usr/bin/python3"]);
        command
            .args(arguments)
            .env("HOME", folder.path())
            .env("PATH", &path)
            .env("ANSIBLE_LOCALHOST_WARNING", "false");
        for (index, text) in texts.iter().step_by(every).enumerate() {
            let file = folder.path().join(format!("{index}.yml"));
            std::fs::write(&file, text.replace("/m/", &format!("{}/", at.display()))).unwrap();
            command.arg(file);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        shown += said.matches(MARK).count();
    }
    assert!(marks(folder.path()).is_empty(), "a playbook left {:?}", marks(folder.path()));
    found.arrived.insert("playbooks run", shown);
}
