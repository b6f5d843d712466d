//! Who keeps the limits of a control group.
//!
//! Source: systemd, "The New Control Group Interfaces" (one writer for each subtree); Kubernetes, "Resource Management for
//! Pods and Containers" and "Resize CPU and Memory Resources assigned to Containers" (pods are made anew before 1.33);
//! docker-update(1), podman-update(1).

use crate::advice::{AdviceExt, because};
use fullwire_model::assessment::Advice;
use fullwire_model::host::{Cgroup, Runtime};

/// A limit is lifted only if somebody has said so.
pub(super) const AGREES: &str =
    "whoever set this limit agrees: it protects no other program of this host and is no licence's";

/// How long what is written to the file of a group holds: systemd writes its own value again.
pub(super) const UNTIL: &str = "until systemd reads its units again or starts this one";

/// Where a limit of this group is changed, if not in the file that version 2 has for it; `None`: there.
pub(super) fn instead(group: &Cgroup) -> Option<Advice> {
    let text = match Runtime::of_group(&group.path) {
        Some(Runtime::Kubelet) => return Some(of_pod().undo("Set the limit as it was, in the same place")),
        Some(Runtime::Docker) => {
            "Raise the limit of the container (`docker update`, and where it is defined)"
        }
        Some(Runtime::Podman) => {
            "Raise the limit of the container (`podman update`, and where it is defined)"
        }
        None if group.version == 1 => {
            "Raise the limit of the unit (`systemctl show UNIT`, `systemctl set-property`), or of what made the group: it is of version 1, in the directory of its controller below /sys/fs/cgroup"
        }
        None => return None,
    };
    Some(because("").persist(text).undo("Set the limit as it was, in the same place"))
}

/// kubelet writes the files of a pod's groups, and what owns the pod makes it anew for another limit.
pub(in crate::host) fn of_pod() -> Advice {
    because("")
        .persist("Raise resources.limits where the pod is defined (its operator, StatefulSet or chart): the pod, and the database in it, is started again for it")
        .restarts("the database")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_limit_of_a_pod_stops_its_database() {
        let advice = of_pod();
        assert_eq!(advice.steps[0].risk(), fullwire_model::assessment::Risk::Downtime);
    }

    #[test]
    fn a_file_is_written_only_where_nobody_else_writes_it() {
        let text = |path: &str, version| {
            let advice = instead(&Cgroup { path: path.into(), version, ..Cgroup::default() })?;
            Some(advice.steps.first()?.text.clone())
        };
        assert_eq!(text("/system.slice/a.service", 2), None);
        assert!(text("/database", 1).expect("of version 1").contains("version 1"));
        let pod = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice/cri-1.scope";
        assert!(text(pod, 2).expect("of a pod").contains("resources.limits"));
        assert!(text("/system.slice/docker-0123.scope", 2).expect("of docker").contains("docker update"));
    }
}
