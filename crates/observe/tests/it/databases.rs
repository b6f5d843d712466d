//! Databases, recognised in our own trees.

use crate::tree::Tree;
use fullwire_model::host::Database;
use fullwire_observe::{Ask, host};

fn only(tree: &Tree) -> Database {
    let mut databases = host(&tree.root(), &Ask::default()).databases;
    assert_eq!(databases.len(), 1, "{databases:?}");
    databases.remove(0)
}

#[test]
fn an_oracle_rac_instance() {
    let tree = Tree::new();
    tree.process(4001, 1, "ora_pmon_PROD1", "ora_pmon_PROD1")
        .process(4002, 1, "ora_lgwr_PROD1", "ora_lgwr_PROD1")
        .process(4003, 1, "ora_dbw0_PROD1", "ora_dbw0_PROD1")
        .process(4004, 1, "ora_lms0_PROD1", "ora_lms0_PROD1")
        .link("/proc/4001/exe", "/u01/app/oracle/product/19/bin/oracle")
        .link("/proc/4002/fd/260", "/u02/redo/redo01.log")
        .link("/proc/4002/fd/1", "/u01/app/oracle/diag/rdbms/prod/trace/alert_PROD1.log")
        .link("/proc/4003/fd/261", "/u03/data/system01.dbf")
        .link("/proc/4003/fd/262", "/dev/mapper/data01")
        .link("/proc/4003/fd/0", "/dev/null")
        .file(
            "/proc/4001/maps",
            "60000000-100000000 rw-s 00000000 00:0f 98305 /SYSV00000000 (deleted)\n\
             7f0000000000-7f0000001000 r-xp 00000000 08:01 5 /u01/app/oracle/product/19/bin/oracle\n",
        )
        .file("/proc/4001/cgroup", "0::/system.slice/oracle-ohasd.service\n")
        .file(
            "/u01/app/oracle/product/19/network/admin/sqlnet.ora",
            "# generated\nDEFAULT_SDU_SIZE = 65535\nRECV_BUF_SIZE=4194304\nWALLET_LOCATION=(SOURCE=(METHOD=FILE))\n",
        )
        .file("/u01/app/oracle/product/19/rdbms/lib/odm/libnfsodm19.so", "")
        .file("/u01/app/oracle/product/19/lib/libclntsh.so", "")
        .file("/etc/oranfstab", "server: filer1\nlocal: 10.0.0.1 path: 10.0.0.9\nexport: /vol/ora mount: /u02\n");
    let database = only(&tree);
    assert_eq!((database.kind.as_str(), database.name.as_str(), database.pid), ("oracle", "PROD1", 4001));
    assert!(database.clustered);
    assert_eq!((database.uid, database.shared_memory_bytes), (Some(501), Some(0xa000_0000)));
    assert_eq!(database.limits.as_ref().map(|limits| limits.memlock_soft_bytes), Some(8_388_608));
    assert_eq!(database.cgroup, "/system.slice/oracle-ohasd.service");
    let places: Vec<String> =
        database.locations.iter().map(|(place, kind)| format!("{place} {kind}")).collect();
    assert_eq!(places, ["/dev/mapper/data01 data", "/u02/redo redo", "/u03/data data"]);
    assert_eq!(database.settings["DEFAULT_SDU_SIZE"], "65535");
    assert_eq!(
        database.setting_sources["RECV_BUF_SIZE"],
        "/u01/app/oracle/product/19/network/admin/sqlnet.ora:3"
    );
    assert_eq!(database.settings["direct_nfs"], "enabled");
    assert!(database.settings["oranfstab"].contains("path: 10.0.0.9"));
    assert!(!database.settings.contains_key("WALLET_LOCATION"));
}

