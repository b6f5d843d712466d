//! Parameters of the kernel's command line, by the tool that this host's boot loader has.

use super::{AdviceExt, because, sh};
use fullwire_model::assessment::{Advice, ShellCommand};
use fullwire_model::host::Host;

const SNIPPET: &str = "/etc/default/grub.d/99-z-fullwire.cfg";

/// Keep a parameter on the kernel's command line (`transparent_hugepage`, `madvise`) and take it off again. It counts from
/// the next boot on.
pub fn keep_boot_parameter(host: &Host, name: &str, value: &str) -> Advice {
    let word = format!("{name}={value}");
    let advice = because("");
    match host.management.boot_loader.as_deref() {
        // It knows every boot loader of Red Hat's family, zipl and systemd-boot among them.
        Some("grubby") => advice
            .persist_run(
                sh!("grubby --update-kernel=ALL --args={}", word),
                format!("Every installed kernel starts with {word}"),
            )
            .reads_back(sh!("! grubby --info=ALL | grep '^args=' | grep -vqF {}", word))
            .undo_run(sh!("grubby --update-kernel=ALL --remove-args={}", word), "Takes it off again"),
        // Debian's grub-mkconfig reads the files of this directory after /etc/default/grub.
        Some("update-grub") => {
            let line = format!("GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX {word}\"");
            let delete = ShellCommand::sed("\\|GRUB_CMDLINE_LINUX {}=|d", &[name]);
            advice
                .persist_run(
                    sh!(
                        "mkdir -p /etc/default/grub.d && touch {} && sed -i {} {} && echo {} >> {} && update-grub",
                        SNIPPET,
                        delete,
                        SNIPPET,
                        line,
                        SNIPPET
                    ),
                    format!("Every installed kernel starts with {word}"),
                )
                .reads_back(sh!(
                    "test -f /boot/grub/grub.cfg && ! grep -E '^[[:space:]]*linux[[:space:]]' /boot/grub/grub.cfg | grep -vqF {}",
                    word
                ))
                .writes(SNIPPET)
                .writes("/boot/grub/grub.cfg")
                .undo_run(
                    sh!("test ! -f {} || sed -i {} {}; update-grub", SNIPPET, delete, SNIPPET),
                    "Takes it off again",
                )
        }
        Some("grub2-mkconfig") => advice
            .persist(format!("Add {word} to GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub"))
            .persist_run(
                "grub2-mkconfig -o /boot/grub2/grub.cfg",
                "Writes the boot loader's configuration anew",
            )
            .undo(format!(
                "Remove {word} from /etc/default/grub and run `grub2-mkconfig -o /boot/grub2/grub.cfg`"
            )),
        _ => advice
            .persist(format!(
                "Add {word} to the kernel's command line in the configuration of this host's boot loader"
            ))
            .undo(format!("Remove {word} from the kernel's command line")),
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
            ["grubby --update-kernel=ALL --args=psi=1", "grubby --update-kernel=ALL --remove-args=psi=1"]
        );
        assert!(runs(Some("update-grub"))[0].ends_with("&& update-grub"));
        assert_eq!(runs(Some("grub2-mkconfig")), ["grub2-mkconfig -o /boot/grub2/grub.cfg"]);
        assert_eq!(runs(None), [""; 0]);
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
            let shown = format!("GRUB_CMDLINE_LINUX=quiet; . {}; echo $GRUB_CMDLINE_LINUX", file.display());
            let output = std::process::Command::new("sh").args(["-c", &shown]).output().expect("sh");
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        };
        let [keep, undo] = &runs(Some("update-grub"))[..] else { panic!("two commands") };
        assert_eq!(run(keep), "quiet psi=1");
        assert_eq!(run(keep), "quiet psi=1", "a second time changes nothing");
        assert_eq!(run(undo), "quiet");
    }
}
