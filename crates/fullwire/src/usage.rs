//! A mistake on the command line that only the command itself can see: exit status 2, as clap's own.

use std::fmt;
use std::path::Path;

/// Exit status of a mistake on the command line.
pub(crate) const STATUS: u8 = 2;

/// What is wrong, and what would be right.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Ends a command because of its options.
pub(crate) fn wrong<T>(text: impl Into<String>) -> anyhow::Result<T> {
    Err(Usage(text.into()).into())
}

/// A path as documents and tables name it: what is measured under it must be found again by that name.
pub(crate) fn utf8(path: &Path) -> anyhow::Result<String> {
    match path.to_str() {
        Some(text) => Ok(text.to_owned()),
        None => {
            wrong(format!("the name {} is not UTF-8: use a symbolic link with a UTF-8 name", path.display()))
        }
    }
}

/// Libraries read whole what these variables name, and ask neither what it is nor whether it ends.
pub(crate) fn check_variables() -> anyhow::Result<()> {
    let named = [("SSL_CERT_FILE", std::env::var("SSL_CERT_FILE")), ("TZ", std::env::var("TZ"))];
    for (name, path) in named {
        let path = path.unwrap_or_default();
        // A relative name of a time zone is no file's.
        let path = Path::new(path.trim_start_matches(':'));
        let Ok(status) = path.metadata() else { continue };
        let ends = status.is_file() || status.is_dir() || path == Path::new("/dev/null");
        if path.is_absolute() && !ends {
            return wrong(format!("{name} names {}, which is no regular file", path.display()));
        }
    }
    Ok(())
}

/// True for such a mistake, however it is wrapped.
pub(crate) fn is_usage(error: &anyhow::Error) -> bool {
    use fullwire_probe::disk::DiskError;
    use fullwire_probe::iperf2::Iperf2Error;
    use fullwire_probe::iperf3::Iperf3Error;
    use fullwire_probe::net::NetError;
    error.downcast_ref::<Usage>().is_some()
        || matches!(error.downcast_ref(), Some(NetError::Plan(_)))
        || matches!(error.downcast_ref(), Some(Iperf2Error::Unsupported(_)))
        || matches!(error.downcast_ref(), Some(Iperf3Error::Unsupported(_)))
        || matches!(error.downcast_ref(), Some(DiskError::Plan(_)))
}