#[test]
fn a_postgresql_with_files_in_files() {
    let tree = Tree::new();
    tree.process(
        900,
        1,
        "postgres",
        "/usr/lib/postgresql/15/bin/postgres|-D|/data/pg|-c|config_file=/etc/postgresql/15/main/postgresql.conf|-c|fsync=off",
    )
    .process(901, 900, "postgres", "postgres: checkpointer ")
    .link("/data/pg/pg_wal", "/wal/pg")
    .link("/data/pg/pg_tblspc/16400", "/fast/ts1")
    .file(
        "/etc/postgresql/15/main/postgresql.conf",
        "data_directory = '/data/pg'\t\t# x\nshared_buffers = 128MB\ninclude_dir = 'conf.d'\nssl_passphrase_command = 'echo hunter2'\n",
    )
    .file("/etc/postgresql/15/main/conf.d/10-io.conf", "effective_io_concurrency = 200\nwal_sync_method=fdatasync\n")
    .file("/data/pg/postgresql.auto.conf", "# written by ALTER SYSTEM\nshared_buffers = '8GB'\nprimary_conninfo = 'password=hunter2'\n");
    let database = only(&tree);
    assert_eq!((database.kind.as_str(), database.name.as_str()), ("postgresql", "/data/pg"));
    assert_eq!(database.settings["shared_buffers"], "8GB", "ALTER SYSTEM comes last");
    assert_eq!(database.setting_sources["shared_buffers"], "/data/pg/postgresql.auto.conf:2");
    assert_eq!(database.settings["effective_io_concurrency"], "200");
    assert_eq!(database.settings["fsync"], "off", "the command line has the last word");
    let places: Vec<String> =
        database.locations.iter().map(|(place, kind)| format!("{place} {kind}")).collect();
    assert_eq!(places, ["/data/pg data", "/fast/ts1 data", "/wal/pg wal"]);
    assert!(!format!("{database:?}").contains("hunter2"));
}

#[test]
fn a_mariadb_with_its_option_files() {
    let tree = Tree::new();
    tree.process(700, 1, "mariadbd", "/usr/sbin/mariadbd|--innodb-flush-method=O_DIRECT|--wsrep_sst_auth=root:hunter2")
        .file("/etc/mysql/my.cnf", "[client]\npassword=hunter2\n[mysqld]\n!includedir /etc/mysql/conf.d/\nport=3307\n")
        .file(
            "/etc/mysql/conf.d/50-server.cnf",
            "[mariadb-10.11]\ninnodb_buffer_pool_size = 16G # big\nsync-binlog=1\ndatadir=/data/mysql\nmaster_password=hunter2\n",
        );
    let database = only(&tree);
    assert_eq!((database.kind.as_str(), database.name.as_str()), ("mariadb", "/data/mysql"));
    assert_eq!(
        (database.settings["innodb_buffer_pool_size"].as_str(), database.settings["sync_binlog"].as_str()),
        ("16G", "1")
    );
    assert_eq!(
        (database.settings["innodb_flush_method"].as_str(), database.settings["port"].as_str()),
        ("O_DIRECT", "3307")
    );
    assert_eq!(database.setting_sources["sync_binlog"], "/etc/mysql/conf.d/50-server.cnf:3");
    assert!(!format!("{database:?}").contains("hunter2"));
    let started = "/usr/sbin/mariadbd|--no-defaults|--datadir=/data/own|--innodb-doublewrite=1";
    tree.process(700, 1, "mariadbd", started);
    let database = only(&tree);
    assert_eq!(database.name, "/data/own");
    assert_eq!(
        database.settings.keys().collect::<Vec<_>>(),
        ["datadir", "innodb_doublewrite"],
        "it read no file"
    );
}

#[test]
fn a_sql_server_and_no_database_at_all() {
    let tree = Tree::new();
    tree.process(800, 1, "sqlservr", "/opt/mssql/bin/sqlservr")
        .process(801, 800, "sqlservr", "/opt/mssql/bin/sqlservr")
        .file(
            "/var/opt/mssql/mssql.conf",
            "[memory]\nmemorylimitmb = 8192\n[sqlagent]\npassword = hunter2\n",
        );
    let database = only(&tree);
    assert_eq!((database.kind.as_str(), database.pid), ("mssql", 800));
    assert_eq!(database.settings["memorylimitmb"], "8192");
    let tree = Tree::new();
    tree.process(10, 1, "bash", "-bash");
    assert_eq!(host(&tree.root(), &Ask::default()).databases, []);
}
