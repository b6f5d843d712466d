//! Oracle: database and ASM instances by their process monitor, RAC by its lock processes, the network
//! settings of `sqlnet.ora`, Direct NFS.

use super::{Files, Scene, kept_lines};
use crate::kept::oracle::{kept_of_environment, parameter, wanted};
use crate::system::process_stat::ProcessStat;
use fullwire_model::host::Database;

/// Open files of one process that are looked at.
const MAX_FILES: usize = 4096;

pub(super) fn recognise(scene: &Scene, process: &ProcessStat, files: &Files) -> Option<Database> {
    // The kernel keeps 15 bytes of a name; a long SID is whole only in the command line.
    let (kind, _) = instance(&process.name)?;
    if !files.are_a_servers(None) || !is_installed(scene, process, files) {
        return None;
    }
    let title = scene.arguments(process).first().cloned().unwrap_or_default();
    let sid = instance(&title).map_or_else(
        || instance(&process.name).map(|(_, sid)| sid.to_owned()),
        |(_, sid)| Some(sid.to_owned()),
    )?;
    let mut database = Database { kind: kind.to_owned(), name: sid.clone(), ..Database::default() };
    let member = |name: &str| {
        let path = format!("ora_{name}");
        scene.processes.iter().filter(move |other| other.name.starts_with(&path))
    };
    database.clustered = (kind == "oracle"
        && (member("lmon_").next().is_some() || member("lms").next().is_some()))
        || scene.processes.iter().any(|other| other.name.starts_with("asm_lmon"));
    for (prefix, what) in [("dbw", "data"), ("lgwr_", "redo"), ("arc", "archive")] {
        for writer in member(prefix).filter(|other| of_instance(scene, other, &sid)).take(2) {
            open_files(scene, writer, what, &mut database);
        }
    }
    let home = home(scene, process, files, &sid);
    if let Some(home) = &home {
        database.settings.insert("oracle_home".to_owned(), home.clone());
        direct_nfs(files, home, &mut database);
        if kind == "oracle" {
            parameters(files, home, &sid, &mut database);
        }
    }
    network_settings(scene, process, files, home.as_deref(), &mut database);
    nfs_table(files, home.as_deref(), &mut database);
    Some(database)
}

/// Whether its program is an installation's. Any user can start one of their own under this name, also from a `bin/oracle` of
/// their own, but neither make a file of root's beside it (`oradism`, by `root.sh`) nor write oratab. A captured tree tells the
/// program's path at most; where that is not known, the name is believed.
fn is_installed(scene: &Scene, process: &ProcessStat, files: &Files) -> bool {
    let Some(program) = scene.root.link(&format!("/proc/{}/exe", process.pid)) else { return true };
    let is_installed = home_of(&program).is_some_and(|home| {
        !scene.root.is_live()
            || files.uid_of(&format!("{home}/bin/oradism")) == Some(0)
            || oratab(files).is_some_and(|text| {
                text.lines()
                    .any(|line| line.split(':').nth(1).is_some_and(|own| own.trim_end_matches('/') == home))
            })
    });
    if !is_installed {
        files.disbelieve(&format!(
            "calls itself {}, and {program} is no installed Oracle server",
            process.name
        ));
    }
    is_installed
}

/// The home of a program; a patch takes it away, or keeps it under another name, while it runs.
fn home_of(program: &str) -> Option<&str> {
    let program = program.strip_suffix(" (deleted)").unwrap_or(program);
    program.strip_suffix("/bin/oracle").or_else(|| program.strip_suffix("/bin/oracleO"))
}

/// The kind and SID that a process monitor's name tells.
pub(super) fn instance(name: &str) -> Option<(&'static str, &str)> {
    const MONITORS: [(&str, &str); 5] = [
        ("ora_pmon_", "oracle"),
        ("asm_pmon_", "oracle-asm"),
        ("mdb_pmon_", "oracle"),
        ("db_pmon_", "oracle"),
        ("xe_pmon_", "oracle"),
    ];
    let name = name.trim();
    MONITORS
        .into_iter()
        .find_map(|(prefix, kind)| Some((kind, name.strip_prefix(prefix)?)))
        .filter(|(_, sid)| !sid.is_empty())
}

/// A background process belongs to the instance: its whole title ends in the SID.
fn of_instance(scene: &Scene, process: &ProcessStat, sid: &str) -> bool {
    let title = scene.arguments(process).first().cloned().unwrap_or_else(|| process.name.clone());
    title.trim().strip_suffix(sid).is_some_and(|rest| rest.ends_with('_'))
}

