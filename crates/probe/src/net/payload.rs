//! What is sent: one block in huge pages, made once and shared by all lanes.

use super::NetError;
use fullwire_model::net::Payload;
use memmap2::{Advice, MmapMut};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::Read as _;
use std::sync::{Arc, OnceLock};

/// A block's size. Messages that are longer repeat it.
pub(crate) const BLOCK_BYTES: usize = 1024 * 1024;

/// A huge page on the architectures that databases run on.
const HUGE_PAGE_BYTES: usize = 2 * 1024 * 1024;

/// Bytes to send, [`BLOCK_BYTES`] of them.
pub(crate) struct Block {
    memory: MmapMut,
    start: usize,
}

impl Block {
    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + BLOCK_BYTES]
    }
}

/// The block that a plan asks for.
pub(crate) fn block(payload: &Payload) -> Result<Arc<Block>, NetError> {
    static RANDOM: OnceLock<Arc<Block>> = OnceLock::new();
    static ZERO: OnceLock<Arc<Block>> = OnceLock::new();
    let once = |kept: &OnceLock<Arc<Block>>, fill: fn(&mut [u8]) -> Result<(), NetError>| {
        if let Some(block) = kept.get() {
            return Ok(block.clone());
        }
        let made = Arc::new(filled(fill)?);
        Ok(kept.get_or_init(|| made).clone())
    };
    match payload {
        Payload::Random => once(&RANDOM, random),
        Payload::Zero => once(&ZERO, |bytes| {
            bytes.fill(0);
            Ok(())
        }),
        Payload::File(path) => filled(|bytes| from_file(path, bytes)).map(Arc::new),
    }
}

/// A token, or any other number not to be guessed. Kernels before 3.17 have no system call for it; `/dev/urandom` is read then.
pub(crate) fn random(bytes: &mut [u8]) -> Result<(), NetError> {
    getrandom::fill(bytes).map_err(|error| {
        NetError::local("get random bytes from the kernel", std::io::Error::other(error.to_string()))
    })
}

/// Memory to receive into that is never touched: `MSG_TRUNC` leaves the bytes in the kernel.
pub(crate) fn untouched(bytes: usize) -> Result<MmapMut, NetError> {
    MmapMut::map_anon(bytes).map_err(|error| NetError::local("map a receive buffer", error))
}

/// A block within one huge page. Where the kernel gives none, small pages do, only slower.
fn filled(fill: impl FnOnce(&mut [u8]) -> Result<(), NetError>) -> Result<Block, NetError> {
    let mut memory = MmapMut::map_anon(2 * HUGE_PAGE_BYTES)
        .map_err(|error| NetError::local("map a send buffer", error))?;
    let start = memory.as_ptr().align_offset(HUGE_PAGE_BYTES);
    let _ = memory.advise_range(Advice::HugePage, start, HUGE_PAGE_BYTES);
    fill(&mut memory[start..start + BLOCK_BYTES])?;
    Ok(Block { memory, start })
}

/// A regular file's beginning, repeated when it is short. Opening a device or a FIFO has effects, or waits.
fn from_file(path: &str, bytes: &mut [u8]) -> Result<(), NetError> {
    let unreadable = |error| NetError::local(format!("read the payload file {path}"), error);
    let mut content = Vec::new();
    let meta = std::fs::metadata(path).map_err(unreadable)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let open = || -> std::io::Result<Option<File>> {
        if !meta.is_file() {
            return Ok(None);
        }
        let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
        // It may have been replaced meanwhile.
        Ok(file.metadata()?.is_file().then_some(file))
    };
    let Some(file) = open().map_err(unreadable)? else {
        return Err(NetError::Plan(format!("the payload {path} is not a regular file")));
    };
    file.take(BLOCK_BYTES as u64).read_to_end(&mut content).map_err(unreadable)?;
    if content.is_empty() {
        return Err(NetError::Plan(format!("the payload file {path} is empty")));
    }
    for piece in bytes.chunks_mut(content.len()) {
        piece.copy_from_slice(&content[..piece.len()]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_file_is_repeated_and_an_empty_one_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p");
        std::fs::write(&path, b"abc").unwrap();
        let block = block(&Payload::File(path.display().to_string())).unwrap();
        assert_eq!(&block.bytes()[..7], b"abcabca");
        assert_eq!(block.bytes().len(), BLOCK_BYTES);
        std::fs::write(&path, b"").unwrap();
        assert!(super::block(&Payload::File(path.display().to_string())).is_err());
        for device in ["/dev/zero", "/dev", ""] {
            assert!(super::block(&Payload::File(device.into())).is_err(), "{device}");
        }
    }

    #[test]
    fn the_random_block_is_made_once_and_does_not_repeat_within() {
        let first = block(&Payload::Random).unwrap();
        assert!(Arc::ptr_eq(&first, &block(&Payload::Random).unwrap()));
        let (head, tail) = first.bytes().split_at(BLOCK_BYTES / 2);
        assert_ne!(head, tail);
    }
}
