use std::io;

/// Why a test with an iperf3 server could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Iperf3Error {
    /// The name does not resolve.
    #[error("cannot resolve {target}: {reason}; give HOST or HOST:PORT")]
    Resolve {
        /// As the user wrote it.
        target: String,
        /// What the resolver said.
        reason: String,
    },
    /// No connection.
    #[error("cannot connect to the iperf3 server at {address}: {source}; is `iperf3 -s` running there?")]
    Connect {
        /// The last address tried.
        address: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// It runs another test.
    #[error("the iperf3 server at {0} is busy with another test; try again later")]
    Busy(String),
    /// It refused, with iperf's own code.
    #[error("the iperf3 server refused the test with error code {0}")]
    Refused(u32),
    /// What it tells cannot be what came of this test.
    #[error("the account of the iperf3 server at {0} cannot be true: it counts more than was sent to it")]
    FalseAccount(String),
    /// It does not tell what came of each stream.
    #[error("the iperf3 server at {0} does not say what arrived; try another version of iperf3 there")]
    NoAccount(String),
    /// What came is no word of its protocol.
    #[error("the program at {0} is not an iperf3 server: it does not speak the protocol")]
    Foreign(String),
    /// It ended the test.
    #[error("the iperf3 server ended the test early")]
    Terminated,
    /// A mode or option that iperf3 does not have.
    #[error("an iperf3 server cannot do this: {0}")]
    Unsupported(&'static str),
    /// It did not answer in time, or not in its protocol.
    #[error("while {action} with the iperf3 server: {source}")]
    Control {
        /// What was being done.
        action: &'static str,
        /// What went wrong.
        source: io::Error,
    },
}

impl Iperf3Error {
    pub(super) fn control(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Control { action, source }
    }
}
