//! The public key of a server, by which a password goes over a connection that others can read.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mysql_common::crypto;

/// What OAEP with SHA-1 adds to what it pads (RFC 8017, 7.1.1).
const PADDING_BYTES: usize = 42;
/// Least and most bytes of a modulus: shorter ones protect nothing, longer ones only take time.
const MODULUS_BYTES: std::ops::RangeInclusive<usize> = 128..=1024;
/// No key in use has a longer exponent.
const EXPONENT_BYTES: usize = 8;

const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const SEQUENCE: u8 = 0x30;

/// `secret` for the owner of the key in `pem`. The crate that does it panics where a key is none, so it is looked at before.
pub(super) fn encrypt(secret: &[u8], pem: &[u8]) -> Result<Vec<u8>, String> {
    let room = room(pem).ok_or("the server's public key cannot be read")?;
    if secret.len() > room {
        return Err(format!("the password is too long for the server's public key, which takes {room} bytes"));
    }
    Ok(crypto::encrypt(secret, pem))
}

/// How many bytes the key can encrypt; nothing where it is no key.
fn room(pem: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(pem).ok()?;
    let is_wrapped = !text.contains("-----BEGIN RSA PUBLIC KEY-----");
    let der = match is_wrapped {
        true => between(text, "-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----")?,
        false => between(text, "-----BEGIN RSA PUBLIC KEY-----", "-----END RSA PUBLIC KEY-----")?,
    };
    let (mut fields, _) = part(&der, SEQUENCE)?;
    if is_wrapped {
        let (_algorithm, rest) = part(fields, SEQUENCE)?;
        let (bits, _) = part(rest, BIT_STRING)?;
        let (unused, key) = bits.split_first()?;
        fields = part(key, SEQUENCE).filter(|_| *unused == 0)?.0;
    }
    let (modulus, rest) = part(fields, INTEGER)?;
    let (exponent, _) = part(rest, INTEGER)?;
    let modulus = without_zeros(modulus);
    let bits = modulus.len() * 8 - modulus.first()?.leading_zeros() as usize;
    let is_key =
        MODULUS_BYTES.contains(&modulus.len()) && (1..=EXPONENT_BYTES).contains(&without_zeros(exponent).len());
    // As the crate counts the bytes of a key.
    ((bits + 6) >> 3).checked_sub(PADDING_BYTES).filter(|_| is_key)
}

/// What stands in base 64 between the two lines, of which the crate takes the first that have nothing but that between them.
fn between(text: &str, begin: &str, end: &str) -> Option<Vec<u8>> {
    let (_, rest) = text.split_once(begin)?;
    let (body, _) = rest.split_once(end).filter(|(body, _)| !body.contains('-'))?;
    STANDARD.decode(body.split_ascii_whitespace().collect::<String>()).ok()
}

fn without_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    &number[zeros..]
}

/// The content of the part with `tag` at the start of `der` (X.690), and what follows it.
fn part(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (_, rest) = der.split_first().filter(|(first, _)| **first == tag)?;
    let (len, rest) = rest.split_first()?;
    let (len, rest) = match len & 0x7f {
        len_bytes if len & 0x80 != 0 => {
            let (digits, rest) =
                rest.split_at_checked(usize::from(len_bytes)).filter(|(digits, _)| digits.len() <= 4)?;
            (digits.iter().fold(0, |len, digit| len << 8 | usize::from(*digit)), rest)
        }
        len => (usize::from(len), rest),
    };
    rest.split_at_checked(len)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A key of 2,048 bits as `openssl rsa -pubout` writes it.
    pub(in super::super) const KEY: &str = "-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxSKOcxiet8lLMn8ImyUE
bGGKob5EdRz/4wdiw12ED0GfKKTKhVnodFCfm1mdy7bKOX5QxL9skrvYodpW43eR
R5bfOzIgy1qIB8RYb6qOXRBw1oA4snBDqtUjDv/lbHLJN+IbzM4oU+e3Lt9rXyLX
VY289ewONPweXHqSCnTL91w+wkU1peIFV2QhZ+upUCdCtwOn5hnJPNgxtbklFoya
C8W3Z7Xx7He2QDJsEWAqX197efw0L6j8X8Tyd8Uwb7zUB1tfMGhHfm9EwejPAtzx
4GztQNtNMtGS2oGZLQBLV9hib4dDL92iiZeckg2LAf4GsJofLLR8mcHCRoqVbQJ1
YQIDAQAB
-----END PUBLIC KEY-----
";

    #[test]
    fn a_key_encrypts_what_fits_and_refuses_what_does_not() {
        assert_eq!(room(KEY.as_bytes()), Some(214));
        assert_eq!(encrypt(&[7; 214], KEY.as_bytes()).map(|secret| secret.len()), Ok(256));
        assert!(encrypt(&[7; 215], KEY.as_bytes()).unwrap_err().contains("too long"));
    }

    #[test]
    fn what_is_no_key_is_refused_in_words() {
        for pem in ["", "-----BEGIN PUBLIC KEY----------END PUBLIC KEY-----", &KEY[..200], &KEY.replace("MIIB", "AIIB")]
        {
            assert!(encrypt(b"secret", pem.as_bytes()).unwrap_err().contains("cannot be read"), "{pem}");
        }
    }

    proptest! {
        #[test]
        fn no_key_that_is_damaged_makes_it_panic(at in 0..KEY.len(), to in any::<u8>(), secret in 0..300_usize) {
            let mut pem = KEY.as_bytes().to_vec();
            pem[at] = to;
            let encrypted = encrypt(&vec![1; secret], &pem);
            prop_assert!(encrypted.is_err() || room(&pem).is_some_and(|room| secret <= room));
        }
    }
}
