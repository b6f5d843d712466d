//! A target that does nothing: what the generator itself can do.

use crate::disk::engine::queue::{Request, Ring};
use std::io;

/// Completes immediately.
#[derive(Debug, Default)]
pub(crate) struct NullRing {
    pushed: Vec<(u32, i32)>,
    memory: Vec<u8>,
    block: i32,
}

impl NullRing {
    /// Blocks of this size.
    pub(crate) fn new(block: usize) -> Self {
        Self { pushed: Vec::new(), memory: vec![0; block], block: i32::try_from(block).unwrap_or(i32::MAX) }
    }
}

impl Ring for NullRing {
    fn memory(&mut self, _slot: u32) -> &mut [u8] {
        &mut self.memory
    }

    fn push(&mut self, slot: u32, request: Request) {
        let result = if matches!(request, Request::Flush(_)) { 0 } else { self.block };
        self.pushed.push((slot, result));
    }

    fn submit(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn submit_and_wait(&mut self, _limit_ns: Option<u64>) -> io::Result<()> {
        Ok(())
    }

    fn reap(&mut self, into: &mut Vec<(u32, i32)>) {
        into.append(&mut self.pushed);
    }
}
