//! Files that someone packed: gzip, xz, zstd, bzip2, and the members of a ZIP archive. What is packed may come to as much as
//! texts do and no more: a bomb is made of what packs better than anything that a host writes.

use flate2::read::{DeflateDecoder, MultiGzDecoder};
use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

/// What may come out of a packed file: this much, and for each packed byte so many more.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ratio {
    pub(super) free_bytes: u64,
    pub(super) times: u64,
}

/// A text. Deflate itself packs at most 1,032 to 1 (zlib, "Technical Details"); logs and listings come to 5 to 40.
const TEXT: Ratio = Ratio { free_bytes: 4 << 20, times: 100 };
/// Members of a ZIP archive that are looked at.
const MOST_MEMBERS: usize = 4_096;
/// Methods of ZIP (PKWARE APPNOTE 4.4.5): stored as it is.
const STORED: u16 = 0;
/// Packed by deflate.
const DEFLATED: u16 = 8;

/// A reader of what is in a packed file; one that is not packed is read as it is. Reading more than its size allows is an
/// error.
pub struct Unpacking<'a> {
    inner: Box<dyn Read + 'a>,
    /// Packed bytes that were read.
    packed: Rc<Cell<u64>>,
    ratio: Ratio,
    /// `None`: it is not packed.
    out_bytes: Option<u64>,
}

/// A reader of a text.
pub fn unpacked<'a>(mut file: impl BufRead + 'a) -> io::Result<Unpacking<'a>> {
    let mut magic = [0_u8; 6];
    let head = file.fill_buf()?;
    let known = head.len().min(magic.len());
    magic[..known].copy_from_slice(&head[..known]);
    Unpacking::new(file, magic, TEXT)
}

impl<'a> Unpacking<'a> {
    /// By the first bytes of the file, which the reader has too.
    pub(super) fn new(packed: impl Read + 'a, magic: [u8; 6], ratio: Ratio) -> io::Result<Self> {
        let count = Rc::new(Cell::new(0));
        let counted = Counted { inner: packed, count: Rc::clone(&count) };
        let mut out_bytes = Some(0);
        let inner: Box<dyn Read + 'a> = match magic {
            [0x1f, 0x8b, ..] => Box::new(MultiGzDecoder::new(counted)),
            [0xfd, b'7', b'z', b'X', b'Z', 0] => {
                Box::new(liblzma::read::XzDecoder::new_multi_decoder(counted))
            }
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Box::new(zstd::stream::read::Decoder::new(counted)?),
            [b'B', b'Z', b'h', ..] => Box::new(bzip2::read::MultiBzDecoder::new(counted)),
            _ => {
                out_bytes = None;
                Box::new(counted)
            }
        };
        Ok(Self { inner, packed: count, ratio, out_bytes })
    }

    /// What may come out of the packed bytes that were read until now, however often they were packed.
    fn room(&self) -> u64 {
        self.ratio.free_bytes.saturating_add(self.packed.get().saturating_mul(self.ratio.times))
    }

    /// The files of a ZIP archive that was read whole from here, which may come to `most` bytes; `None`: the bytes are none.
    pub fn zip_members(&self, bytes: &[u8], most: u64) -> Option<ZipFiles> {
        let room = self.room().saturating_sub(self.out_bytes.unwrap_or(0));
        zip_members(bytes, room.min(most))
    }
}

impl Read for Unpacking<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if let Some(out_bytes) = &mut self.out_bytes {
            *out_bytes += read as u64;
            if *out_bytes > self.room() {
                return Err(io::Error::other(too_much(self.ratio)));
            }
        }
        Ok(read)
    }
}

fn too_much(ratio: Ratio) -> String {
    format!("it comes to more than {} times its size, as no text does: unpack it yourself", ratio.times)
}

struct Counted<R> {
    inner: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.count.set(self.count.get() + read as u64);
        Ok(read)
    }
}

