//! Mount points to which another user's directory leads: mount(8) follows whatever is put in its place.

use fullwire_rules::advice::effect::mount_points;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Why a command mounts or unmounts nothing: another user can lead it elsewhere.
pub(crate) fn led_elsewhere(run: &str) -> Option<String> {
    let point = mount_points(run).into_iter().find(|point| !is_reached_by_root_alone(Path::new(point)))?;
    Some(format!(
        "another user can put a link in the place of a directory above {point}, which mount would follow: do it by hand"
    ))
}

/// No directory above is another user's, or lets others rename what is in it.
fn is_reached_by_root_alone(path: &Path) -> bool {
    let is_roots = |above: &Path| {
        std::fs::symlink_metadata(above).is_ok_and(|status| {
            let is_sticky = status.mode() & 0o1000 != 0;
            status.uid() == 0 && (status.is_symlink() || is_sticky || status.mode() & 0o022 == 0)
        })
    };
    path.ancestors().skip(1).all(is_roots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remedy::shell;
    use fullwire_model::sh;
    use std::os::unix::fs::chown;

    /// mount(8) follows a link, and the owner of a directory above can put one there between a look and the step.
    #[test]
    fn nothing_is_mounted_where_another_user_leads() {
        let folder = tempfile::tempdir().expect("a folder");
        let point = folder.path().join("a b/data");
        std::fs::create_dir_all(&point).expect("directories");
        let run = sh!("mount -o {} {} {}", "remount,noatime", "/dev/sdb", point.to_string_lossy());
        let found = mount_points(&format!("umount /u01 && {run}"));
        assert_eq!(found, ["/u01", &point.display().to_string()]);
        if !rustix::process::geteuid().is_root() {
            return;
        }
        assert!(is_reached_by_root_alone(&point));
        chown(&point, Some(65_534), None).expect("given");
        assert!(is_reached_by_root_alone(&point), "whose the mounted directory is does not matter");
        chown(folder.path().join("a b"), Some(65_534), None).expect("given");
        assert!(!is_reached_by_root_alone(&point));
        let lock = tempfile::tempfile().expect("a file");
        let refused = shell::run(run.as_ref(), lock).expect_err("it is not run");
        assert!(refused.to_string().starts_with("another user can put a link"), "{refused}");
    }
}
