//! TLS to PostgreSQL: where the server offers it, all that follows is encrypted. Whether it is also the server that was
//! meant is found out as well: by the user's own root certificates as libpq has them, else by the system's.
//!
//! An encrypted connection to a server that could not be verified keeps a listener out, not an impostor: the guard against
//! passwords in clear stays on it, and the proof of SCRAM is bound to the certificate, so that an impostor who hands it on to the
//! server is found out.

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
use tokio_rustls::rustls::crypto::hash::HashAlgorithm;
use tokio_rustls::rustls::crypto::ring::cipher_suite::{TLS13_AES_128_GCM_SHA256, TLS13_AES_256_GCM_SHA384};
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
    /// Encrypted, whether the server was verified, and what binds to its certificate.
    Encrypted(Box<TlsStream<TcpStream>>, bool, Option<Vec<u8>>),
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
    let certificate = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
    let bound = certificate.and_then(|certificate| end_point(certificate));
    Ok(Wire::Encrypted(Box::new(stream), judge.verified.load(Ordering::Relaxed), bound))
}

/// What names a certificate in the proof of SCRAM: its hash by the function of its signature, or SHA-256 where that is MD5 or SHA-1 (RFC 5929,
/// section 4.1). `None`: by a function that the client of TLS does not have, or that the signature does not name.
fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    let (whole, _) = element(certificate)?;
    let (_, rest) = element(whole)?;
    let (algorithm, _) = element(element(rest)?.0)?;
    let suite = match SIGNATURES.iter().find(|(name, _)| *name == algorithm)?.1 {
        HashAlgorithm::SHA384 => TLS13_AES_256_GCM_SHA384,
        _ => TLS13_AES_128_GCM_SHA256,
    };
    Some(suite.tls13()?.common.hash_provider.hash(certificate).as_ref().to_vec())
}

/// The object identifiers of RSA with MD5, SHA-1, SHA-256 and SHA-384 (RFC 8017, appendix C), and of ECDSA with SHA-1, SHA-256
/// and SHA-384 (RFC 5758, section 3.2).
const SIGNATURES: [(&[u8], HashAlgorithm); 7] = [
    (b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x04", HashAlgorithm::SHA256),
    (b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x05", HashAlgorithm::SHA256),
    (b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0b", HashAlgorithm::SHA256),
    (b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0c", HashAlgorithm::SHA384),
    (b"\x2a\x86\x48\xce\x3d\x04\x01", HashAlgorithm::SHA256),
    (b"\x2a\x86\x48\xce\x3d\x04\x03\x02", HashAlgorithm::SHA256),
    (b"\x2a\x86\x48\xce\x3d\x04\x03\x03", HashAlgorithm::SHA384),
];

/// What is in the first element of DER (ITU-T X.690, section 8.1), and what comes after it.
fn element(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let first = usize::from(*der.get(1)?);
    let more = first.saturating_sub(0x80);
    let length = der
        .get(2..2 + more)?
        .iter()
        .try_fold(0_usize, |length, byte| length.checked_mul(256)?.checked_add(usize::from(*byte)))?;
    let length = if more == 0 { first } else { length };
    der.get(2 + more..)?.split_at_checked(length)
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
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;

    /// Whether the server on this port proves that it has this name, to someone with these root certificates.
    pub(crate) fn is_verified(port: u16, host: &str, own: Option<&Path>) -> bool {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        runtime.block_on(async {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            stream.write_all(&REQUEST).await.unwrap();
            assert_eq!(stream.read_u8().await.unwrap(), WILLING);
            let wire = encrypt_by(stream, host, roots(own)).await.unwrap();
            matches!(wire, Wire::Encrypted(_, true, _))
        })
    }

    /// The port of one who is on the way to a server: he shows the certificate of this folder, and hands on all that is said.
    pub(crate) fn handing_on(folder: &Path, server: u16) -> u16 {
        let file = |name: &str| std::fs::read(folder.join(name)).unwrap();
        let certificates = CertificateDer::pem_slice_iter(&file("server.crt")).map(Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_slice(&file("server.key")).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(certificates, key)
            .unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let hand_on = async move {
            let near = listener.accept().unwrap().0;
            near.set_nonblocking(true).unwrap();
            let mut near = TcpStream::from_std(near).unwrap();
            near.read_exact(&mut [0; REQUEST.len()]).await.unwrap();
            near.write_all(&[WILLING]).await.unwrap();
            let mut near = TlsAcceptor::from(Arc::new(config)).accept(near).await.unwrap();
            let far = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
            let Wire::Encrypted(mut far, ..) = offer(far, "localhost", SslMode::Require).await.unwrap()
            else {
                panic!("the server has TLS");
            };
            let _ = tokio::io::copy_bidirectional(&mut near, &mut *far).await;
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        std::thread::spawn(move || runtime.block_on(hand_on));
        port
    }

    #[test]
    fn what_is_no_certificate_binds_to_nothing() {
        for der in [
            &[][..],
            &[0x30],
            &[0x30, 0x80],
            &[0x30, 0x84, 255, 255, 255, 255],
            &[0x30, 0x88, 1, 0, 0, 0, 0, 0, 0, 0],
        ] {
            assert_eq!(end_point(der), None, "{der:x?}");
        }
    }
}
