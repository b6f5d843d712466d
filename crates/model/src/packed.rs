//! Texts that the program carries packed.

use liblzma::read::XzDecoder;
use std::io::Read as _;

/// The text that a build script packed with xz: what is read is whole.
pub fn unpacked(packed: &[u8]) -> String {
    let mut text = String::new();
    let _ = XzDecoder::new(packed).read_to_string(&mut text);
    text
}
