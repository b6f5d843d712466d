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
