//! What people put on command lines, into environments and settings files does not get into a record or a capture.

use crate::tree::Tree;
use fullwire_observe::{Ask, CaptureOptions, CountersAsk, Root, capture, counters, host};
use std::fmt::Write as _;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// In every secret of these tests.
const SECRET: &str = "hunter2";

/// The records and the capture of a root, as text.
fn all_that_is_told(root: &Root) -> String {
    let records =
        (host(root, &Ask::default()), counters(root, &CountersAsk { threads: 64, ..CountersAsk::default() }));
    let mut packed = Vec::new();
    let options = CaptureOptions { window: std::time::Duration::from_millis(1), ..CaptureOptions::default() };
    let report = capture(root, &options, &mut packed).expect("captured");
    let plain = zstd::decode_all(packed.as_slice()).expect("zstd");
    let back = host(&Root::archive(&packed).expect("a tree"), &Ask::default());
    format!("{records:?} {report:?} {back:?} {}", String::from_utf8_lossy(&plain))
}

fn assert_no_secret(told: &str, of: &str) {
    if let Some(at) = told.find(SECRET) {
        let start = (0..=at.saturating_sub(80)).rev().find(|&at| told.is_char_boundary(at)).unwrap_or(0);
        panic!("{of}: …{}", &told[start..at + SECRET.len()]);
    }
}

const COMMAND_LINES: [&str; 24] = [
    "mysql|-uroot|-phunter2",
    "mysqldump|--password=hunter2",
    "sqlplus|system/hunter2",
    "sqlplus|scott/hunter2@//host/SVC",
    "sqlplus|scott/hunter2@host/SVC",
    "sqlplus|scott/x/hunter2@host",
    "rman|target|sys/hunter2",
    "rman|target|sys/hunter2@orcl",
    "expdp|userid=system/hunter2",
    "sshpass|-p|hunter2",
    "curl|-u|a:hunter2",
    "app|--dbpass|hunter2",
    "java|-DdbPwd=hunter2",
    "java|-jar|x.jar|hunter2",
    "psql|postgresql://u:hunter2@h/db",
    "psql|host=h password=hunter2",
    "sqlcmd|-P|hunter2",
    "redis-server|--requirepass|hunter2",
    "mysqld|--wsrep_sst_auth=root:hunter2|--master-password=hunter2",
    "postgres|-c|primary_conninfo=password=hunter2|-c|ssl_passphrase_command=echo hunter2",
    "ora_pmon_X hunter2",
    "mongod --keyFile hunter2",
    "-bash hunter2",
    "ldapsearch|-w|hunter2",
];

#[test]
fn of_command_lines() {
    for root in ["/proc", "ps"] {
        let tree = Tree::new();
        let mut listing =
            "F S   UID     PID    PPID SZ WCHAN                 STARTED TT           TIME CMD\n".to_owned();
        for (index, line) in (100..).zip(COMMAND_LINES) {
            let name: String = line.split(['|', ' ']).next().expect("a program").chars().take(15).collect();
            let _ = writeln!(
                listing,
                "4 S 501 {index} 1 99 - Wed Feb 29 11:01:52 2012 ? 00:00:01 {}",
                line.replace('|', " ")
            );
            if root == "/proc" {
                tree.process(index, 1, &name, line);
            }
        }
        if root == "ps" {
            tree.file("/sos_commands/process/ps_axo_flags_state", &listing);
        }
        let root = tree.root();
        let read = host(&root, &Ask::default());
        assert!(!read.processes.is_empty() && read.databases.len() >= 3, "{:?}", read.databases);
        assert_no_secret(&all_that_is_told(&root), "a command line");
    }
}

/// Real processes: what the kernel shows of them.
#[test]
fn of_this_hosts_processes() {
    let mut children: Vec<Child> = Vec::new();
    for line in COMMAND_LINES {
        let mut words = line.split('|');
        let mut command = Command::new("/bin/sh");
        command
            .arg0(words.next().expect("a program"))
            .args(["-c", "read line"])
            .args(words)
            .stdin(Stdio::piped());
        command.env("ORACLE_PWD", SECRET).env("DB_PASS", SECRET).env("MYSQL_PWD", SECRET).env("X", SECRET);
        children.push(command.spawn().expect("started"));
    }
    let told = all_that_is_told(&Root::live().expect("the live root"));
    for mut child in children {
        child.kill().expect("stopped");
        child.wait().expect("reaped");
    }
    assert!(told.contains("sqlplus"), "the processes were looked at");
    assert_no_secret(&told, "a process of this host");
}

