//! Parameters of the kernel's command line, by the tool that this host's boot loader has, and the initramfs.
//!
//! Source: Linux Documentation/admin-guide/kernel-parameters.rst; GRUB `util/grub.d/10_linux.in` (`GRUB_CMDLINE_LINUX` stands
//! before `GRUB_CMDLINE_LINUX_DEFAULT`, and of a parameter given twice the kernel takes the last); grubby(8) (`--args` replaces
//! the value that an entry has); rpm-ostree(1) (`kargs`); documentation of Fedora `CoreOS`,
//! "Modifying Kernel Arguments"; Red Hat Enterprise Linux 9, "Using image mode" (kernel arguments in bootc systems).

use super::lines::Lines;
use super::{AdviceExt, because, sh};
use fullwire_model::assessment::{Advice, ShellCommand};
use fullwire_model::host::Host;

/// Read after the files of cloud images and packages (`50-cloudimg-settings.cfg`, `kdump-tools.cfg`), which set the same
/// variables.
const SNIPPET: &str = "/etc/default/grub.d/zz-fullwire.cfg";

/// The variables of the boot loader's command line.
const VARIABLES: [&str; 2] = ["GRUB_CMDLINE_LINUX", "GRUB_CMDLINE_LINUX_DEFAULT"];

/// Keep a parameter on the kernel's command line (`transparent_hugepage`, `madvise`) and take it off again. It counts from
/// the next boot on.
pub fn keep_boot_parameter(host: &Host, name: &str, value: &str) -> Advice {
    let word = format!("{name}={value}");
    let advice = because("");
    match host.management.boot_loader.as_deref() {
        // What boots there has the parameters in its boot record (IBM, Linux on Z, "zipl environment": rerun zipl).
        Some("grubby") if host.os.architecture == "s390x" => advice
            .persist(format!("`grubby --update-kernel=ALL --args={word}`, then `zipl`, which writes it into the boot record"))
            .undo(format!("`grubby --update-kernel=ALL --remove-args={name}`, then `zipl`")),
        // It knows every other boot loader of Red Hat's family, systemd-boot among them.
        Some("grubby") => advice
            .persist_run(
                sh!("grubby --update-kernel=ALL --args={}", word),
                format!("Every installed kernel starts with {word}"),
            )
            .reads_back(last_wins(&"grubby --info=ALL | grep '^args=' | tr -d '\"'".into(), name, &word))
            // What it writes (grubby(8), `--update-kernel=ALL`): kernels whose entries differed differ again once taken back.
            .writes("/boot/loader/entries/")
            .writes("/boot/grub2/grub.cfg")
            .writes("/etc/default/grub")
            .writes("/etc/kernel/cmdline")
            .undo_persist_run(before_grubby(host, name, &word), "Every kernel starts as it did before"),
        // Debian's grub-mkconfig reads the files of this directory after /etc/default/grub.
        Some("update-grub") => {
            let lines = VARIABLES.map(|variable| format!("{variable}=\"${variable} {word}\""));
            let own = Lines::of(SNIPPET, "\\|GRUB_CMDLINE_LINUX[A-Z_]* {}=|d", &[name]);
            advice
                .persist_run(
                    sh!(
                        "mkdir -p /etc/default/grub.d && {} && echo {} >> {} && update-grub",
                        own.put(&lines[0]),
                        lines[1],
                        SNIPPET
                    ),
                    format!("Every installed kernel starts with {word}"),
                )
                .reads_back(last_wins(
                    &"sed -n '/^### BEGIN .*10_linux/,/^### END .*10_linux/p' /boot/grub/grub.cfg | grep -E '^[[:space:]]*linux[[:space:]]'".into(),
                    name,
                    &word,
                ))
                .writes(SNIPPET)
                .writes("/boot/grub/grub.cfg")
                .undo_persist_run(own.remove(), "Takes it off again")
                .undo_persist_run("update-grub", "Writes the boot loader's configuration again")
        }
        Some("grub2-mkconfig") => advice
            .persist(format!("Add {word} to GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub"))
            .persist_run(
                "grub2-mkconfig -o /boot/grub2/grub.cfg",
                "Writes the boot loader's configuration again",
            )
            .undo(format!(
                "Remove {word} from /etc/default/grub and run `grub2-mkconfig -o /boot/grub2/grub.cfg`"
            )),
        // What it writes is a deployment of its own, which boots next (rpm-ostree(1), kargs): no file is edited.
        Some("rpm-ostree") => {
            let pool = if host.management.settings.contains_key("machine-config") {
                ". Of OpenShift a MachineConfig (kernelArguments) does it for all nodes of the pool"
            } else {
                ""
            };
            advice
                .persist(format!("`rpm-ostree kargs --append={word}`{pool}"))
                .undo(format!("`rpm-ostree kargs --delete={word}`"))
        }
        _ => advice
            .persist(format!(
                "Add {word} to the kernel's command line in the configuration of this host's boot loader"
            ))
            .undo(format!("Remove {word} from the kernel's command line")),
    }
}

