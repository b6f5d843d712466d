//! A peer that can be measured: a responder that listens, one on loopback, or one that is brought over ssh.

use crate::cli::KeyArgs;
use crate::{peer, responder};
use anyhow::{Context, Result};
use fullwire_probe::net::ConnectOptions;
use fullwire_probe::net::ssh::{SCHEME, SshOptions, SshResponder};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What loopback is called in a run.
pub(crate) const LOOPBACK: &str = "loopback";

/// A peer, and what keeps it there.
pub(crate) struct Reached {
    /// As the user wrote it: the subject of its path.
    pub(crate) name: String,
    /// `HOST:PORT` of its responder.
    pub(crate) address: String,
    /// How to connect.
    pub(crate) options: ConnectOptions,
    /// True for the responder of our own on this host.
    pub(crate) loopback: bool,
    // Dropping them ends what was started for this measurement.
    ssh: Option<SshResponder>,
    own: Option<responder::Loopback>,
}

impl Reached {
    /// A responder that listens, or one that ssh brings to the host.
    pub(crate) fn open(
        target: &str,
        key: &KeyArgs,
        within: Duration,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self> {
        let mut options = peer::connect_options(key, within, stop)?;
        let (mut address, mut ssh) = (target.to_owned(), None);
        if target.starts_with(SCHEME) {
            let binary = std::env::current_exe().context("find this program's own file")?;
            let far = SshResponder::start(target, &binary, &SshOptions::default())?;
            options.key = Some(far.key().to_owned());
            far.target().clone_into(&mut address);
            ssh = Some(far);
        }
        Ok(Self { name: target.to_owned(), address, options, loopback: false, ssh, own: None })
    }

    /// A responder of our own on loopback.
    pub(crate) fn loopback(within: Duration, stop: &Arc<AtomicBool>) -> Result<Self> {
        let own = responder::Loopback::start()?;
        let options =
            ConnectOptions { timeout: within, stop: Some(Arc::clone(stop)), ..ConnectOptions::default() };
        Ok(Self {
            name: LOOPBACK.into(),
            address: own.address.to_string(),
            options,
            loopback: true,
            ssh: None,
            own: Some(own),
        })
    }

    /// The addresses of its host.
    pub(crate) fn addresses(&self) -> Result<Vec<IpAddr>> {
        peer::addresses(&self.address)
    }

    /// Puts a failure into the words of how the peer is reached.
    pub(crate) fn explain(&mut self, error: fullwire_probe::net::NetError) -> anyhow::Error {
        match &mut self.ssh {
            Some(ssh) => ssh.explain(error).into(),
            None => error.into(),
        }
    }
}

impl Drop for Reached {
    fn drop(&mut self) {
        // The far end is removed before the process goes on, whatever happens to the rest.
        drop(self.ssh.take());
        drop(self.own.take());
    }
}
