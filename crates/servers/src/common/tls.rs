//! How a server's certificate is checked, as the address says it: the same words for every store and driver.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kurabe_protocol::connection::{NOT_CHECKED, TLS};
use percent_encoding::percent_decode_str;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use kurabe_client::adapter::StoreError;

/// What an address says about TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tls {
    /// Whether the certificate is taken as it is (`tls=unverified`).
    is_unverified: bool,
    /// A file of certificates (PEM) of authorities that are trusted beside the public ones (`sslrootcert=FILE`).
    authority: Option<PathBuf>,
}

/// What helps where a certificate is refused.
const WAY_OUT: &str = "name its authority by sslrootcert=FILE in the address, or say tls=unverified";

impl Tls {
    /// Takes what an address says about TLS out of it: the parameters `tls`, `sslrootcert`, and the one, if any, by which
    /// the store's own tools ask for it. There is TLS where one of them asks for it.
    pub(crate) fn take(url: &str, mode_name: Option<&str>) -> Result<(String, Option<Tls>), StoreError> {
        let Some((start, query)) = url.split_once('?') else { return Ok((url.into(), None)) };
        let (query, fragment) = query.split_once('#').map_or((query, None), |(query, rest)| (query, Some(rest)));
        let (mut tls, mut mode, mut rest) = (Tls::default(), None, Vec::new());
        for pair in query.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = percent_decode_str(value).decode_utf8_lossy();
            match name {
                "tls" if value == "unverified" => tls.is_unverified = true,
                "tls" => return Err(refused("tls", &value, "unverified")),
                "sslrootcert" => tls.authority = Some(PathBuf::from(&*value)),
                name if Some(name) == mode_name => mode = Some(is_on(name, &value)?),
                _ => rest.push(pair),
            }
        }
        let says = tls != Tls::default();
        if says && mode == Some(false) {
            return Err(StoreError::store("the address asks for TLS and says that there is none"));
        }
        let mut url = start.to_string();
        if !rest.is_empty() {
            url = format!("{url}?{}", rest.join("&"));
        }
        if let Some(fragment) = fragment {
            url = format!("{url}#{fragment}");
        }
        Ok((url, (says || mode == Some(true)).then_some(tls)))
    }

    /// Whether the certificate is taken as it is.
    pub(crate) fn is_unverified(&self) -> bool {
        self.is_unverified
    }

    /// The file of an own authority.
    pub(crate) fn authority(&self) -> Option<&Path> {
        self.authority.as_deref()
    }

    /// The setting that tells of it.
    pub(crate) fn setting(&self) -> (String, String) {
        let how = match &self.authority {
            _ if self.is_unverified => NOT_CHECKED,
            None => "certificate checked",
            Some(_) => "certificate checked, by own authorities too",
        };
        (TLS.into(), how.into())
    }

    /// The bytes of the file of an own authority.
    pub(crate) fn authority_pem(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let read = |file: &PathBuf| std::fs::read(file).map_err(|error| unreadable(file, &error));
        self.authority.as_ref().map(read).transpose()
    }

    /// Settings for connections.
    pub(crate) fn config(&self) -> Result<ClientConfig, StoreError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone());
        let builder = builder.with_safe_default_protocol_versions().map_err(StoreError::store)?;
        if self.is_unverified {
            let any = Arc::new(AnyCertificate(provider));
            return Ok(builder.dangerous().with_custom_certificate_verifier(any).with_no_client_auth());
        }
        let mut roots = RootCertStore::empty();
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        if let (Some(file), Some(pem)) = (&self.authority, self.authority_pem()?) {
            let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
            let certificates = certificates.map_err(|error| unreadable(file, &error))?;
            if certificates.is_empty() {
                return Err(unreadable(file, &"no certificate is in it (PEM is expected)"));
            }
            for certificate in certificates {
                roots.add(certificate).map_err(|error| unreadable(file, &error))?;
            }
        }
        Ok(builder.with_root_certificates(roots).with_no_client_auth())
    }
}

fn refused(name: &str, value: &str, known: &str) -> StoreError {
    StoreError::store(format!("{name} cannot be '{value}' in an address; it can be {known}"))
}

fn unreadable(file: &Path, error: &dyn std::fmt::Display) -> StoreError {
    StoreError::store(format!("sslrootcert '{}' cannot be used: {error}", file.display()))
}

/// Whether a store's own word asks for TLS. One that tries without it, or does not mind, is refused: what was measured would
/// depend on the server.
fn is_on(name: &str, value: &str) -> Result<bool, StoreError> {
    match &*value.to_ascii_lowercase().replace('_', "-") {
        "disable" | "disabled" => Ok(false),
        "require" | "required" | "verify-ca" | "verify-full" | "verify-identity" => Ok(true),
        _ => Err(refused(name, value, "'disable' or 'require' (MySQL: DISABLED, REQUIRED); certificates are checked")),
    }
}

/// Appends what helps to words about a certificate that was refused.
pub(crate) fn with_way_out(words: String) -> String {
    if words.contains("invalid peer certificate") { format!("{words}; {WAY_OUT}") } else { words }
}

/// Takes every certificate: its owner must still have its key.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_tls(query: &str) -> Result<(String, Option<Tls>), StoreError> {
        Tls::take(&format!("postgresql://me@h/db{query}"), Some("sslmode"))
    }

    #[test]
    fn what_an_address_says_about_tls_is_taken_out_of_it() {
        assert_eq!(take_tls(""), Ok(("postgresql://me@h/db".into(), None)));
        assert_eq!(take_tls("?sslmode=disable&a=b"), Ok(("postgresql://me@h/db?a=b".into(), None)));
        let (url, tls) = take_tls("?sslmode=require&tls=unverified&a=b").unwrap();
        assert_eq!(
            (url.as_str(), tls.unwrap().setting().1.as_str()),
            ("postgresql://me@h/db?a=b", "certificate not checked")
        );
        let (url, tls) = take_tls("?sslrootcert=%2Fa%20b.pem#x").unwrap();
        assert_eq!((url.as_str(), tls.unwrap().authority()), ("postgresql://me@h/db#x", Some(Path::new("/a b.pem"))));
        assert!(take_tls("?sslmode=VERIFY_FULL").unwrap().1.is_some());
    }

    #[test]
    fn words_that_leave_it_open_are_refused() {
        for query in ["?sslmode=prefer", "?sslmode=", "?tls=off", "?tls=unverified&sslmode=disable"] {
            assert!(take_tls(query).is_err(), "{query}");
        }
        let error = take_tls("?sslrootcert=/nowhere.pem").unwrap().1.unwrap().config().unwrap_err().to_string();
        assert!(error.starts_with("sslrootcert '/nowhere.pem' cannot be used"), "{error}");
    }
}