/// What a ZIP archive holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ZipFiles {
    /// Each file by its name.
    pub files: Vec<(String, Vec<u8>)>,
    /// Files that were not read, and why.
    pub left_out: Vec<(String, String)>,
}

/// The files of a ZIP archive; `None`: the bytes are none. What has no room, is damaged or encrypted is left out.
fn zip_members(bytes: &[u8], mut room: u64) -> Option<ZipFiles> {
    if !bytes.starts_with(b"PK\x03\x04") {
        return None;
    }
    let end = bytes.windows(4).rposition(|four| four == b"PK\x05\x06")?;
    let mut at = usize::try_from(number(bytes, end + 16, 4)?).ok()?;
    let count = usize::try_from(number(bytes, end + 10, 2)?).ok()?;
    let mut found = ZipFiles::default();
    for index in 0..count {
        if bytes.get(at..at + 4) != Some(b"PK\x01\x02") {
            break;
        }
        if index == MOST_MEMBERS {
            let why = format!("{} more files: {MOST_MEMBERS} of an archive are read", count - index);
            found.left_out.push((String::new(), why));
            break;
        }
        let field = |offset: usize, size: usize| {
            number(bytes, at + offset, size).and_then(|value| usize::try_from(value).ok())
        };
        let (name_length, extra, comment) = (field(28, 2)?, field(30, 2)?, field(32, 2)?);
        let name = String::from_utf8_lossy(bytes.get(at + 46..at + 46 + name_length)?).into_owned();
        if !name.ends_with('/') {
            match member(bytes, at, &mut room) {
                Ok(content) => found.files.push((name, content)),
                Err(why) => found.left_out.push((name, why)),
            }
        }
        at += 46 + name_length + extra + comment;
    }
    Some(found)
}

/// The content of a member, by its entry in the central directory, or why there is none.
fn member(bytes: &[u8], entry: usize, room: &mut u64) -> Result<Vec<u8>, String> {
    let (method, data) = packed_member(bytes, entry).ok_or("it is damaged")?;
    // Members may share their packed bytes: what comes out of all of them is what counts.
    let most = room.saturating_add(1);
    let mut content = Vec::new();
    let read = match method {
        STORED => data.take(most).read_to_end(&mut content),
        DEFLATED => DeflateDecoder::new(data).take(most).read_to_end(&mut content),
        _ => return Err("it is encrypted, or packed in a way that is not read: unpack it yourself".into()),
    };
    *room = room.saturating_sub(content.len() as u64);
    read.map_err(|error| error.to_string())?;
    if content.len() as u64 >= most {
        return Err(
            "the archive comes to more than is read of one, or than its size allows: unpack it yourself"
                .into(),
        );
    }
    Ok(content)
}

