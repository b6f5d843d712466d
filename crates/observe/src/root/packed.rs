//! Files that someone packed: gzip, xz, zstd, bzip2, and the members of a ZIP archive.

use super::archive::decompressed;
use std::io::{self, BufRead, Read};

/// What a single file may come to when it is unpacked.
const MOST_BYTES: u64 = 1 << 30;
/// Members of a ZIP archive that are looked at.
const MOST_MEMBERS: usize = 4_096;
/// Methods of ZIP (PKWARE APPNOTE 4.4.5): stored as it is.
const STORED: u16 = 0;
/// Packed by deflate.
const DEFLATED: u16 = 8;

/// A reader of what is in a packed file; one that is not packed is read as it is.
pub fn unpacked<'a>(mut file: impl BufRead + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let mut magic = [0_u8; 6];
    let head = file.fill_buf()?;
    let known = head.len().min(magic.len());
    magic[..known].copy_from_slice(&head[..known]);
    decompressed(file, magic).map_err(|error| io::Error::other(error.to_string()))
}

/// The files of a ZIP archive, by name; `None`: the bytes are none. What is damaged or encrypted is left out.
pub fn zip_members(bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    if !bytes.starts_with(b"PK\x03\x04") {
        return None;
    }
    let end = bytes.windows(4).rposition(|four| four == b"PK\x05\x06")?;
    let mut at = usize::try_from(number(bytes, end + 16, 4)?).ok()?;
    let count = usize::try_from(number(bytes, end + 10, 2)?).ok()?.min(MOST_MEMBERS);
    let (mut members, mut room) = (Vec::new(), MOST_BYTES);
    for _ in 0..count {
        if bytes.get(at..at + 4) != Some(b"PK\x01\x02") {
            break;
        }
        let field = |offset: usize, size: usize| {
            number(bytes, at + offset, size).and_then(|value| usize::try_from(value).ok())
        };
        let (name_length, extra, comment) = (field(28, 2)?, field(30, 2)?, field(32, 2)?);
        let name = String::from_utf8_lossy(bytes.get(at + 46..at + 46 + name_length)?).into_owned();
        if !name.ends_with('/') {
            members.extend(member(bytes, at, &mut room).map(|content| (name, content)));
        }
        at += 46 + name_length + extra + comment;
    }
    Some(members)
}

/// The content of a member, by its entry in the central directory.
fn member(bytes: &[u8], entry: usize, room: &mut u64) -> Option<Vec<u8>> {
    let method = u16::try_from(number(bytes, entry + 10, 2)?).ok()?;
    let packed = usize::try_from(number(bytes, entry + 20, 4)?).ok()?;
    let local = usize::try_from(number(bytes, entry + 42, 4)?).ok()?;
    let lengths = number(bytes, local.checked_add(26)?, 2)? + number(bytes, local.checked_add(28)?, 2)?;
    let begin = local.checked_add(30)?.checked_add(usize::try_from(lengths).ok()?)?;
    let data = bytes.get(begin..begin.checked_add(packed)?)?;
    let mut content = Vec::new();
    match method {
        STORED => data.take(*room).read_to_end(&mut content).ok()?,
        DEFLATED => flate2::read::DeflateDecoder::new(data).take(*room).read_to_end(&mut content).ok()?,
        _ => return None,
    };
    *room = room.saturating_sub(content.len() as u64);
    Some(content)
}

/// A number of this many bytes, the least first.
fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let digits = bytes.get(at..at.checked_add(size)?)?;
    Some(digits.iter().rev().fold(0, |value, digit| value << 8 | u64::from(*digit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf 'hello\n' > a.txt; zip -0 x.zip a.txt`, without the extra fields.
    const ZIP: &[u8] = b"PK\x03\x04\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x20\x30\x3a\x36\x06\x00\x00\x00\x06\x00\x00\x00\x05\x00\x00\x00a.txthello\nPK\x01\x02\x1e\x03\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x20\x30\x3a\x36\x06\x00\x00\x00\x06\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xa4\x81\x00\x00\x00\x00a.txtPK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00\x33\x00\x00\x00\x29\x00\x00\x00\x00\x00";

    #[test]
    fn members_of_a_zip_are_read_and_no_cut_panics() {
        assert_eq!(zip_members(ZIP), Some(vec![("a.txt".to_owned(), b"hello\n".to_vec())]));
        for end in 0..ZIP.len() {
            let _ = zip_members(&ZIP[..end]);
        }
    }

    #[test]
    fn what_is_not_packed_is_read_as_it_is() {
        let mut text = String::new();
        unpacked(&b"Linux 5.14"[..]).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "Linux 5.14");
    }
}
