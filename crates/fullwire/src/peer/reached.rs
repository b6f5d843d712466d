//! A peer that can be measured: a responder that listens, one on loopback, or one that is brought over ssh.

use crate::cli::KeyArgs;
use crate::peer;
use crate::peer::responder;
use anyhow::{Context, Result};
use fullwire_model::PathName;
use fullwire_probe::net::ssh::{SCHEME, SshOptions, SshResponder};
use fullwire_probe::net::{Allowance, ConnectOptions};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What loopback is called in a run.
pub(crate) const LOOPBACK: &str = "loopback";

/// A peer, and what keeps it there.
pub(crate) struct Reached {
    /// As the user wrote it: the subject of its path.
    pub(crate) name: PathName,
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
        target: &PathName,
        key: &KeyArgs,
        within: Duration,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self> {
        let mut options = peer::connect_options(key, within, stop)?;
        let (mut address, mut ssh) = (target.to_string(), None);
        if address.starts_with(SCHEME) {
            let binary = std::env::current_exe().context("find this program's own file")?;
            let ssh_options = SshOptions { stop: Some(Arc::clone(stop)), ..SshOptions::default() };
            let far = SshResponder::start(target.as_str(), &binary, &ssh_options)?;
            options.key = Some(far.key().to_owned());
            far.target().clone_into(&mut address);
            ssh = Some(far);
        }
        Ok(Self { name: target.clone(), address, options, loopback: false, ssh, own: None })
    }

    /// A responder that someone else has started, with its key, and what may be moved to it.
    pub(crate) fn at(
        name: &str,
        address: &str,
        key: &str,
        within: Duration,
        stop: &Arc<AtomicBool>,
        allowance: &Arc<Allowance>,
    ) -> Result<Self> {
        let options = ConnectOptions {
            key: Some(key.to_owned()),
            timeout: within,
            facts: true,
            own_facts: Some(responder::facts()?),
            stop: Some(Arc::clone(stop)),
            allowance: Some(Arc::clone(allowance)),
        };
        let (name, address) = (name.into(), address.to_owned());
        Ok(Self { name, address, options, loopback: false, ssh: None, own: None })
    }

    /// Our own responder on loopback.
    pub(crate) fn loopback(within: Duration, stop: &Arc<AtomicBool>) -> Result<Self> {
        let own = responder::Loopback::start()?;
        let options = ConnectOptions {
            key: Some(own.key.clone()),
            timeout: within,
            facts: false,
            stop: Some(Arc::clone(stop)),
            ..ConnectOptions::default()
        };
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

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::net::NetPlan;
    use fullwire_probe::net::{self, NetError};

    fn plan(reached: &Reached) -> NetPlan {
        NetPlan {
            target: reached.address.as_str().into(),
            duration_ns: 50_000_000,
            length_bytes: 4096,
            ..NetPlan::default()
        }
    }

    /// Any user of this host sees the port in /proc/net/tcp while root measures.
    #[test]
    fn a_stranger_on_loopback_is_refused_and_nobody_is_given_facts() {
        let stop = Arc::new(AtomicBool::new(false));
        let reached = Reached::loopback(Duration::from_secs(5), &stop).unwrap();
        let asks = |key: Option<&str>| {
            let options =
                ConnectOptions { key: key.map(str::to_owned), facts: true, ..ConnectOptions::default() };
            net::measure(&plan(&reached), &options, &mut |_| ())
        };
        assert!(matches!(asks(None), Err(NetError::KeyRequired)));
        assert!(matches!(asks(Some("guessed-guessed-guessed")), Err(NetError::WrongKey)));
        let own_key = reached.options.key.clone().unwrap();
        let report = asks(Some(&own_key)).unwrap();
        assert!(report.peer.is_none_or(|peer| peer.host.is_none() && peer.windows.is_empty()));
        let again = Reached::loopback(Duration::from_secs(5), &stop).unwrap();
        assert_ne!(again.options.key, Some(own_key), "each run has a new key");
    }
}
