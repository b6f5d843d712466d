use crate::net::NetError;
use std::io;

/// Why a test with an iperf 2 server could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Iperf2Error {
    /// The name does not resolve.
    #[error("cannot resolve {target}: {reason}; give HOST or HOST:PORT")]
    Resolve {
        /// As the user wrote it.
        target: String,
        /// What the resolver said.
        reason: String,
    },
    /// No connection.
    #[error("cannot connect to the iperf 2 server at {address}: {source}; is `iperf -s` running there?")]
    Connect {
        /// The last address tried.
        address: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// A mode or option that iperf 2 does not have.
    #[error("an iperf 2 server cannot do this: {0}")]
    Unsupported(&'static str),
    /// Asked to send, it did not.
    #[error("the iperf 2 server at {0} sent nothing: --reverse and --bidir need iperf 2.1 or newer there")]
    Silent(String),
    /// It took the connections and nothing that came through them.
    #[error("what listens at {0} took no data: is it an iperf 2 server?")]
    Deaf(String),
    /// Datagrams were sent, and no account of them came.
    #[error(
        "the iperf 2 server at {0} sent no account of the datagrams: is `iperf -s -u` running there, and is UDP allowed?"
    )]
    NoAccount(String),
    /// What it tells cannot be what came of this test.
    #[error("the account of the iperf 2 server at {0} cannot be true: it counts more than was sent to it")]
    FalseAccount(String),
    /// It was stopped before anything was measured.
    #[error("interrupted before anything was measured")]
    Interrupted,
    /// An option of the plan that this host does not grant.
    #[error(transparent)]
    Option(NetError),
    /// A data connection failed on this side.
    #[error("while {action} with the iperf 2 server: {source}")]
    Stream {
        /// What was being done.
        action: &'static str,
        /// What went wrong.
        source: io::Error,
    },
}

impl Iperf2Error {
    pub(super) fn stream(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Stream { action, source }
    }

    /// The socket layer's word, with iperf's own advice for a refused connection.
    pub(super) fn of_socket(error: NetError) -> Self {
        match error {
            NetError::Connect { address, source } => Self::Connect { address, source },
            other => Self::Option(other),
        }
    }
}