/// Each of these lines has the word, and no other value of the parameter after it; there is one at least.
fn last_wins(lines: &ShellCommand, name: &str, word: &str) -> ShellCommand {
    sh!(
        "{} | key={} word={} awk '{{ last = \"\"; for (i = 1; i <= NF; i++) if (index($i, ENVIRON[\"key\"]) == 1) last = $i; if (last != ENVIRON[\"word\"] \"\") bad = 1 }} END {{ exit bad || !NR }}'",
        lines,
        format!("{name}="),
        word
    )
}

/// Goes back to the value that the running kernel was started with, or to none.
fn before_grubby(host: &Host, name: &str, word: &str) -> ShellCommand {
    let mut words = host.os.command_line.split_whitespace();
    let before = words.rfind(|one| one.split_once('=').is_some_and(|(key, _)| key == name));
    if let Some(before) = before.filter(|before| *before != word) {
        sh!("grubby --update-kernel=ALL --args={}", before)
    } else {
        sh!("grubby --update-kernel=ALL --remove-args={}", name)
    }
}

/// The command that makes the initramfs of every kernel again: the newest one, which boots next, need not be the one that runs.
pub(crate) fn rebuild_initramfs(host: &Host) -> Option<ShellCommand> {
    match host.management.initramfs.as_deref()? {
        "update-initramfs" => Some("update-initramfs -u -k all".into()),
        // The boot record has the places of the image's blocks (IBM, Linux on Z, "Preparing a boot device"): without zipl the old ones
        // are loaded, whatever lies there by then.
        "dracut" if host.os.architecture == "s390x" => {
            let has_zipl = host.management.boot_loader.as_deref() == Some("grubby");
            has_zipl.then(|| "dracut --force --regenerate-all && zipl".into())
        }
        "dracut" => Some("dracut --force --regenerate-all".into()),
        _ => None,
    }
}