/// Directories and devices of the files that a writer has open.
fn open_files(scene: &Scene, process: &ProcessStat, kind: &str, database: &mut Database) {
    let directory = format!("/proc/{}/fd", process.pid);
    for name in scene.root.list(&directory).iter().take(MAX_FILES) {
        let Some(file) = scene.root.link(&format!("{directory}/{name}")) else { continue };
        let device = file.starts_with("/dev/")
            && !["/dev/null", "/dev/zero", "/dev/shm/", "/dev/pts"]
                .iter()
                .any(|other| file.starts_with(other));
        let data = [".dbf", ".log", ".ctl", ".arc", ".rdo"].iter().any(|suffix| file.ends_with(suffix));
        let place = if device {
            file
        } else if data && !file.contains("/trace/") && !file.contains("/diag/") {
            file.rsplit_once('/').map_or(String::new(), |(place, _)| place.to_owned())
        } else {
            continue;
        };
        let known = database.locations.entry(place).or_insert_with(|| kind.to_owned());
        if kind == "redo" {
            "redo".clone_into(known); // what commits wait for decides
        }
    }
}

/// The Oracle home: the program's own path, or the line of oratab.
fn home(scene: &Scene, process: &ProcessStat, files: &Files, sid: &str) -> Option<String> {
    let program = scene.root.link(&format!("/proc/{}/exe", process.pid));
    if let Some(home) = program.as_deref().and_then(home_of) {
        return Some(home.to_owned());
    }
    oratab(files)?.lines().find_map(|line| {
        let mut parts = line.split(':');
        let name = parts.next()?.trim();
        // RAC's oratab names the database, its instances add a number.
        let matches = name == sid
            || (!name.is_empty() && sid.strip_prefix(name).is_some_and(|rest| rest.parse::<u8>().is_ok()));
        matches.then(|| parts.next().map(|home| home.trim().to_owned()))?
    })
}

fn oratab(files: &Files) -> Option<String> {
    let places = ["/etc/oratab", "/var/opt/oracle/oratab"];
    places
        .iter()
        .find_map(|path| files.read_at_its_place(path, 1 << 16, |text| kept_lines(text, oratab_line)))
}

/// `SID:HOME:N`, without what a comment says.
fn oratab_line(line: &str) -> Option<String> {
    let mut parts = line.split('#').next()?.trim().split(':');
    Some(format!("{}:{}", parts.next()?, parts.next()?))
}

/// `sqlnet.ora` in `TNS_ADMIN` or below the home.
fn network_settings(
    scene: &Scene,
    process: &ProcessStat,
    files: &Files,
    home: Option<&str>,
    database: &mut Database,
) {
    let environment = format!("/proc/{}/environ", process.pid);
    let environment = scene.root.read_settings(&environment, 1 << 17, None, kept_of_environment);
    let admin = environment.ok().and_then(|text| {
        text.split('\0').find_map(|pair| pair.strip_prefix("TNS_ADMIN=").map(str::to_owned))
    });
    let directories =
        admin.into_iter().chain(home.map(|home| format!("{home}/network/admin"))).chain(["/etc".to_owned()]);
    for directory in directories {
        let path = format!("{directory}/sqlnet.ora");
        if let Some(text) = files.read(&path, 1 << 17, |text| kept_lines(text, kept_of_sqlnet)) {
            for (line, name, value) in sqlnet(&text) {
                database.setting_sources.insert(name.clone(), format!("{path}:{line}"));
                database.settings.insert(name, value);
            }
            database.settings.insert("sqlnet_ora".to_owned(), path);
            return;
        }
    }
    // A tree may lack what the host has.
    if scene.root.is_live() {
        database.settings.insert("sqlnet_ora".to_owned(), "none".to_owned());
    }
}

/// `NAME = value` lines; a value in parentheses may go on over lines, none of those wanted does.
fn sqlnet(text: &str) -> Vec<(usize, String, String)> {
    let lines = text.lines().enumerate();
    lines
        .filter_map(|(index, line)| sqlnet_line(line).map(|(name, value)| (index + 1, name, value)))
        .collect()
}

fn sqlnet_line(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split('#').next()?.split_once('=')?;
    let name = name.trim().to_ascii_uppercase();
    wanted(&name).then(|| (name, value.trim().to_owned()))
}

fn kept_of_sqlnet(line: &str) -> Option<String> {
    sqlnet_line(line).map(|(name, value)| format!("{name} = {value}"))
}

/// A parameter file is no larger: 10,000 parameters would fit.
const PARAMETER_FILE_BYTES: usize = 1 << 20;

