//! `fullwire apply` on a machine with systemd: what it changed is so after the next boot of the same root, and what it took back
//! stays as it was.

use crate::network::machine::{Machine, slim};
use crate::skips::given;
use crate::tool::{Desk, stderr, stdout};

/// The files, with whose they are.
const FILES: &str = "cd /etc/sysctl.d && stat -c '%n %a %U %s' * && sha256sum *";
const VALUES: &str = "sysctl -n net.ipv4.tcp_sack net.ipv4.tcp_window_scaling";
const MEANT: &str = "--finding tcp-sack --finding tcp-window-scaling --yes";

#[test]
fn what_was_applied_is_so_after_the_next_boot_and_what_was_taken_back_is_as_before() {
    let desk = Desk::new();
    let machine = given!(Machine::begin(desk.work.path(), 3, true));
    let said = |script: &str| {
        let output = machine.ssh(script);
        assert!(output.status.success(), "{script}: {}{}", stdout(&output), stderr(&output));
        stdout(&output)
    };
    machine.put(&slim(desk.work.path()), "/usr/bin/fullwire");
    // The network namespace outlives a boot: what a new kernel begins with is set by hand.
    let new_kernel = "sysctl -qw net.ipv4.tcp_sack=0 net.ipv4.tcp_window_scaling=0";
    said("printf '# mine\\nnet.ipv4.tcp_sack = 0\\n' >/etc/sysctl.d/99-z-fullwire.conf");
    said(new_kernel);
    said("fullwire check --window 0s --fail-on never");
    let before = said(FILES);

    let applied = said(&format!("fullwire apply last {MEANT}"));
    assert_eq!(said(VALUES), "1\n1\n", "{applied}");
    said(new_kernel);
    machine.reboot();
    assert_eq!(said(VALUES), "1\n1\n", "{}", said(FILES));

    let taken_back = said("fullwire apply --undo --yes");
    assert_eq!(said(VALUES), "0\n0\n", "{taken_back}");
    assert_eq!(said(FILES), before, "{taken_back}");
    said(new_kernel);
    machine.reboot();
    assert_eq!((said(VALUES).as_str(), said(FILES)), ("0\n0\n", before));
}
