//! MAT files of version 5 (`MathWorks`, "MAT-File Format", R2023b, chapter 1), as far as the set needs them: numbers, text, cells,
//! records; little-endian, packed with zlib.

use anyhow::{Context, Result, bail, ensure};
use flate2::read::ZlibDecoder;
use std::collections::BTreeMap;
use std::io::Read;

const HEADER_BYTES: usize = 128;
/// A variable unpacks to at most this.
const LARGEST_BYTES: u64 = 1 << 30;
/// Arrays nest at most so deep.
const DEEPEST: usize = 8;

/// Types of data elements.
const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;

/// A variable, or an element of one.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Array {
    /// Numbers column by column.
    Numbers { rows: usize, values: Vec<f64> },
    /// Characters.
    Text(String),
    /// Arrays column by column.
    Cells { rows: usize, cells: Vec<Array> },
    /// The members of the first record.
    Record(BTreeMap<String, Array>),
    /// What the set does not have.
    Other,
}

impl Array {
    /// The numbers; of other arrays none.
    pub(super) fn numbers(&self) -> &[f64] {
        if let Self::Numbers { values, .. } = self { values } else { &[] }
    }

    /// The cells; of other arrays none.
    pub(super) fn cells(&self) -> (usize, &[Self]) {
        if let Self::Cells { rows, cells } = self { (*rows, cells) } else { (0, &[]) }
    }

    /// The text; of other arrays an empty one.
    pub(super) fn text(&self) -> &str {
        if let Self::Text(text) = self { text } else { "" }
    }

    /// A member of a record.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        if let Self::Record(members) = self { members.get(name) } else { None }
    }
}

/// The variables of a file by their names.
pub(super) fn read(bytes: &[u8]) -> Result<BTreeMap<String, Array>> {
    let header = bytes.get(..HEADER_BYTES).context("it is shorter than its header")?;
    ensure!(header.starts_with(b"MATLAB 5.0"), "it is no MAT file of version 5");
    ensure!(header.ends_with(b"IM"), "it is big-endian");
    let mut variables = BTreeMap::new();
    let mut rest = Bytes(&bytes[HEADER_BYTES..]);
    while !rest.0.is_empty() {
        let (kind, body) = rest.element()?;
        match kind {
            COMPRESSED => {
                let mut unpacked = Vec::new();
                ZlibDecoder::new(body)
                    .take(LARGEST_BYTES)
                    .read_to_end(&mut unpacked)
                    .context("unpack a variable")?;
                let (kind, body) = Bytes(&unpacked).element()?;
                if kind == MATRIX {
                    variables.extend([matrix(body, 0)?]);
                }
            }
            MATRIX => variables.extend([matrix(body, 0)?]),
            _ => {}
        }
    }
    Ok(variables)
}

/// What was not read yet.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).context("it is cut short")?;
        self.0 = rest;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes(bytes.try_into().context("four bytes")?))
    }

    /// The next element: its type and its data. Data of up to four bytes may lie in the tag itself; all else is padded to
    /// eight, but for what is packed.
    fn element(&mut self) -> Result<(u32, &'a [u8])> {
        let tag = self.u32()?;
        let (kind, small) = (tag & 0xffff, tag >> 16);
        if small > 0 {
            let data = self.take(4)?;
            let length = usize::try_from(small)?;
            return Ok((kind, data.get(..length).context("a small element of more than four bytes")?));
        }
        let length = usize::try_from(self.u32()?)?;
        let data = self.take(length)?;
        if kind != COMPRESSED {
            self.take((8 - length % 8) % 8)?;
        }
        Ok((kind, data))
    }
}

/// An array with its name.
fn matrix(body: &[u8], depth: usize) -> Result<(String, Array)> {
    ensure!(depth <= DEEPEST, "it nests too deep");
    let mut rest = Bytes(body);
    if rest.0.is_empty() {
        return Ok((String::new(), Array::Other));
    }
    let (_, flags) = rest.element()?;
    let class = *flags.first().context("an array without flags")?;
    let (_, dimensions) = rest.element()?;
    let dimensions: Vec<usize> = dimensions
        .chunks_exact(4)
        .filter_map(|bytes| Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize))
        .collect();
    let rows = dimensions.first().copied().unwrap_or(0);
    let (_, name) = rest.element()?;
    let name = String::from_utf8_lossy(name).into_owned();
    let array = match class {
        1 => {
            let mut cells = Vec::new();
            while !rest.0.is_empty() {
                let (_, body) = rest.element()?;
                cells.push(matrix(body, depth + 1)?.1);
            }
            Array::Cells { rows, cells }
        }
        2 => record(&mut rest, depth)?,
        4 => Array::Text(text(rest.element()?)),
        6..=15 => Array::Numbers { rows, values: numbers(rest.element()?)? },
        _ => Array::Other,
    };
    Ok((name, array))
}

