use super::oranfstab::{self, Server};

rule! {
    /// # What it checks
    /// Passes when each line of `oranfstab` is a known attribute with a colon, each server has a path, an export and
    /// its mount, and at most four `local` and `path` lines.
    /// # Why it matters
    /// The syntax is strict, and what is not understood is left out without a word: the database falls back to
    /// the kernel's NFS client.
    /// # Evidence
    /// `$ORACLE_HOME/dbs/oranfstab` or `/etc/oranfstab`.
    /// # Remedy
    /// Correct the line, restart, and check `v$dnfs_servers` and the alert log.
    /// # Source
    /// Oracle Database Installation Guide for Linux, Creating an oranfstab File for Direct NFS Client
    /// (attributes, at most four paths), and Enabling Hybrid Columnar Compression on Direct NFS Client (`management` where
    /// the filer answers SNMP on another interface, `community` where its community is not `public`); NetApp ontap-apps-dbs, oracle-storage-nfs-config-dnfs.adoc (strict
    /// syntax).
    code: "oranfstab-faulty",
    title: "oranfstab has lines that Direct NFS does not accept",
    layer: Storage, severity: Warning, on: [File],
}

fn check(run: &Facts) -> Vec<Outcome> {
    oranfstab::each(run, |database, text, source| {
        let (servers, unknown) = oranfstab::parse(text);
        let lines = unknown.into_iter().map(|(line, what)| format!("line {line}: {what}"));
        let faults: Vec<String> = lines.chain(servers.iter().flat_map(faults_of)).collect();
        if faults.is_empty() {
            return Outcome::Passes;
        }
        finding!(
            Kind::File.named(source),
            "{source} of {} is faulty: {}",
            database.name,
            facts::listed(&faults),
        )
        .evidence(faults.join("; "), source)
        .because("Direct NFS ignores what it does not understand and uses the kernel's client instead.")
        .now(format!("Correct {source}, then restart the instance"))
        .restarts("the database")
        .persist("the file stays; keep it the same on all nodes of a cluster")
        .expecting("every path in v$dnfs_channels, no DNFS warning in the alert log")
        .into()
    })
}

fn faults_of(server: &Server) -> Vec<String> {
    const MOST: usize = 4;
    let mut faults = Vec::new();
    let name = &server.name;
    if server.exports.is_empty() {
        faults.push(format!("{name} has no export with its mount"));
    }
    for (what, list) in [("local", &server.locals), ("path", &server.paths)] {
        if list.len() > MOST {
            faults.push(format!("{name} has {} {what} lines, but only {MOST} are used", list.len()));
        }
    }
    if !server.locals.is_empty() && server.locals.len() != server.paths.len() {
        faults.push(format!(
            "{name} has {} local and {} path lines: they must come in pairs",
            server.locals.len(),
            server.paths.len()
        ));
    }
    faults
}
