//! All gaps of a run in one list.

use fullwire_model::counters::Counters;
use fullwire_model::host::Host;
use fullwire_model::{Gap, Run, Window};

/// Every gap that the run carries anywhere, each once, a peer's with the peer's name in front; first those of what was
/// measured or named.
pub fn gaps(run: &Run) -> Vec<Gap> {
    let mut all = asked(run);
    add_host(&mut all, "", &run.host);
    add_windows(&mut all, "", &run.windows);
    for peer in &run.peers {
        // A loopback peer is this host: its gaps are already reported.
        let whose = if peer.loopback { String::new() } else { format!("{}: ", peer.target) };
        if let Some(host) = &peer.host {
            add_host(&mut all, &whose, host);
        }
        add_windows(&mut all, &whose, &peer.windows);
    }
    all
}

/// The gaps of what was measured or named, without those of the hosts' settings and counters.
pub(crate) fn asked(run: &Run) -> Vec<Gap> {
    let mut all = Vec::new();
    add(&mut all, "", &run.gaps);
    run.disk.iter().for_each(|result| add(&mut all, "", &result.gaps));
    if let Some(demand) = &run.demand {
        add(&mut all, "", &demand.gaps);
    }
    run.reports.iter().for_each(|report| add(&mut all, &format!("{}: ", report.source), &report.gaps));
    run.redo.iter().for_each(|redo| add(&mut all, "", &redo.gaps));
    run.imported.iter().for_each(|file| add(&mut all, &format!("{}: ", file.source), &file.gaps));
    all
}

fn add(all: &mut Vec<Gap>, whose: &str, gaps: &[Gap]) {
    for gap in gaps {
        let gap = Gap { subject: format!("{whose}{}", gap.subject), ..gap.clone() };
        if !all.contains(&gap) {
            all.push(gap);
        }
    }
}

fn add_host(all: &mut Vec<Gap>, whose: &str, host: &Host) {
    add(all, whose, &host.gaps);
    for fc_host in &host.fc_hosts {
        add(all, whose, &fc_host.gaps);
    }
}

fn add_windows(all: &mut Vec<Gap>, whose: &str, windows: &[Window]) {
    let counters = windows.iter().flat_map(|window| [&window.from, &window.to]);
    counters.for_each(|counters: &Counters| add(all, whose, &counters.gaps));
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::{GapReason, Peer};

    #[test]
    fn each_gap_is_told_once_and_a_peers_under_its_name() {
        let gap = Gap::new("proc/net/snmp", GapReason::Denied, "EACCES");
        let counters = Counters { gaps: vec![gap.clone()], ..Counters::default() };
        let window = Window { from: counters.clone(), to: counters, ..Window::default() };
        let host = Host { gaps: vec![gap.clone()], ..Host::default() };
        let peer = Peer { target: "db2:5555".into(), host: Some(host), ..Peer::default() };
        let run = Run { windows: vec![window], peers: vec![peer], ..Run::default() };
        let subjects: Vec<String> = gaps(&run).into_iter().map(|gap| gap.subject).collect();
        assert_eq!(subjects, ["proc/net/snmp", "db2:5555: proc/net/snmp"]);
    }
}