/// The parameter file that the instance starts with, of those below its home: the server's, then the text file (Oracle
/// Database Administrator's Guide, "Starting Up a Database"). What is set for this instance counts before what is for
/// all.
fn parameters(files: &Files, home: &str, sid: &str, database: &mut Database) {
    let kept = |text: &str| {
        kept_lines(&text.replace('\0', "\n"), |line| {
            parameter(line).map(|(instance, name, value)| format!("{instance}.{name}={value}"))
        })
    };
    let names = [format!("spfile{sid}.ora"), "spfile.ora".to_owned(), format!("init{sid}.ora")];
    let below = files.list(&format!("{home}/dbs"));
    let Some(path) = names.iter().find(|name| below.contains(name)).map(|name| format!("{home}/dbs/{name}"))
    else {
        return;
    };
    let Some(text) = files.read(&path, PARAMETER_FILE_BYTES, kept) else { return };
    let found: Vec<(String, String, String)> = text.lines().filter_map(parameter).collect();
    // It leads elsewhere, mostly into ASM.
    if found.iter().any(|(_, name, _)| name == "spfile") {
        return;
    }
    for wanted in ["*", &sid.to_ascii_lowercase()] {
        for (_, name, value) in found.iter().filter(|(instance, _, _)| instance == wanted) {
            database.settings.insert(name.clone(), value.clone());
            database.setting_sources.insert(name.clone(), path.clone());
        }
    }
    database.settings.insert("parameter_file".to_owned(), path);
}

/// Direct NFS is on when the ODM library of the home is the NFS one.
fn direct_nfs(files: &Files, home: &str, database: &mut Database) {
    let odm = format!("{home}/rdbms/lib/odm");
    let since_18 = files.list(&odm).iter().any(|name| name.starts_with("libnfsodm"));
    let lib = format!("{home}/lib");
    let libraries = files.list(&lib);
    if libraries.is_empty() {
        return; // not readable: not known
    }
    let before_18 = libraries.iter().filter(|name| name.starts_with("libodm")).any(|name| {
        let target = files.link(&format!("{lib}/{name}")).unwrap_or_default();
        target.rsplit('/').next().is_some_and(|target| target.starts_with("libnfsodm"))
    });
    let state = if since_18 || before_18 { "enabled" } else { "disabled" };
    database.settings.insert("direct_nfs".to_owned(), state.to_owned());
    database.setting_sources.insert("direct_nfs".to_owned(), odm);
}

/// `oranfstab`: the paths of Direct NFS.
fn nfs_table(files: &Files, home: Option<&str>, database: &mut Database) {
    let of_home = home.map(|home| format!("{home}/dbs/oranfstab"));
    for path in of_home.into_iter().chain(["/etc/oranfstab".to_owned()]) {
        let Some(text) = files.read(&path, 1 << 16, |text| kept_lines(text, kept_of_oranfstab)) else {
            continue;
        };
        if text.lines().any(has_nfs_attribute) {
            database.settings.insert("oranfstab".to_owned(), text);
            database.setting_sources.insert("oranfstab".to_owned(), path);
            return;
        }
    }
}

/// Attributes of `oranfstab` whose values are kept.
const NFS_ATTRIBUTES: [&str; 10] = [
    "server", "local", "path", "export", "mount", "nfs_version", "dontroute", "mnt_timeout", "security",
    "security_default",
];

/// Attributes that Direct NFS knows and whose values may be confidential: the community string of SNMP queries.
const HIDDEN_ATTRIBUTES: [&str; 4] = ["community", "management", "uid", "gid"];

/// Stands for a value that is not kept.
const HIDDEN: &str = "(hidden)";

/// Stands for a line that is not made of attributes, so that it is seen to be there.
const NO_ATTRIBUTE: &str = "(left out):";

/// A line without its comment: values of known attributes, and the bare name of any other, which may be a misspelt
/// one.
fn kept_of_oranfstab(line: &str) -> Option<String> {
    let line = line.split('#').next().unwrap_or("").trim();
    if line.is_empty() {
        return None;
    }
    let mut kept = Vec::new();
    let (mut value_next, mut hide) = (false, false);
    for word in line.split_whitespace() {
        let (name, value) = word.split_once(':').map_or((word, None), |(name, value)| (name, Some(value)));
        let lower = name.to_ascii_lowercase();
        let is = |list: &[&str]| list.contains(&lower.as_str());
        if is(&NFS_ATTRIBUTES) && (value.is_some() || lower == "dontroute") {
            (value_next, hide) = (value == Some(""), false);
            kept.push(word.to_owned());
        } else if value == Some("") && is_attribute_name(name) {
            (value_next, hide) = (true, true);
            kept.push(word.to_owned());
        } else if value.is_some() && is(&HIDDEN_ATTRIBUTES) {
            value_next = false;
            kept.push(format!("{name}: {HIDDEN}"));
        } else if std::mem::take(&mut value_next) {
            kept.push(if hide { HIDDEN } else { word }.to_owned());
        } else {
            return Some(NO_ATTRIBUTE.to_owned());
        }
    }
    Some(kept.join(" "))
}

