//! What is kept of Oracle's settings and of its processes' environment.

/// Parameters of `sqlnet.ora` that affect throughput. The file may hold wallet locations and worse.
const SQLNET: [&str; 14] = [
    "DEFAULT_SDU_SIZE",
    "RECV_BUF_SIZE",
    "SEND_BUF_SIZE",
    "TCP.NODELAY",
    "DISABLE_OOB",
    "SQLNET.EXPIRE_TIME",
    "SQLNET.COMPRESSION",
    "SQLNET.COMPRESSION_LEVELS",
    "SQLNET.COMPRESSION_THRESHOLD",
    "SQLNET.ENCRYPTION_CLIENT",
    "SQLNET.ENCRYPTION_SERVER",
    "SQLNET.CRYPTO_CHECKSUM_CLIENT",
    "SQLNET.CRYPTO_CHECKSUM_SERVER",
    "SQLNET.SEND_TIMEOUT",
];

/// A setting of `sqlnet.ora` that is kept, in capitals.
pub(crate) fn wanted(name: &str) -> bool {
    SQLNET.contains(&name)
}

/// Of an environment, which holds whatever its owner put there, the one variable that is read.
pub(crate) fn kept_of_environment(text: &str) -> String {
    text.split('\0').filter(|pair| pair.starts_with("TNS_ADMIN=")).map(|pair| format!("{pair}\0")).collect()
}

/// Initialisation parameters that affect I/O and memory; their values hold no secrets.
const PARAMETERS: [&str; 14] = [
    "control_files", "db_create_file_dest", "disk_asynch_io", "filesystemio_options", "lock_sga",
    "memory_max_target", "memory_target", "pga_aggregate_limit", "pga_aggregate_target", "processes",
    "sga_max_size", "sga_target", "spfile", "use_large_pages",
];

/// `*.name=value` or `SID.name=value` of a parameter file, in lower case but for the value; `None`: it is not kept.
pub(crate) fn parameter(line: &str) -> Option<(String, String, String)> {
    let (left, value) = line.split('#').next()?.split_once('=')?;
    let left = left.trim();
    let (instance, name) = left.split_once('.').unwrap_or(("*", left));
    let name = name.to_ascii_lowercase();
    let value = value.trim().trim_matches(['\'', '"']);
    let printable = !value.is_empty() && value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    // `__sga_target` is what the instance last used, no setting.
    (printable && PARAMETERS.contains(&name.as_str()))
        .then(|| (instance.to_ascii_lowercase(), name, value.to_owned()))
}
