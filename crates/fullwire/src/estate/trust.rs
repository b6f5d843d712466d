//! Which NATS servers are trusted over TLS, and why the last one was not: the client says only that its connection failed.

use super::credential::Credential;
use anyhow::{Context, Result, bail};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// Why the last certificate was refused, until one is accepted.
pub(super) type Refusal = Arc<Mutex<Option<String>>>;

/// The words of a refusal, if the last certificate was refused.
pub(super) fn refused(refusal: &Refusal) -> Option<String> {
    refusal.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The servers are known by the estate's own certificates, or the system's.
pub(super) fn tls(credential: &Credential, refusal: &Refusal) -> Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    if credential.ca_pem.is_empty() {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    } else {
        let own = CertificateDer::pem_slice_iter(credential.ca_pem.as_bytes()).filter_map(Result::ok);
        roots.add_parsable_certificates(own);
    }
    if roots.is_empty() {
        bail!("there is no CA certificate to verify the NATS server with");
    }
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
    let verifier =
        Remembering { verifier: verifier.build().context("set TLS up")?, refusal: Arc::clone(refusal) };
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("set TLS up")?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

/// The usual verifier, whose answers are all that counts; what it refused is remembered.
#[derive(Debug)]
struct Remembering {
    verifier: Arc<WebPkiServerVerifier>,
    refusal: Refusal,
}

impl ServerCertVerifier for Remembering {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let answer = self.verifier.verify_server_cert(certificate, intermediates, name, ocsp, now);
        let words = answer.as_ref().err().map(ToString::to_string);
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = words;
        answer
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}