/// How a member is packed, and its packed bytes.
fn packed_member(bytes: &[u8], entry: usize) -> Option<(u16, &[u8])> {
    /// The member is encrypted (4.4.4, bit 0).
    const ENCRYPTED: u64 = 1;
    let method = match number(bytes, entry + 8, 2)? & ENCRYPTED {
        0 => u16::try_from(number(bytes, entry + 10, 2)?).ok()?,
        _ => u16::MAX,
    };
    let packed = usize::try_from(number(bytes, entry + 20, 4)?).ok()?;
    let local = usize::try_from(number(bytes, entry + 42, 4)?).ok()?;
    let lengths = number(bytes, local.checked_add(26)?, 2)? + number(bytes, local.checked_add(28)?, 2)?;
    let begin = local.checked_add(30)?.checked_add(usize::try_from(lengths).ok()?)?;
    Some((method, bytes.get(begin..begin.checked_add(packed)?)?))
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
        let read = zip_members(ZIP, 6).expect("an archive");
        assert_eq!(read.files, [("a.txt".to_owned(), b"hello\n".to_vec())]);
        for end in 0..ZIP.len() {
            let _ = zip_members(&ZIP[..end], 100);
        }
        // A byte less, and it is left out as a whole, and told.
        let cut = zip_members(ZIP, 5).expect("an archive");
        assert!(cut.files.is_empty() && cut.left_out[0].1.contains("unpack it yourself"), "{cut:?}");
    }

    /// A ZIP archive of one packed member, which its directory lists so many times.
    fn bomb(member: &[u8], times: usize) -> Vec<u8> {
        use std::io::Write as _;
        let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(member).expect("packed");
        let packed = packer.finish().expect("packed");
        let (size, name) = (u32::try_from(packed.len()).expect("small").to_le_bytes(), b"a");
        let mut bytes = [b"PK\x03\x04".as_slice(), &[0; 22], &[1, 0, 0, 0], name, &packed].concat();
        let directory = u32::try_from(bytes.len()).expect("small").to_le_bytes();
        let entry =
            [b"PK\x01\x02".as_slice(), &[0; 6], &[8, 0], &[0; 8], &size, &[0; 4], &[1, 0], &[0; 16], name];
        bytes.extend(entry.concat().repeat(times));
        let count = u16::try_from(times).expect("few").to_le_bytes();
        bytes.extend([b"PK\x05\x06".as_slice(), &[0; 6], &count, &[0; 4], &directory, &[0; 2]].concat());
        bytes
    }

    /// What comes out of an archive, by the way that callers read it.
    fn came_out(bytes: &[u8]) -> (u64, usize) {
        let mut reader = unpacked(bytes).expect("a reader");
        let mut whole = Vec::new();
        reader.read_to_end(&mut whole).expect("read");
        let read = reader.zip_members(&whole, 1 << 30).expect("an archive");
        (read.files.iter().map(|(_, content)| content.len() as u64).sum(), read.left_out.len())
    }

    #[test]
    fn a_small_archive_does_not_come_to_a_large_one() {
        let zeros = vec![0; 16 << 20];
        let one = bomb(&zeros, 1);
        assert!(one.len() < 20_000 && came_out(&one) == (0, 1), "{} bytes", one.len());
        // Each fits alone, and all share the same packed bytes.
        let many = bomb(&zeros[..1 << 20], 5_000);
        let (bytes, left_out) = came_out(&many);
        let room = TEXT.free_bytes + TEXT.times * many.len() as u64;
        assert!(bytes <= room && left_out > 0, "{bytes} of {room}");
        assert_eq!(came_out(&bomb(b"hello", 5_000)), (5 * MOST_MEMBERS as u64, 1));
    }

    #[test]
    fn a_packed_stream_ends_where_no_text_goes_on() {
        // Twice what a small file may become.
        let zeros = vec![b'0'; 8 << 20];
        let mut gzip = flate2::read::GzEncoder::new(zeros.as_slice(), flate2::Compression::best());
        let mut xz = liblzma::read::XzEncoder::new(zeros.as_slice(), 1);
        let mut bzip2 = bzip2::read::BzEncoder::new(zeros.as_slice(), bzip2::Compression::best());
        let zstd = zstd::stream::encode_all(zeros.as_slice(), 1).expect("packed");
        let mut packed = vec![zstd, Vec::new(), Vec::new(), Vec::new()];
        gzip.read_to_end(&mut packed[1]).expect("packed");
        xz.read_to_end(&mut packed[2]).expect("packed");
        bzip2.read_to_end(&mut packed[3]).expect("packed");
        for bytes in packed {
            let mut whole = Vec::new();
            let error = unpacked(bytes.as_slice()).expect("a reader").read_to_end(&mut whole).unwrap_err();
            let room = TEXT.free_bytes + TEXT.times * bytes.len() as u64;
            assert!(whole.len() as u64 <= room, "{} bytes of {}", whole.len(), bytes.len());
            assert!(error.to_string().contains("unpack it yourself"), "{error}");
        }
    }

    #[test]
    fn what_is_not_packed_is_read_as_it_is() {
        let zeros = vec![b'0'; 8 << 20];
        let mut text = Vec::new();
        unpacked(zeros.as_slice()).expect("a reader").read_to_end(&mut text).expect("read");
        assert!(text == zeros);
    }
}