#[test]
fn of_environments_files_and_the_kernels_command_line() {
    let tree = Tree::new();
    tree.process(900, 1, "ora_pmon_PROD", "ora_pmon_PROD")
        .file("/proc/900/environ", "ORACLE_PWD=hunter2\0TNS_ADMIN=/tns\0DB_PASS=hunter2\0MYSQL_PWD=hunter2\0")
        .link("/proc/900/exe", "/u01/bin/oracle")
        .file("/tns/sqlnet.ora", "SQLNET.EXPIRE_TIME=10 # hunter2\nWALLET_OVERRIDE=hunter2\n")
        .file("/u01/dbs/oranfstab", "server: f # hunter2\nlocal: 10.0.0.1\nhunter2: x\ncommunity: hunter2\n")
        .file("/etc/oratab", "PROD:/u01:N # hunter2\n")
        .process(910, 1, "mysqld", "mysqld|--defaults-file=/opt/options")
        .file(
            "/opt/options",
            "[client]\npassword=hunter2\n[mysqld]\nport=1 # hunter2\nmaster_password=hunter2\nhunter2\n",
        )
        .process(920, 1, "postgres", "postgres|-D|/pg|-c|config_file=/pg/options")
        .file("/pg/options", "port = 1 # hunter2\nprimary_conninfo = 'password=hunter2'\n# hunter2\n")
        .process(930, 1, "sqlservr", "/opt/mssql/bin/sqlservr")
        .file("/var/opt/mssql/mssql.conf", "[memory]\nmemorylimitmb = 1\n[sqlagent]\npassword = hunter2\nx = hunter2\n")
        .file(
            "/proc/cmdline",
            "ro netroot=iscsi:user:hunter2@10.0.0.1::3260::iqn.x inst.ks=https://u:hunter2@h/ks rootpw=hunter2 \
             rd.iscsi.password=hunter2 rd.iscsi.in.password=hunter2 quiet\n",
        )
        .file(
            "/etc/fstab",
            "//s/x /x cifs username=u,password=a,,hunter2,vers=3 0 0\nhttps://u:hunter2@dav/ /dav davfs rw 0 0\n\
             //s/y /y cifs pass=hunter2 0 0 # hunter2\n",
        )
        .file("/proc/self/mountinfo", "22 1 0:31 / /d rw - cifs //filer/x rw,username=u,password=hun;hunter2,vers=3\n")
        .file("/etc/multipath.conf", "defaults {\n user_friendly_names yes\n}\n# hunter2\n! hunter2\n")
        .file("/etc/iscsi/iscsid.conf", "node.session.auth.password = hunter2\n#hunter2\n")
        .file("/dmesg", "[ 1.0] nfs: server x not responding, password=hunter2\nsudo: mysql -phunter2\n");
    let root = tree.root();
    let read = host(&root, &Ask::default());
    let kinds: Vec<&str> = read.databases.iter().map(|database| database.kind.as_str()).collect();
    assert_eq!(kinds, ["oracle", "mysql", "postgresql", "mssql"]);
    assert_eq!(read.databases[0].settings["SQLNET.EXPIRE_TIME"], "10");
    assert_eq!(
        (read.databases[1].settings["port"].as_str(), read.databases[2].settings["port"].as_str()),
        ("1", "1")
    );
    assert!(read.os.command_line.ends_with("quiet"), "{}", read.os.command_line);
    assert!(read.mounts[0].options.iter().any(|option| option == "vers=3"), "{:?}", read.mounts);
    assert!(!read.kernel_log.is_empty());
    assert_no_secret(&all_that_is_told(&root), "a file");
}

/// One byte that is no UTF-8 makes no file a binary one.
#[test]
fn of_files_in_latin_1() {
    let tree = Tree::new();
    tree.process(910, 1, "mysqld", "mysqld");
    for (path, bytes) in [
        ("etc/my.cnf", b"# Z\xfcrich\n[client]\npassword=hunter2\n[mysqld]\nport=3307\n".as_slice()),
        ("etc/fstab", b"//s/\xe9 /x cifs password=hunter2 0 0\n"),
        ("proc/cmdline", b"ro \xff rootpw=hunter2\n"),
        ("proc/910/environ", b"\xffX=hunter2\0"),
        ("etc/multipath.conf", b"# \xe9 hunter2\ndefaults {\n}\n"),
    ] {
        tree.file(path, "");
        std::fs::write(tree.path().join(path), bytes).expect("written");
    }
    let root = tree.root();
    assert_eq!(host(&root, &Ask::default()).databases[0].settings["port"], "3307");
    assert_no_secret(&all_that_is_told(&root), "a file in Latin-1");
}
