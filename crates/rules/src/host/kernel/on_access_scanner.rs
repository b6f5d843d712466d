rule! {
    /// # What it checks
    /// Passes when none of the known programs runs that look into files as they are opened (virus scanners, endpoint
    /// protection). Applies to database hosts.
    /// # Why it matters
    /// Such a program holds every open, and with some products every read, until it has looked at the file: backups, archiving
    /// and the start of sessions slow down from one day to the next, when its vendor updates it. Data files of a database are
    /// kept open and change all the time; scanning them finds nothing.
    /// # Evidence
    /// The names of processes.
    /// # Remedy
    /// Have its owner exclude the directories of data, logs and archives and the processes of the database.
    /// # Source
    /// fanotify(7) (permission events block the caller); Oracle Support note 782354.1 (exclude data files, logs and the Oracle
    /// home from virus scanners); MySQL Reference Manual and Microsoft's antivirus guidance for SQL Server say the same.
    code: "on-access-scanner",
    title: "a scanner looks into files as they are opened",
    layer: Host, severity: Info, on: [Process],
    when: |run| facts::is_database_host(run),
}

/// By the first 15 bytes of their names, and whose they are.
const PRODUCTS: [(&str, &str); 12] = [
    ("ds_agent", "Trend Micro Deep Security"),
    ("ds_am", "Trend Micro Deep Security"),
    ("mfetpd", "Trellix (McAfee) ENS"),
    ("isectpd", "McAfee ENS"),
    ("wdavdaemon", "Microsoft Defender"),
    ("falcon-sensor", "CrowdStrike Falcon"),
    ("clamonacc", "ClamAV on-access"),
    ("savscand", "Sophos"),
    ("av-scanner", "Sophos"),
    ("kesl", "Kaspersky Endpoint Security"),
    ("bdsecd", "Bitdefender"),
    ("s1-agent", "SentinelOne"),
];

fn check(run: &Facts) -> Vec<Outcome> {
    if run.host.processes.is_empty() {
        return vec![facts::unread("the processes")];
    }
    let product = |process: &'_ Process| PRODUCTS.iter().find(|(name, _)| *name == process.name);
    let found = run.host.processes.iter().find_map(|process| Some((process, product(process)?)));
    let Some((process, (name, whose))) = found else { return vec![Outcome::Passes] };
    vec![
        finding!(Kind::Process.named(*name), "{whose} ({name}) may look into each file that is opened on this host")
            .evidence(format!("process {} {name}", process.pid), "ps")
            .because("It holds the program that opens a file until it has looked: the first suspect where files became slow without a change of the database.")
            .now("Ask its owner whether data, redo or WAL, archive and backup directories and the database's processes are excluded")
            .persist("Exclude them in the product's policy; measure before and after with `fullwire disk`")
            .expecting("the same latency with and without the scanner")
            .into(),
    ]
}
