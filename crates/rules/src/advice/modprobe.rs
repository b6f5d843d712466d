//! Options of kernel modules.
//!
//! Source: modprobe.d(5); kmod, `libkmod/libkmod-config.c` (files are read in the order of their names by bytes, whatever
//! directory they are in, then the kernel's command line; the kernel takes the last value of an option).

use super::boot::rebuild_initramfs;
use super::condition::ROOM_IN_BOOT;
use super::{AdviceExt, because, sh};
use fullwire_model::assessment::{Advice, ShellCommand};
use fullwire_model::host::Host;

/// Keeps options of a module. `at_boot`: the module is loaded from the initramfs, which has its own copy of the file.
pub(crate) fn keep_module_options(
    host: &Host,
    module: &str,
    options: &[(&str, String)],
    at_boot: bool,
) -> Advice {
    // After `zfs.conf`, `nvme.conf`, `sunrpc.conf`, which administrators and distributions write.
    let file = format!("/etc/modprobe.d/zz-fullwire-{module}.conf");
    let words: Vec<String> = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let each = options.iter().zip(&words).map(|((name, _), word)| last_wins(module, name, word));
    let kept = because("")
        .persist_run(
            sh!("echo {} > {}", format!("options {module} {}", words.join(" ")), file),
            "Used when the module is loaded",
        )
        .reads_back(ShellCommand::joined(each, " && "));
    let remove = sh!("rm -f {}", file);
    match (at_boot, rebuild_initramfs(host)) {
        (true, Some(rebuild)) => kept
            .persist_run(rebuild.clone(), "Puts the file into the initramfs of every installed kernel")
            .given(ROOM_IN_BOOT)
            .undo_persist_run(remove, "Removes the option")
            .undo_persist_run(rebuild, "Removes it from the initramfs, too"),
        (true, None) => kept
            .persist("Rebuild the initramfs of every installed kernel: the module is loaded from it")
            .undo_persist_run(remove, "Removes the option; rebuild the initramfs again"),
        (false, _) => kept.undo_persist_run(remove, "Removes the option"),
    }
}

/// What modprobe would hand over last is ours.
fn last_wins(module: &str, name: &str, word: &str) -> ShellCommand {
    sh!(
        "modprobe -c | grep {} | tr ' ' '\\n' | grep {} | tail -n 1 | grep -qxF {}",
        format!("^options {module} "),
        format!("^{name}="),
        word
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::Phase;

    fn zfs(tool: Option<&str>, at_boot: bool) -> Advice {
        let mut host = Host::default();
        host.management.initramfs = tool.map(str::to_owned);
        keep_module_options(&host, "zfs", &[("zfs_arc_max", "2048".to_owned())], at_boot)
    }

    /// Every name that others use for such a file comes before.
    #[test]
    fn the_file_is_read_after_those_of_others() {
        let advice = zfs(None, false);
        let file = advice.steps[0].writes[0].strip_prefix("/etc/modprobe.d/").expect("a file of modprobe");
        for other in ["zfs.conf", "zfs-local.conf", "nvme.conf", "sunrpc.conf", "lockd.conf", "99-local.conf"]
        {
            assert!(file > other, "{file} comes before {other}");
        }
    }

    /// By a real shell, of what modprobe lists.
    #[test]
    fn the_read_back_asks_for_what_wins() {
        let look = zfs(None, false).steps[0].read_back.clone().expect("a read-back");
        let holds = |listed: &str| {
            let whole = format!("modprobe() {{ printf '{listed}'; }}; {look}");
            std::process::Command::new("sh").args(["-c", &whole]).status().expect("sh").success()
        };
        assert!(holds("options zfs zfs_arc_max=9999 x=1\\noptions zfs zfs_arc_max=2048\\n"));
        assert!(!holds("options zfs zfs_arc_max=2048\\noptions zfs x=1 zfs_arc_max=9999\\n"));
        assert!(!holds("options zfs zfs_arc_max=20480\\n") && !holds("options zfs_x zfs_arc_max=2048\\n"));
    }

    #[test]
    fn a_module_of_the_initramfs_is_kept_there_too() {
        let commands = |advice: &Advice, phase| -> Vec<String> {
            advice.phase(phase).filter_map(|step| Some(step.run.as_ref()?.to_string())).collect()
        };
        let debian = zfs(Some("update-initramfs"), true);
        assert!(commands(&debian, Phase::Persist)[1].contains("update-initramfs -u -k all"));
        assert!(commands(&debian, Phase::Undo)[1] == "update-initramfs -u -k all");
        let unknown = zfs(None, true);
        assert!(unknown.steps.iter().any(|step| step.text.starts_with("Rebuild the initramfs")));
        assert!(zfs(Some("dracut"), false).steps.iter().all(|step| !step.text.contains("initramfs")));
    }
}
