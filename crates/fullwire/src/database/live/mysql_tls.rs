//! TLS to MySQL and MariaDB. Beyond this host it is asked for first, and the server must prove its name to a CA that is
//! trusted: over an encrypted connection the client sends the password itself where the server asks for it
//! (`caching_sha2_password`), so an encrypted connection to an impostor would give the password away. On this host
//! the user of who listens tells enough (`listener`), unless a certificate is asked for. A server without TLS is spoken to
//! there alone, or where the user says so.

use super::secret::ClientGroup;
use anyhow::{Context, Result, anyhow, bail};
use fullwire_observe::open_regular;
use mysql::error::tls::TlsError;
use mysql::{ClientIdentity, Conn, DriverError, Error, OptsBuilder, SslOpts};
use rustix::fs::OFlags;
use std::error::Error as StdError;
use std::path::{Path, PathBuf};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::{self, CertificateError, RootCertStore};

/// Where distributions keep the CAs that the host trusts, in one file: Debian, Red Hat, SUSE. Those of Mozilla are in the
/// client.
const SYSTEM: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem"];

/// Who can hear what is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// A socket file.
    Socket,
    /// The loopback interface, where the server's own user listens.
    Loopback,
    /// Others on the network.
    Network,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Mode {
    Disabled,
    /// Any name in the certificate.
    VerifyCa,
    #[default]
    VerifyIdentity,
}

/// What the user says of TLS, in the client group and in the data source name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tls {
    ca: Option<PathBuf>,
    identity: Option<(PathBuf, PathBuf)>,
    mode: Mode,
    /// Without TLS there is no connection.
    required: bool,
    /// The user asks for a certificate that a CA vouches for, whoever listens.
    pub(super) verify: bool,
}

impl Tls {
    /// From the client group's `ssl-*`, and `ssl-ca` and `ssl-mode` of the data source name, which count more.
    pub(super) fn new(group: &ClientGroup, ca: Option<&Path>, mode: Option<&str>) -> Result<Self> {
        let ca = ca.map(Path::to_path_buf).or_else(|| group.ca.clone());
        for file in [&ca, &group.certificate, &group.key].into_iter().flatten() {
            // The client opens it again by its name, and would wait for a pipe.
            open_regular(file, OFlags::empty()).with_context(|| format!("open {}", file.display()))?;
        }
        let word = mode.map(str::to_owned).or_else(|| group.ssl_mode.clone()).unwrap_or_default();
        let (mode, required) = match word.to_ascii_lowercase().replace('-', "_").as_str() {
            "" | "preferred" => (Mode::VerifyIdentity, ca.is_some()),
            "required" | "verify_identity" => (Mode::VerifyIdentity, true),
            "verify_ca" => (Mode::VerifyCa, true),
            "disabled" => (Mode::Disabled, false),
            other => bail!(
                "ssl-mode={other} is not known: disabled, preferred, required, verify_ca or verify_identity"
            ),
        };
        let identity = group.certificate.clone().zip(group.key.clone());
        let verify = required && (ca.is_some() || !word.eq_ignore_ascii_case("required"));
        Ok(Self { ca, identity, mode, required, verify })
    }

    fn verified(&self) -> SslOpts {
        let ca = self.ca.clone().or_else(system_ca);
        self.base().with_root_cert_path(ca).with_danger_skip_domain_validation(self.mode == Mode::VerifyCa)
    }

    fn encrypted(&self) -> SslOpts {
        self.base().with_danger_accept_invalid_certs(true).with_danger_skip_domain_validation(true)
    }

    fn base(&self) -> SslOpts {
        let identity = self.identity.clone().map(|(chain, key)| ClientIdentity::new(chain, key));
        SslOpts::default().with_client_identity(identity)
    }
}

/// Connects, over TLS where the server offers it.
pub(super) fn connect(options: &OptsBuilder, tls: &Tls, way: Way) -> Result<Conn, Error> {
    let plain = || Conn::new(options.clone());
    let over = |ssl: SslOpts| Conn::new(options.clone().ssl_opts(ssl));
    match way {
        _ if tls.mode == Mode::Disabled => plain(),
        Way::Socket => plain(),
        Way::Loopback => match over(tls.encrypted()) {
            Err(error) if !tls.required && (is_not_offered(&error) || failure(&error).is_some()) => plain(),
            outcome => outcome,
        },
        // Whoever answers may say that there is no TLS: the user says so, or nothing is told.
        Way::Network => over(tls.verified()),
    }
}

