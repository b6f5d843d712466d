use super::parameter_file::{self, Flaw};

rule! {
    /// # What it checks
    /// Applies with data files on a file system; passes when `filesystemio_options` is `SETALL` (direct and
    /// asynchronous).
    /// # Why it matters
    /// Without it every block is cached twice and written one at a time: the database writer waits for each
    /// write, and the page cache takes the memory that the buffer cache should have.
    /// # Evidence
    /// `filesystemio_options` in the report's parameters, and the names of the data files (ASM names begin with
    /// `+`).
    /// # Remedy
    /// Set it in the spfile and restart; give the memory that the page cache used to the SGA.
    /// # Source
    /// NetApp, Oracle databases on ONTAP, `filesystemio_options`: SETALL, no effect with ASM or Direct NFS.
    code: "filesystemio-not-setall",
    title: "data files on a file system without direct and asynchronous I/O (filesystemio_options)",
    layer: Database, severity: Warning, on: [Database, Report],
}

fn check(run: &Facts) -> Vec<Outcome> {
    let mut outcomes = each_of_io(run, |report| vec![judge(report)]);
    outcomes.extend(parameter_file::each(run, &RULE, advice, |database| flaw(run, database)));
    outcomes
}

/// Of the parameter file: a value that was chosen against the page cache's bypass is worth more than one that nobody set.
fn flaw(run: &Run, database: &Database) -> Option<Flaw> {
    let set = parameter_file::value(database, "filesystemio_options");
    let on_direct_nfs = database.settings.get("direct_nfs").is_some_and(|state| state == "enabled");
    if set.as_deref() == Some("setall") || on_direct_nfs || !has_files(run, database) {
        return None;
    }
    let severity = if set.as_deref() == Some("none") { Severity::Warning } else { Severity::Info };
    Some(Flaw { name: "filesystemio_options", severity, says: "data files are on a file system".into() })
}

/// Its data files are on a file system: so the parameters say, otherwise there is no ASM that could hold them.
fn has_files(run: &Run, database: &Database) -> bool {
    let named = ["control_files", "db_create_file_dest"];
    let places: Vec<String> = named.iter().filter_map(|name| parameter_file::value(database, name)).collect();
    if let Some(first) = places.first() {
        return first.starts_with('/');
    }
    let asm = run.host.databases.iter().any(|other| other.kind == "oracle-asm");
    !asm && !database.clustered && !facts::uses_raw_devices(&run.host)
}

fn judge(report: &AwrReport) -> Outcome {
    if report.init_parameters.is_empty() {
        return unknown!("{} lists no parameters", report.source);
    }
    let Some(on_file_system) = on_file_system(report) else {
        return unknown!("{} does not say where the data files are", report.source);
    };
    let set = report::parameter(report, "filesystemio_options");
    if !on_file_system || set.as_deref() == Some("setall") {
        return Outcome::Passes;
    }
    let shown = set.unwrap_or_else(|| "not set".into());
    finding!(report::subject(report), "filesystemio_options is {shown} with data files on a file system")
        .measured(0.0, 1.0, Unit::Count)
        .evidence(format!("filesystemio_options: {shown}"), &report.source)
        .advice(advice())
        .into()
}

fn advice() -> Advice {
    because("Blocks are cached twice and written one by one.")
        .now("alter system set filesystemio_options = setall scope = spfile;")
        .persist("restart the instance, then give the memory of the page cache to the SGA")
        .expecting("fewer waits of the database writer; no effect when the files are on Direct NFS")
}

/// ASM names begin with `+`; the report lists data files, or at least control files and the place of new files.
fn on_file_system(report: &AwrReport) -> Option<bool> {
    let parameters =
        ["control_files", "db_create_file_dest"].iter().filter_map(|&name| report::parameter(report, name));
    let files = report.files.iter().filter_map(|line| line.file.clone());
    let names: Vec<String> = files.chain(parameters).filter(|name| !name.is_empty()).collect();
    let first = names.first()?;
    Some(!first.starts_with('+'))
}