/// The same for a parameter that has no effect before the next boot.
pub fn set_boot_parameter(host: &Host, name: &str, value: &str, why: &str, expect: &str) -> Advice {
    because(why)
        .and(keep_boot_parameter(host, name, value))
        .persist("Restart the host: the kernel reads it at boot alone")
        .reboots()
        .expecting(expect)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::Risk;

    fn runs(tool: Option<&str>) -> Vec<String> {
        let mut host = Host::default();
        host.os.distribution = "sles".into();
        host.management.boot_loader = tool.map(str::to_owned);
        let advice = set_boot_parameter(&host, "psi", "1", "", "");
        let restart = advice.steps.iter().find(|step| step.text.starts_with("Restart")).expect("a restart");
        assert_eq!(restart.risk(), Risk::Downtime);
        advice.steps.into_iter().filter_map(|step| Some(step.run?.to_string())).collect()
    }

    #[test]
    fn the_tool_is_the_hosts_own_and_none_is_guessed() {
        assert_eq!(
            runs(Some("grubby")),
            ["grubby --update-kernel=ALL --args=psi=1", "grubby --update-kernel=ALL --remove-args=psi"]
        );
        assert!(runs(Some("update-grub"))[0].ends_with("&& update-grub"));
        assert_eq!(runs(Some("grub2-mkconfig")), ["grub2-mkconfig -o /boot/grub2/grub.cfg"]);
        assert_eq!(runs(None), [""; 0]);
    }

    /// A host whose system is an image has no boot loader's file to edit.
    #[test]
    fn an_image_gets_its_arguments_by_its_own_tool() {
        let mut host = Host::default();
        host.management.boot_loader = Some("rpm-ostree".into());
        let told = |host: &Host| keep_boot_parameter(host, "psi", "1").steps.swap_remove(0).text;
        assert_eq!(told(&host), "`rpm-ostree kargs --append=psi=1`");
        host.management.settings.insert("machine-config".into(), "a file".into());
        assert!(told(&host).ends_with("a MachineConfig (kernelArguments) does it for all nodes of the pool"));
    }

    #[test]
    fn on_ibm_z_the_boot_record_is_written_again() {
        let mut host = Host::default();
        host.os.architecture = "s390x".into();
        host.management.boot_loader = Some("grubby".into());
        let advice = keep_boot_parameter(&host, "psi", "1");
        assert!(
            advice.steps.iter().all(|step| step.run.is_none() && step.text.contains("zipl")),
            "{advice:?}"
        );
        host.management.initramfs = Some("dracut".into());
        assert!(rebuild_initramfs(&host).is_some_and(|run| run.ends_with("&& zipl")));
        host.management.boot_loader = None;
        assert_eq!(rebuild_initramfs(&host), None, "another loader reads the file itself, or nobody knows");
    }

    /// What the boot loader's script makes of the file.
    #[test]
    fn the_snippet_is_read_as_it_is_meant() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("grub.cfg");
        let run = |tool_command: &str| {
            let command = tool_command
                .replace(SNIPPET, file.to_str().expect("a path"))
                .replace("mkdir -p /etc/default/grub.d && ", "")
                .replace("update-grub", "true");
            let status = std::process::Command::new("sh").args(["-c", &command]).status().expect("sh");
            assert!(status.success(), "{command}");
            let shown = format!(
                "GRUB_CMDLINE_LINUX=quiet; GRUB_CMDLINE_LINUX_DEFAULT='psi=0 x'; . {}; echo $GRUB_CMDLINE_LINUX $GRUB_CMDLINE_LINUX_DEFAULT",
                file.display()
            );
            let output = std::process::Command::new("sh").args(["-c", &shown]).output().expect("sh");
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        };
        let [keep, undo, _] = &runs(Some("update-grub"))[..] else { panic!("three commands") };
        let kept = "quiet psi=1 psi=0 x psi=1";
        assert_eq!(run(keep), kept);
        assert_eq!(run(keep), kept, "a second time changes nothing");
        assert_eq!(run(undo), "quiet psi=0 x");
    }

    /// By a real shell: of a parameter given twice the kernel takes the last.
    #[test]
    fn the_read_back_asks_for_what_wins() {
        let holds = |lines: &str| {
            let look = last_wins(&sh!("printf '%b' {}", lines), "psi", "psi=1");
            std::process::Command::new("sh").args(["-c", look.as_str()]).status().expect("sh").success()
        };
        assert!(holds("linux /vmlinuz psi=0 psi=1 ro\\n\\tlinux /old psi=1\\n"));
        assert!(!holds("linux /vmlinuz psi=1 psi=0\\n") && !holds("linux /vmlinuz psi=10\\n"));
        assert!(!holds("linux /vmlinuz psi=1\\nlinux /old ro\\n") && !holds(""));
    }

    #[test]
    fn grubby_goes_back_to_the_value_that_was_there() {
        let mut host = Host::default();
        host.management.boot_loader = Some("grubby".into());
        host.os.command_line = "ro transparent_hugepage=always quiet".into();
        let undo = |advice: Advice| advice.steps.last().and_then(|step| step.run.clone()).expect("a command");
        assert_eq!(
            undo(keep_boot_parameter(&host, "transparent_hugepage", "madvise")),
            "grubby --update-kernel=ALL --args=transparent_hugepage=always"
        );
        assert!(undo(keep_boot_parameter(&host, "psi", "1")).contains("--remove-args=psi"));
    }
}