fn is_not_offered(error: &Error) -> bool {
    matches!(error, Error::DriverError(DriverError::TlsNotSupported))
}

/// Says what went wrong with TLS, and what to do; `None` for all other errors.
pub(super) fn explain(error: &Error) -> Option<anyhow::Error> {
    const OR_PLAIN: &str = "on the database host its socket needs none (mysql://USER@localhost?socket=FILE); ?ssl-mode=disabled connects without TLS";
    if is_not_offered(error) {
        return Some(anyhow!(
            "the server offers no TLS, so that anyone on the way could pose as it: let it offer TLS; {OR_PLAIN}"
        ));
    }
    let failure = failure(error)?;
    Some(match failure {
        rustls::Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => anyhow!(
            "the server's certificate is for another name: use the name in it, or ?ssl-mode=verify_ca to accept any name \
             that its CA signed"
        ),
        rustls::Error::InvalidCertificate(reason) => anyhow!(
            "the server's certificate is not from a CA that this host trusts ({reason}): name its CA with ssl-ca=FILE in \
             [client] of ~/.my.cnf, or mysql://USER@HOST?ssl-ca=FILE; {OR_PLAIN}"
        ),
        other => anyhow!("TLS with the server failed ({other}); {OR_PLAIN}"),
    })
}

/// What TLS itself complains of, however deep the client wrapped it.
fn failure(error: &Error) -> Option<&rustls::Error> {
    if let Error::TlsError(TlsError::Tls(inner)) = error {
        return Some(inner);
    }
    let mut next: Option<&(dyn StdError + 'static)> = match error {
        // The client does not name it as its source.
        Error::CodecError(inner) => Some(inner),
        other => Some(other),
    };
    while let Some(one) = next {
        if let Some(found) = one.downcast_ref::<rustls::Error>() {
            return Some(found);
        }
        next = match one.downcast_ref::<std::io::Error>() {
            // Its source is that of what it holds, and not what it holds.
            Some(io) => io.get_ref().map(|inner| inner as &(dyn StdError + 'static)),
            None => one.source(),
        };
    }
    None
}

/// The CAs of the system. The client refuses a file with a certificate that it cannot read, so such a file is left out.
fn system_ca() -> Option<PathBuf> {
    let own = std::env::var_os("SSL_CERT_FILE").map(PathBuf::from);
    own.into_iter().chain(SYSTEM.map(PathBuf::from)).find(|path| {
        let Ok(all) = CertificateDer::pem_file_iter(path) else { return false };
        let mut store = RootCertStore::empty();
        let mut certificates = 0;
        let parsed = all.inspect(|_| certificates += 1).filter_map(Result::ok);
        let (added, _) = store.add_parsable_certificates(parsed);
        added > 0 && added == certificates
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_name_says_of_tls_counts_more_than_the_client_group() {
        let group = ClientGroup { ssl_mode: Some("DISABLED".into()), ..ClientGroup::default() };
        assert_eq!(Tls::new(&group, None, None).unwrap().mode, Mode::Disabled);
        let named = Tls::new(&group, None, Some("verify-ca")).unwrap();
        assert_eq!((named.mode, named.required), (Mode::VerifyCa, true));
        assert!(named.verify && !Tls::new(&ClientGroup::default(), None, Some("required")).unwrap().verify);
        let plain = Tls::new(&ClientGroup::default(), None, None).unwrap();
        assert_eq!((plain.mode, plain.required), (Mode::VerifyIdentity, false));
        let error = Tls::new(&ClientGroup::default(), None, Some("maybe")).unwrap_err().to_string();
        assert!(error.contains("verify_identity"), "{error}");
        let error = Tls::new(&ClientGroup::default(), Some(Path::new("/absent.pem")), None).unwrap_err();
        assert!(format!("{error:#}").contains("/absent.pem"), "{error:#}");
    }
}