fn record(rest: &mut Bytes, depth: usize) -> Result<Array> {
    let (_, length) = rest.element()?;
    let length = Bytes(length).u32()? as usize;
    ensure!(length > 0, "a record whose names have no length");
    let (_, names) = rest.element()?;
    let mut members = BTreeMap::new();
    for name in names.chunks(length) {
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let (_, body) = rest.element()?;
        members.insert(String::from_utf8_lossy(name).into_owned(), matrix(body, depth + 1)?.1);
    }
    Ok(Array::Record(members))
}

fn text((kind, data): (u32, &[u8])) -> String {
    // 4: 16 bits each; 17: UTF-16.
    if matches!(kind, 4 | 17) {
        let units: Vec<u16> =
            data.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        return String::from_utf16_lossy(&units);
    }
    String::from_utf8_lossy(data).into_owned()
}

/// Numbers of any storage type.
fn numbers((kind, data): (u32, &[u8])) -> Result<Vec<f64>> {
    fn each<const N: usize>(data: &[u8], read: fn([u8; N]) -> f64) -> Vec<f64> {
        data.chunks_exact(N).filter_map(|bytes| Some(read(bytes.try_into().ok()?))).collect()
    }
    Ok(match kind {
        1 => each::<1>(data, |bytes| f64::from(i8::from_le_bytes(bytes))),
        2 => each::<1>(data, |bytes| f64::from(u8::from_le_bytes(bytes))),
        3 => each::<2>(data, |bytes| f64::from(i16::from_le_bytes(bytes))),
        4 => each::<2>(data, |bytes| f64::from(u16::from_le_bytes(bytes))),
        5 => each::<4>(data, |bytes| f64::from(i32::from_le_bytes(bytes))),
        6 => each::<4>(data, |bytes| f64::from(u32::from_le_bytes(bytes))),
        7 => each::<4>(data, |bytes| f64::from(f32::from_le_bytes(bytes))),
        9 => each::<8>(data, f64::from_le_bytes),
        12 => each::<8>(data, |bytes| i64::from_le_bytes(bytes) as f64),
        13 => each::<8>(data, |bytes| u64::from_le_bytes(bytes) as f64),
        other => bail!("numbers of the unknown type {other}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(kind: u32, data: &[u8]) -> Vec<u8> {
        let mut bytes = [kind.to_le_bytes(), u32::try_from(data.len()).unwrap().to_le_bytes()].concat();
        bytes.extend(data);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    }

    fn array(class: u8, rows: u32, columns: u32, name: &str, content: &[u8]) -> Vec<u8> {
        let flags = element(6, &[class, 0, 0, 0, 0, 0, 0, 0]);
        let dimensions = element(5, &[rows.to_le_bytes(), columns.to_le_bytes()].concat());
        element(MATRIX, &[flags, dimensions, element(1, name.as_bytes()), content.to_vec()].concat())
    }

    fn file(variable: &[u8]) -> Vec<u8> {
        let mut bytes = b"MATLAB 5.0 MAT-file".to_vec();
        bytes.resize(124, b' ');
        bytes.extend([0, 1]);
        bytes.extend(b"IM");
        bytes.extend(variable);
        bytes
    }

    /// A cell with a record of a small array of bytes and a text.
    fn nested() -> Vec<u8> {
        // Three bytes lie in the tag itself.
        let small = [[2, 0, 3, 0], [7, 8, 9, 0]].concat();
        let words: Vec<u8> = "CPU".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let members = [array(9, 1, 3, "", &small), array(4, 1, 3, "", &element(4, &words))].concat();
        let names = element(1, b"data\0\0\0\0name\0\0\0\0");
        let length = [[5, 0, 4, 0], [8, 0, 0, 0]].concat();
        let record = array(2, 1, 1, "", &[length, names, members].concat());
        array(1, 1, 1, "sets", &record)
    }

    #[test]
    fn a_record_in_a_cell_is_read_packed_and_plain() {
        let plain = read(&file(&nested())).unwrap();
        let (rows, cells) = plain["sets"].cells();
        assert_eq!((rows, cells.len()), (1, 1));
        assert_eq!(cells[0].member("data").unwrap().numbers(), [7.0, 8.0, 9.0]);
        assert_eq!(cells[0].member("name").unwrap().text(), "CPU");
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, &nested()).unwrap();
        let packed = encoder.finish().unwrap();
        let length = u32::try_from(packed.len()).unwrap();
        let packed = [&COMPRESSED.to_le_bytes()[..], &length.to_le_bytes(), &packed].concat();
        assert_eq!(read(&file(&packed)).unwrap(), plain);
    }

    #[test]
    fn a_file_cut_anywhere_is_refused_and_never_panics() {
        let whole = file(&nested());
        for end in 0..whole.len() {
            // Without any variable it is a file of none.
            let _ = read(&whole[..end]);
        }
        assert!(read(&whole[..whole.len() - 1]).is_err());
        assert!(read(b"no such thing").is_err());
    }
}
