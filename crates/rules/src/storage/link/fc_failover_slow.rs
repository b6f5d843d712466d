use super::other_way::OtherWays;

rule! {
    /// # What it checks
    /// Applies where every disk behind a Fibre Channel port has another path, in a map of device-mapper, that works; passes
    /// when I/O to the lost port fails within half a minute (`fast_io_fail_tmo`), so that the other path can take it. Where
    /// there is no other path a short time only turns a pause into an error.
    /// # Why it matters
    /// With `off`, I/O hangs until `dev_loss_tmo` removes the disks, often minutes. A cluster evicts the node before that.
    /// # Evidence
    /// `fast_io_fail_tmo` and `dev_loss_tmo` below `/sys/class/fc_remote_ports`.
    /// # Remedy
    /// `fast_io_fail_tmo 5` in multipath.conf, which is multipath-tools' own default.
    /// # Source
    /// multipath.conf(5), `fast_io_fail_tmo` (default 5) and `dev_loss_tmo`; Linux `drivers/scsi/scsi_transport_fc.c`.
    code: "fc-failover-slow",
    title: "I/O to a lost Fibre Channel port hangs before it fails over",
    layer: Storage, severity: Warning, on: [RemotePort],

    /// Waiting time that a database survives without timeouts (own choice).
    const LONGEST_S: u64 = 30;
    /// What transport and multipath-tools take for no end (`infinity` of `dev_loss_tmo`).
    const FOREVER_S: u64 = 0x7fff_ffff;
    /// Seconds that no cluster and no session waits (multipath-tools' own `dev_loss_tmo`).
    const LONG_S: u64 = 600;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let host = &run.host;
    let targets = host.fc_remote_ports.iter().filter(|port| port.roles.contains("Target"));
    let judged = targets.filter_map(|port| match other_ways(host, port) {
        OtherWays::NoMap => None,
        OtherWays::Some => Some(Outcome::Passes),
        OtherWays::All => Some(judge(host, port)),
    });
    judged.collect()
}

/// What the paths of device-mapper's maps behind the port, or behind its adapter where its disks are not known, stand on
/// beside it; other multipath drivers have their own timeouts.
fn other_ways(host: &Host, port: &FcRemotePort) -> OtherWays {
    let own = |name: &str| {
        let disk = host.disk(name);
        disk.is_some_and(|disk| facts::is_behind(disk, &port.host) && port.carries(disk) != Some(false))
    };
    let maps = host.multipath.iter().filter(|map| !map.is_powerpath());
    let paths = maps.flat_map(|map| &map.groups).flat_map(|group| &group.paths);
    let behind = paths.map(|path| path.device.as_str()).filter(|name| own(name));
    OtherWays::of(host, behind, own)
}

fn duration(seconds: u64) -> String {
    if seconds >= FOREVER_S { "forever".to_owned() } else { format!("for {seconds} s before it fails over") }
}

/// The value that multipath.conf asks for, and whether other ports got it.
fn configured(host: &Host, port: &FcRemotePort) -> Option<String> {
    let config = host.multipath_config.as_ref()?;
    let of_section = || config.devices.iter().find_map(|device| device.settings.get("fast_io_fail_tmo"));
    let asked =
        config.settings.get("fast_io_fail_tmo").or_else(of_section).filter(|value| *value != "off")?;
    let others = host.fc_remote_ports.iter().filter(|one| one.name != port.name);
    let have =
        others.filter(|one| one.fast_io_fail_tmo_s.is_some_and(|own| own.to_string() == *asked)).count();
    let others = match have {
        0 => String::new(),
        1 => ", and 1 other port has it".to_owned(),
        have => format!(", and {have} other ports have it"),
    };
    Some(format!("{} sets fast_io_fail_tmo {asked}{others}: it did not reach {}", config.source, port.name))
}

fn judge(host: &Host, port: &FcRemotePort) -> Outcome {
    let waits_s = match (port.fast_io_fail_tmo_s, port.fast_io_fail_off) {
        (Some(seconds), _) => seconds,
        (None, true) => match port.dev_loss_tmo_s {
            Some(seconds) => seconds,
            None => return facts::unread(&format!("dev_loss_tmo of {}", port.name)),
        },
        (None, false) => return facts::unread(&format!("fast_io_fail_tmo of {}", port.name)),
    };
    if waits_s <= LONGEST_S {
        return Outcome::Passes;
    }
    // A cluster has to see the error before its own timeouts run out; elsewhere it is a longer pause.
    let severity =
        if waits_s > LONG_S || facts::is_clustered(host) { Severity::Warning } else { Severity::Info };
    let mut finding = finding!(
        Kind::RemotePort.named(&port.name),
        "when the array port {} is lost, I/O hangs {}",
        port.port_name,
        duration(waits_s),
    );
    let asked = configured(host, port);
    if let (Some(text), Some(config)) = (&asked, &host.multipath_config) {
        finding = finding.evidence(text.clone(), config.source.clone());
    }
    finding
        .severity(severity)
        .measured(waits_s as f64, LONGEST_S as f64, Unit::S)
        .evidence(
            format!(
                "fast_io_fail_tmo {}, dev_loss_tmo {}",
                port.fast_io_fail_tmo_s.map_or("off".to_owned(), |seconds| seconds.to_string()),
                port.dev_loss_tmo_s.map_or("not read".to_owned(), |seconds| seconds.to_string())
            ),
            format!("/sys/class/fc_remote_ports/{}", port.name),
        )
        .advice(
            advice(host, port, asked)
                .expecting("a pulled cable costs seconds; `fast_io_fail_tmo` shows 5 for each remote port"),
        )
        .into()
}

fn advice(host: &Host, port: &FcRemotePort, asked: Option<String>) -> Advice {
    let why = "Another path can only take the I/O once it has failed on this one.";
    match asked {
        None => {
            let maps: Vec<&MultipathMap> = host.multipath.iter().filter(|map| !map.is_powerpath()).collect();
            set_multipath(why, &maps, |array| {
                let seconds = array.and_then(|array| array.fast_io_fail_tmo).unwrap_or("5");
                format!("fast_io_fail_tmo {seconds}")
            })
        }
        Some(asked) => because(why)
            .now(asked)
            .now("`multipathd reconfigure` sets it on every port again; maps stay in use. Only while `multipathd show paths` lists all paths as active ready")
            .look(
                sh!("cat {}", format!("/sys/class/fc_remote_ports/{}/fast_io_fail_tmo", port.name)),
                "Shows the value that the port has now",
            )
            .persist("The file is permanent. If the port does not get it, the file has it in a section that this array does not use: `multipathd show config` shows what is in effect; in overrides it wins"),
    }
}
