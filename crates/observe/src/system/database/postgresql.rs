//! PostgreSQL: the postmaster, its data directory and its configuration files.

use super::{Files, Scene, config, option};
use crate::Root;
use crate::kept::postgresql::{is_postmaster, wanted};
use crate::system::process_stat::ProcessStat;
use fullwire_model::host::Database;

pub(super) fn recognise(scene: &Scene, process: &ProcessStat, files: &Files) -> Option<Database> {
    if !is_postmaster(&process.name) || is_postmaster(scene.parent_name(process)) {
        return None;
    }
    let arguments = scene.arguments(process);
    if arguments.first().is_some_and(|title| title.ends_with(':')) {
        return None; // `postgres: checkpointer`, in a listing that does not tell parents
    }
    // A tool may bear the name; only the server itself has a program path or options.
    let directory = option(&arguments, &["-D", "--data-directory"])
        .map(str::to_owned)
        .or_else(|| working_directory(scene.root, process.pid));
    if !files.are_a_servers(directory.as_deref()) {
        return None;
    }
    let mut database = Database { kind: "postgresql".to_owned(), ..Database::default() };
    let settings_of_command = command_settings(&arguments);
    let given = |name: &str| {
        settings_of_command.iter().find(|(given, _)| given == name).map(|(_, value)| value.clone())
    };
    let file = given("config_file").or_else(|| Some(format!("{}/postgresql.conf", directory.as_deref()?)));
    let mut keep = |name: &str, value: &str, source: &str| {
        if wanted(name) {
            database.settings.insert(name.to_owned(), value.to_owned());
            database.setting_sources.insert(name.to_owned(), source.to_owned());
        }
    };
    if let Some(file) = &file {
        config::postgresql(files, file, &wanted, &mut keep);
    }
    let data = given("data_directory").or_else(|| {
        let mut found = None;
        if let Some(file) = &file {
            config::postgresql(files, file, &wanted, &mut |name, value, _| {
                if name == "data_directory" {
                    found = Some(value.to_owned());
                }
            });
        }
        found
    });
    let data = data.or(directory);
    if let Some(data) = &data {
        config::postgresql(files, &format!("{data}/postgresql.auto.conf"), &wanted, &mut keep);
    }
    for (name, value) in &settings_of_command {
        keep(name, value, &format!("/proc/{}/cmdline", process.pid));
    }
    database.background = background(scene, process);
    if let Some(data) = data {
        locations(files, &data, &mut database);
        database.name = data;
    }
    Some(database)
}

/// Processes of servers that are looked at.
const MAX_PROCESSES: usize = 8192;

/// What the titles of a server's background processes tell. A listing that names no parents serves one server alone.
fn background(scene: &Scene, server: &ProcessStat) -> Option<Vec<String>> {
    let titles = scene.titles.get_or_init(|| {
        let of_servers = scene.processes.iter().filter(|other| other.name.starts_with("post"));
        let titled = of_servers.take(MAX_PROCESSES).filter_map(|other| {
            let (first, rest) =
                scene.arguments(other).split_first().map(|(first, rest)| (first.clone(), rest.join(" ")))?;
            (first == "postgres:" && !rest.is_empty()).then_some((other.parent_pid, rest))
        });
        titled.collect()
    });
    let (own, others): (Vec<_>, Vec<_>) = titles.iter().partition(|(parent, _)| *parent == server.pid);
    let of_no_one = others.iter().all(|(parent, _)| *parent == 0);
    let checkpointers = others.iter().filter(|(_, title)| title == "checkpointer").count();
    let chosen = if own.is_empty() && of_no_one && checkpointers <= 1 { others } else { own };
    let mut titles: Vec<String> = chosen.into_iter().map(|(_, title)| title.clone()).collect();
    titles.sort();
    titles.dedup();
    (!titles.is_empty()).then_some(titles)
}

/// Where a server works, as it calls it itself: the link of one in a chroot has the path of its tree before it
/// (`proc_pid_cwd(5)`, `proc_pid_root(5)`).
fn working_directory(root: &Root, pid: u32) -> Option<String> {
    let directory = root.link(&format!("/proc/{pid}/cwd"))?;
    let top = root.link(&format!("/proc/{pid}/root")).unwrap_or_default();
    let own = directory.strip_prefix(top.trim_end_matches('/')).filter(|own| own.starts_with('/'));
    Some(own.unwrap_or(&directory).to_owned())
}

/// `-c name=value` and `--name=value`.
fn command_settings(arguments: &[String]) -> Vec<(String, String)> {
    let after_c = arguments.windows(2).filter(|pair| pair[0] == "-c").map(|pair| pair[1].as_str());
    let long = arguments.iter().filter_map(|argument| argument.strip_prefix("--"));
    let pairs = after_c.chain(long).filter_map(|setting| setting.split_once('='));
    pairs.map(|(name, value)| (name.replace('-', "_").to_ascii_lowercase(), value.to_owned())).collect()
}

/// The data directory, where its WAL is when that is a link, and its tablespaces.
fn locations(files: &Files, data: &str, database: &mut Database) {
    database.locations.insert(data.to_owned(), "data".to_owned());
    let wal = format!("{data}/pg_wal");
    database.locations.insert(files.link(&wal).unwrap_or(wal), "wal".to_owned());
    let tablespaces = format!("{data}/pg_tblspc");
    for name in files.list(&tablespaces) {
        if let Some(target) = files.link(&format!("{tablespaces}/{name}")) {
            database.locations.entry(target).or_insert_with(|| "data".to_owned());
        }
    }
}
