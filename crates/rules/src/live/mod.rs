//! What a host does right now, each figure with its ceiling: what `watch` shows and `replay` shows again.

mod headline;
mod host;
mod network;
mod storage;

use fullwire_model::host::Host;
use fullwire_model::live::{LIVE_SCHEMA, Live, Seen};

/// Computes the rates of a span and names the bottleneck. The span's counters were made continuous before.
pub fn live(host: &Host, seen: &Seen) -> Live {
    let window = &seen.window;
    let mut live = Live {
        schema: LIVE_SCHEMA.into(),
        host: host.hostname.clone(),
        at: seen.at,
        seconds: window.seconds(),
        cpu: host::cpu(host, window),
        memory: host::memory(host, window),
        pressure: host::pressure(window),
        storage: storage::rows(host, window),
        network: network::rows(host, window),
        retransmitted_share: network::retransmitted(window),
        threads: host::threads(window),
        processes: host::processes(window),
        databases: host::databases(host, window),
        gaps: window.to.gaps.clone(),
        ..Live::default()
    };
    storage::name_users(&mut live);
    live.headline = headline::of(&live, host, &seen.trouble);
    live
}

/// How much something grew a second; `None` without a span, or where it was not read at both ends.
fn per_s(window: &fullwire_model::Window, from: Option<u64>, to: Option<u64>) -> Option<f64> {
    let seconds = window.seconds();
    (seconds > 0.0).then_some(())?;
    Some(to?.saturating_sub(from?) as f64 / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::Window;
    use fullwire_model::assessment::{Layer, Severity};
    use fullwire_model::counters::{Counters, DiskCounters, NicCounters};
    use fullwire_model::host::{Bond, BondSlave, Disk, Mount, Nic};
    use fullwire_model::live::Trouble;
    use fullwire_model::subject::{At, Kind};
    use std::collections::BTreeMap;

    fn counters(second: u64, disk: DiskCounters, tx_bytes: u64) -> Counters {
        let nic = NicCounters { tx_bytes, ..NicCounters::default() };
        Counters {
            monotonic_ns: second * 1_000_000_000,
            disks: BTreeMap::from([("sda".into(), disk.clone()), ("dm-0".into(), disk)]),
            nics: BTreeMap::from([("eth0".into(), nic.clone()), ("bond0".into(), nic)]),
            ..Counters::default()
        }
    }

    fn database_host() -> Host {
        let nic = |name: &str, kind: &str| Nic {
            name: name.into(),
            kind: kind.into(),
            operstate: "up".into(),
            speed_mbit_per_s: Some(10_000),
            master: (name == "eth0").then(|| "bond0".into()),
            ..Nic::default()
        };
        Host {
            hostname: "db1".into(),
            nics: vec![nic("bond0", "bond"), nic("eth0", "physical")],
            bonds: vec![Bond {
                name: "bond0".into(),
                mode: "active-backup".into(),
                slaves: vec![BondSlave {
                    name: "eth0".into(),
                    mii_status: "up".into(),
                    ..BondSlave::default()
                }],
                ..Bond::default()
            }],
            disks: vec![
                Disk {
                    name: "dm-0".into(),
                    number: "253:0".into(),
                    kind: "lvm".into(),
                    slaves: vec!["sda".into()],
                    ..Disk::default()
                },
                Disk {
                    name: "sda".into(),
                    number: "8:0".into(),
                    kind: "disk".into(),
                    transport: "sas".into(),
                    link_gbit_per_s: Some(6.0),
                    ..Disk::default()
                },
            ],
            mounts: vec![Mount {
                source: "/dev/mapper/data".into(),
                target: "/u01".into(),
                fs_type: "xfs".into(),
                number: "253:0".into(),
                ..Mount::default()
            }],
            ..Host::default()
        }
    }

    fn seen(from: Counters, to: Counters) -> Seen {
        Seen { window: Window { from, to, ..Window::default() }, ..Seen::default() }
    }

    #[test]
    fn a_mount_stands_on_its_devices_with_the_share_of_the_link() {
        let busy = DiskCounters {
            reads: 1000,
            read_bytes: 540_000_000,
            read_ms: 2_500,
            weighted_ms: 2_500,
            ..DiskCounters::default()
        };
        let live = live(
            &database_host(),
            &seen(counters(1, DiskCounters::default(), 0), counters(2, busy, 1_000_000_000)),
        );
        let names: Vec<(u32, &str)> =
            live.storage.iter().map(|row| (row.depth, row.device.as_str())).collect();
        assert_eq!(names, [(0, "dm-0"), (1, "sda")]);
        let rates = live.storage[1].io.as_ref().unwrap();
        assert_eq!((rates.reads_per_s, rates.read_await_ms, rates.queue), (1000.0, Some(2.5), 2.5));
        // 6 Gbit/s of SAS carry 600 MB/s: 540 of them are 90 %.
        assert_eq!(live.storage[1].share.map(|share| (share * 100.0).round()), Some(90.0));
        let net: Vec<(u32, &str)> = live.network.iter().map(|row| (row.depth, row.name.as_str())).collect();
        assert_eq!(net, [(0, "bond0"), (1, "eth0")]);
        assert_eq!(live.network[0].share.map(|share| (share * 100.0).round()), Some(80.0));
        assert!(live.headline.sentence.starts_with("storage /u01"), "{}", live.headline.sentence);
        assert!(live.headline.sentence.contains("90 %"), "{}", live.headline.sentence);
    }

    #[test]
    fn a_device_that_hangs_is_said_at_once() {
        let hung = DiskCounters { in_flight: 4, reads: 7, ..DiskCounters::default() };
        let before = DiskCounters { in_flight: 4, ..hung.clone() };
        let live = live(&database_host(), &seen(counters(1, before, 0), counters(3, hung, 0)));
        assert_eq!(live.storage[1].stalled_s, Some(2.0));
        assert!(live.headline.sentence.contains("nothing completed"), "{}", live.headline.sentence);
        assert_eq!(live.headline.severity, Some(Severity::Critical));
    }

    #[test]
    fn trouble_that_is_going_on_comes_first_and_one_sample_has_no_rates() {
        let one = counters(5, DiskCounters::default(), 0);
        let mut seen = seen(one.clone(), one);
        assert!(live(&database_host(), &seen).storage.iter().all(|row| row.io.is_none()));
        seen.trouble.push(Trouble {
            code: "swapping".into(),
            subject: "memory".into(),
            subject_ref: Kind::Memory.only(),
            layer: Layer::Host,
            severity: Severity::Warning,
            message: "the host swaps".into(),
        });
        let headline = live(&database_host(), &seen).headline;
        assert_eq!((headline.code.as_str(), headline.sentence.as_str()), ("swapping", "the host swaps"));
    }

    /// A bond is its interface; an interface of that name on a peer, or one side of it, is not.
    #[test]
    fn trouble_of_a_link_says_how_full_it_is() {
        let none = DiskCounters::default();
        let mut seen = seen(counters(1, none.clone(), 0), counters(2, none, 1_000_000_000));
        let far = Kind::Nic.named("bond0").at(At::Peer("db2".into()));
        let side = Kind::QueueingDiscipline.named("bond0").aspect("tbf");
        for (subject, is_told) in [(Kind::Bond.named("bond0"), true), (far, false), (side, false)] {
            seen.trouble = vec![Trouble {
                code: "nic-rx-dropped".into(),
                subject: subject.to_string(),
                subject_ref: subject,
                layer: Layer::Network,
                severity: Severity::Warning,
                message: "packets are dropped".into(),
            }];
            let headline = live(&database_host(), &seen).headline;
            assert_eq!(headline.share.is_some(), is_told, "{headline:?}");
        }
    }
}
