//! What can keep a network measurement from being made.

use std::io;

/// Why a measurement could not be made, or a responder not be started. Each text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The target is not `HOST` or `HOST:PORT`, or the name does not resolve.
    #[error("cannot resolve {target}: {reason}; give HOST, HOST:PORT or [IPV6]:PORT")]
    Resolve {
        /// As the user wrote it.
        target: String,
        /// The resolver's answer.
        reason: String,
    },
    /// What is after `ssh://` names no host.
    #[error("{0}: an ssh target must be ssh://[USER@]HOST[:PORT]")]
    SshTarget(String),
    /// No connection to any address of the target.
    #[error(
        "cannot connect to {address}: {source}; is `fullwire serve` running there, and does the firewall allow the port?"
    )]
    Connect {
        /// The last address tried.
        address: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// Something else answers on that port.
    #[error("{address} does not speak fullwire's protocol; is another service using this port?")]
    Foreign {
        /// The address.
        address: String,
    },
    /// Both speak it, in versions that do not fit.
    #[error(
        "the responder speaks protocol version {theirs}, this fullwire {ours}: use the same release at both ends"
    )]
    Version {
        /// Ours.
        ours: u8,
        /// Theirs.
        theirs: u8,
    },
    /// The responder wants a key and none was given.
    #[error("the responder needs a key: give the one that `fullwire serve` printed with --key or --key-file")]
    KeyRequired,
    /// A key was given to a responder without one: it could be anyone's.
    #[error(
        "the responder runs with --open and cannot prove that it knows the key: leave out the key, or start the responder with it"
    )]
    KeyUnexpected,
    /// The key is not the responder's.
    #[error("the responder refused the key: compare it with the one that `fullwire serve` printed")]
    WrongKey,
    /// The responder will not do it.
    #[error("the responder refused: {0}")]
    Refused(String),
    /// A phase took longer than it may.
    #[error("no answer within {seconds:.0} s while {phase}")]
    Timeout {
        /// What was waited for.
        phase: &'static str,
        /// How long.
        seconds: f64,
    },
    /// The connection ended early.
    #[error("the connection was lost while {phase}: {reason}")]
    Lost {
        /// What was going on.
        phase: &'static str,
        /// Why.
        reason: String,
    },
    /// The peer sent what the protocol does not allow.
    #[error("protocol error by the peer: {0}")]
    Protocol(String),
    /// What it tells cannot be what came of this test.
    #[error("the account of the responder at {0} cannot be true: it counts more than was sent to it")]
    FalseAccount(String),
    /// The plan asks for what cannot be.
    #[error("{0}")]
    Plan(String),
    /// A setting that the local kernel refused.
    #[error("cannot {what}: {source}")]
    Local {
        /// What was tried.
        what: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// Told to stop.
    #[error("interrupted")]
    Interrupted,
}

impl NetError {
    /// A refused local setting.
    pub(crate) fn local(what: impl Into<String>, source: impl Into<io::Error>) -> Self {
        Self::Local { what: what.into(), source: source.into() }
    }
}