/// What an attribute's name is made of.
fn is_attribute_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    (1..=20).contains(&name.len()) && name.bytes().all(is_letter)
}

/// A kept line that only a file of Direct NFS has.
fn has_nfs_attribute(line: &str) -> bool {
    let names = line.split_whitespace().filter_map(|word| word.split_once(':'));
    let mut names = names.map(|(name, _)| name.to_ascii_lowercase());
    names.any(|name| NFS_ATTRIBUTES.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rooted;
    use proptest::prelude::*;

    #[test]
    fn the_parameter_file_tells_how_the_instance_does_io() {
        let text = "C\"\0\0*.filesystemio_options='SETALL'\nERPP.__sga_target=1\n*.sga_target=36G\nERPP.filesystemio_options='NONE'\n\
                    OTHER.filesystemio_options='ASYNCH'\n*.dispatchers='(SECRET=x)'\n\0\0";
        let (_folder, root) = rooted(&[
            ("o/dbs/spfileERPP.ora", text),
            ("o/dbs/initRAC1.ora", "SPFILE='+DATA/RAC/spfile'  # in ASM\nsga_target=1\n"),
        ]);
        let files = Files::of(&root, &ProcessStat::default());
        let mut database = Database::default();
        parameters(&files, "/o", "ERPP", &mut database);
        let found: Vec<_> = database.settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
        assert_eq!(
            found,
            ["filesystemio_options NONE", "parameter_file /o/dbs/spfileERPP.ora", "sga_target 36G"]
        );
        let mut other = Database::default();
        parameters(&files, "/o", "RAC1", &mut other);
        assert!(other.settings.is_empty(), "what the file in ASM says is not known: {:?}", other.settings);
    }

    #[test]
    fn knows_process_monitors() {
        assert_eq!(instance("ora_pmon_ORCL1"), Some(("oracle", "ORCL1")));
        assert_eq!(instance("asm_pmon_+ASM1"), Some(("oracle-asm", "+ASM1")));
        assert_eq!(instance("ora_smon_ORCL1"), None);
        assert_eq!(instance("ora_pmon_"), None);
    }

    #[test]
    fn takes_buffers_and_leaves_wallets() {
        let text = "# x\nDEFAULT_SDU_SIZE=65535\nrecv_buf_size = 4194304 # BDP\nWALLET_LOCATION=(SOURCE=(METHOD=FILE)\n  (METHOD_DATA=(DIRECTORY=/w)))\n";
        let settings = sqlnet(text);
        assert_eq!(settings[0], (2, "DEFAULT_SDU_SIZE".to_owned(), "65535".to_owned()));
        assert_eq!(settings[1], (3, "RECV_BUF_SIZE".to_owned(), "4194304".to_owned()));
        assert_eq!(settings.len(), 2);
    }

    #[test]
    fn of_oranfstab_only_known_attributes_are_kept() {
        let kept = |text: &str| kept_lines(text, kept_of_oranfstab);
        let good = "server: filer1\nlocal: 10.0.0.1 path: 10.0.0.9\nexport: /vol/ora mount: /u02\nnfs_version: nfsv3\ndontroute\n";
        assert_eq!(kept(good), good);
        let shadow =
            "root:$6$SECRET:19000:0:99999:7:::\nserver:SECRET SECRET\nexport: /x SECRET\nSECRET server: x\n";
        assert_eq!(kept(shadow), "(left out):\n".repeat(4));
        assert_eq!(
            kept("community: SECRET # SECRET\n# SECRET\ncommunity:SECRET\n"),
            "community: (hidden)\n\ncommunity: (hidden)\n"
        );
    }

    #[test]
    fn the_name_of_a_misspelt_attribute_is_kept_without_its_value() {
        let kept = |text: &str| kept_lines(text, kept_of_oranfstab);
        assert_eq!(
            kept("export: /oradata2 mont: /u03\npth: 10.0.0.1\n"),
            "export: /oradata2 mont: (hidden)\npth: (hidden)\n"
        );
        assert_eq!(kept("hunter2: x\npth:10.0.0.1\n"), "(left out):\n".repeat(2));
        assert!(!has_nfs_attribute("password: (hidden)") && has_nfs_attribute("server: filer1"));
    }

    proptest! {
        #[test]
        fn mangled_files_never_panic(text in "(?s).{0,200}") {
            for (line, name, _) in sqlnet(&text) {
                prop_assert!(line <= text.lines().count() && wanted(&name));
            }
        }
    }
}
