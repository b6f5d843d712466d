//! Cuts a stream of sysstat's JSON into what is before, within and behind each list `statistics`, so that memory does not
//! grow with the file.

use std::io::BufRead;

/// What is before the first element names the host; more is not a report.
const LARGEST_HEADER_BYTES: usize = 1 << 20;
/// One element: all devices and CPUs of one interval.
const LARGEST_ELEMENT_BYTES: usize = 64 << 20;

/// What takes the pieces.
pub(super) trait Pieces {
    /// What is before `"statistics": [`, with it.
    fn header(&mut self, bytes: &[u8]);
    /// One element of the list, and the line that it begins on.
    fn element(&mut self, bytes: &[u8], line: usize);
    /// What is behind the list, to the end of its object.
    fn tail(&mut self, bytes: &[u8]);
}

/// Where a file ended.
pub(super) struct End {
    pub(super) line: usize,
    pub(super) complete: bool,
}

/// Cuts the elements of each `statistics` out of the stream.
pub(super) fn cut(mut reader: impl BufRead, state: &mut impl Pieces) -> std::io::Result<End> {
    let mut cutter = Cutter { line: 1, ..Cutter::default() };
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let length = chunk.len();
        cutter.feed(chunk, state);
        reader.consume(length);
    }
    Ok(End { line: cutter.line, complete: cutter.closed && !cutter.inside })
}

/// Follows strings and brackets; nothing else of JSON matters for cutting.
#[derive(Default)]
struct Cutter {
    /// Header or element so far, where it reaches beyond one chunk.
    kept: Vec<u8>,
    /// Within the list of a `statistics`.
    inside: bool,
    depth: u32,
    string: bool,
    escaped: bool,
    line: usize,
    start_line: usize,
    /// A list has come to its end.
    closed: bool,
    /// The list is done: what follows until its object closes is the host's tail.
    tail: bool,
    /// The host is done: what follows until the next object is nothing.
    between: bool,
}

impl Cutter {
    fn feed(&mut self, mut bytes: &[u8], state: &mut impl Pieces) {
        while !bytes.is_empty() {
            let used = match () {
                () if self.inside => self.in_list(bytes, state),
                () if self.tail => self.in_tail(bytes, state),
                () => self.in_header(bytes, state),
            };
            bytes = &bytes[used..];
        }
    }

    /// Looks for the beginning of a list; returns how many bytes it has taken.
    fn in_header(&mut self, bytes: &[u8], state: &mut impl Pieces) -> usize {
        for (index, &byte) in bytes.iter().enumerate() {
            self.line += usize::from(byte == b'\n');
            if self.between && byte == b'{' {
                self.between = false;
            }
            if self.between || self.kept.len() >= LARGEST_HEADER_BYTES {
                continue;
            }
            self.kept.push(byte);
            if byte == b'[' && ends_with_statistics(&self.kept[..self.kept.len() - 1]) {
                state.header(&self.kept);
                self.kept.clear();
                (self.inside, self.depth, self.string) = (true, 0, false);
                return index + 1;
            }
        }
        bytes.len()
    }

    /// Follows what is behind a list to the end of its object; returns how many bytes it has taken.
    fn in_tail(&mut self, bytes: &[u8], state: &mut impl Pieces) -> usize {
        for (index, &byte) in bytes.iter().enumerate() {
            self.line += usize::from(byte == b'\n');
            if self.kept.len() < LARGEST_HEADER_BYTES {
                self.kept.push(byte);
            }
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.string => self.escaped = true,
                b'"' => self.string = !self.string,
                b'{' | b'[' if !self.string => self.depth += 1,
                b'}' | b']' if !self.string && self.depth > 0 => self.depth -= 1,
                b'}' | b']' if !self.string => {
                    state.tail(&self.kept);
                    self.kept.clear();
                    (self.tail, self.between) = (false, true);
                    return index + 1;
                }
                _ => {}
            }
        }
        bytes.len()
    }

    /// Hands on each element; returns how many bytes it has taken. An element within one chunk is not copied.
    fn in_list(&mut self, bytes: &[u8], state: &mut impl Pieces) -> usize {
        let (mut at, mut from, mut counted) = (0, 0, 0);
        while let Some(next) = self.next_sign(bytes, at) {
            let byte = bytes[next];
            at = next + 1;
            match byte {
                b'"' => self.string = true,
                b'{' | b'[' => {
                    if self.depth == 0 {
                        from = next;
                        self.line += newlines(&bytes[counted..next]);
                        (counted, self.start_line) = (next, self.line);
                    }
                    self.depth += 1;
                }
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        self.element(&bytes[from..at], state);
                    }
                }
                b']' => {
                    (self.inside, self.tail, self.closed) = (false, true, true);
                    self.line += newlines(&bytes[counted..at]);
                    return at;
                }
                _ => {}
            }
        }
        if self.depth > 0 {
            self.keep(&bytes[from..]);
        }
        self.line += newlines(&bytes[counted..]);
        bytes.len()
    }

    /// The next quote or bracket that is outside of strings.
    fn next_sign(&mut self, bytes: &[u8], mut at: usize) -> Option<usize> {
        loop {
            if self.escaped {
                if at >= bytes.len() {
                    return None;
                }
                (self.escaped, at) = (false, at + 1);
            }
            let rest = bytes.get(at..)?;
            if !self.string {
                return rest.iter().position(|&byte| SIGNS[usize::from(byte)]).map(|offset| at + offset);
            }
            at += rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))? + 1;
            match bytes[at - 1] {
                b'"' => self.string = false,
                _ => self.escaped = true,
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LARGEST_ELEMENT_BYTES.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn element(&mut self, last: &[u8], state: &mut impl Pieces) {
        if self.kept.is_empty() {
            state.element(last, self.start_line);
        } else {
            self.keep(last);
            state.element(&self.kept, self.start_line);
            self.kept.clear();
        }
    }
}

/// What ends a stretch of figures.
const SIGNS: [bool; 256] = {
    let mut signs = [false; 256];
    signs[b'"' as usize] = true;
    signs[b'{' as usize] = true;
    signs[b'}' as usize] = true;
    signs[b'[' as usize] = true;
    signs[b']' as usize] = true;
    signs
};

fn newlines(bytes: &[u8]) -> usize {
    bytes.iter().map(|&byte| usize::from(byte == b'\n')).sum()
}

fn ends_with_statistics(header: &[u8]) -> bool {
    let trimmed = header.trim_ascii_end();
    trimmed.strip_suffix(b":").is_some_and(|rest| rest.trim_ascii_end().ends_with(b"\"statistics\""))
}
