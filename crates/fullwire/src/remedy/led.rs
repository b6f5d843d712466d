//! Mount points to which another user's directory leads: mount(8) follows whatever is put in its place.

use fullwire_rules::advice::effect::mount_points;
use fullwire_way::{Sticky, Way};
use std::path::Path;

/// Why a command mounts or unmounts nothing: another user can lead it elsewhere.
pub(crate) fn led_elsewhere(run: &str) -> Option<String> {
    let Some(points) = mount_points(run) else {
        return Some("where it mounts cannot be told from the command: do it by hand".into());
    };
    let point = points.into_iter().find(|point| !is_reached_by_root_alone(point))?;
    Some(format!(
        "another user can put a link in the place of a directory above {point}, which mount would follow: do it by hand"
    ))
}

/// What is mounted there, and whose that is, does not matter, and is not looked at: a dead server would be waited for.
fn is_reached_by_root_alone(point: &str) -> bool {
    let above = Path::new(point).parent();
    above.is_none_or(|above| Way::to(above).is_ok_and(|way| way.is_of(0, Sticky::CountsAbove)))
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
        let found = mount_points(&format!("findmnt -M /u01; test $? = 1 || umount /u01 && {run}"));
        assert_eq!(found.unwrap(), ["/u01", &point.display().to_string()]);
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let at = point.to_string_lossy();
        assert!(is_reached_by_root_alone(&at));
        chown(&point, Some(65_534), None).expect("given");
        assert!(is_reached_by_root_alone(&at), "whose the mounted directory is does not matter");
        chown(folder.path().join("a b"), Some(65_534), None).expect("given");
        assert!(!is_reached_by_root_alone(&at));
        let lock = tempfile::tempfile().expect("a file");
        let refused = shell::run(run.as_ref(), lock).expect_err("it is not run");
        assert!(refused.to_string().starts_with("another user can put a link"), "{refused}");
    }
}
