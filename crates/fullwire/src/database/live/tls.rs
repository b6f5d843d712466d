//! TLS to PostgreSQL: where the server offers it, all that follows is encrypted. Whether it is also the server that was
//! meant is found out as well: by the user's own root certificates as libpq has them, else by the system's.
//!
//! An encrypted connection to a server that could not be verified keeps a listener out, not an impostor: the guard against
//! passwords in clear stays on it.

use super::secret::{home, read_settings};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_postgres::config::SslMode;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme, crypto,
};

/// `SSLRequest`: its length, and the code 80877103 (PostgreSQL documentation, "Message Formats").
const REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
/// The server's answers to it.
const WILLING: u8 = b'S';
const UNWILLING: u8 = b'N';

/// A connection as the server wants it.
pub(super) enum Wire {
    /// It speaks no TLS.
    Plain(TcpStream),
    /// Encrypted, and whether the server was verified.
    Encrypted(Box<TlsStream<TcpStream>>, bool),
}

/// Asks the server for TLS, unless `sslmode=disable` says not to.
pub(super) async fn offer(mut stream: TcpStream, host: &str, mode: SslMode) -> Result<Wire> {
    if mode == SslMode::Disable {
        return Ok(Wire::Plain(stream));
    }
    stream.write_all(&REQUEST).await.context("ask for TLS")?;
    let mut answer = [0];
    stream.read_exact(&mut answer).await.context("ask for TLS")?;
    match answer[0] {
        UNWILLING if mode == SslMode::Prefer => Ok(Wire::Plain(stream)),
        UNWILLING => bail!("the server does not support TLS, and sslmode requires it"),
        WILLING => encrypt(stream, host).await,
        _ => bail!("the program that listens there does not speak PostgreSQL's protocol"),
    }
}

async fn encrypt(stream: TcpStream, host: &str) -> Result<Wire> {
    encrypt_by(stream, host, roots(own_roots().as_deref())).await
}

async fn encrypt_by(stream: TcpStream, host: &str, roots: RootCertStore) -> Result<Wire> {
    let provider = Arc::new(ring::default_provider());
    let judge = Arc::new(Judge::new(roots, &provider));
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("set TLS up")?
        .dangerous()
        .with_custom_certificate_verifier(Arc::clone(&judge) as Arc<dyn ServerCertVerifier>)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned())
        .with_context(|| format!("{host} is not a valid name for TLS"))?;
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.context("agree on TLS")?;
    Ok(Wire::Encrypted(Box::new(stream), judge.verified.load(Ordering::Relaxed)))
}

/// Takes any certificate whose key the server has, and remembers whether it is the right one.
#[derive(Debug)]
struct Judge {
    /// `None`: there are no root certificates.
    roots: Option<Arc<WebPkiServerVerifier>>,
    algorithms: crypto::WebPkiSupportedAlgorithms,
    verified: AtomicBool,
}

impl Judge {
    fn new(roots: RootCertStore, provider: &Arc<CryptoProvider>) -> Self {
        let roots = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
        Self {
            roots: roots.build().ok(),
            algorithms: provider.signature_verification_algorithms,
            verified: AtomicBool::new(false),
        }
    }
}

/// `PGSSLROOTCERT`, or `~/.postgresql/root.crt`.
fn own_roots() -> Option<PathBuf> {
    let named = std::env::var_os("PGSSLROOTCERT").map(PathBuf::from);
    named.or_else(|| Some(home()?.join(".postgresql/root.crt")).filter(|path| path.exists()))
}

/// The certificates of this file, if it is this user's or root's, and the system's.
fn roots(own: Option<&Path>) -> RootCertStore {
    let text = own.and_then(read_settings).unwrap_or_default();
    let own = CertificateDer::pem_slice_iter(text.as_bytes()).filter_map(Result::ok);
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(own);
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

impl ServerCertVerifier for Judge {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self.roots.as_ref().is_some_and(|roots| {
            roots.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now).is_ok()
        });
        self.verified.store(verified, Ordering::Relaxed);
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        crypto::verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        crypto::verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Whether the server on this port proves that it has this name, to someone with these root certificates.
    pub(crate) fn is_verified(port: u16, host: &str, own: Option<&Path>) -> bool {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        runtime.block_on(async {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            stream.write_all(&REQUEST).await.unwrap();
            assert_eq!(stream.read_u8().await.unwrap(), WILLING);
            let wire = encrypt_by(stream, host, roots(own)).await.unwrap();
            matches!(wire, Wire::Encrypted(_, true))
        })
    }
}
