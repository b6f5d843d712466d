//! Memory that direct I/O takes: page-aligned, and in huge pages where a request would otherwise be cut at every
//! page that is not contiguous with the one before.
#![allow(unsafe_code, reason = "only anonymous mappings have the required alignment and page size")]

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
use std::ffi::c_void;
use std::io;
use std::ptr::NonNull;

/// Huge page of x86-64 and of arm64 with 4 KiB pages. With pages of 16 KiB it is 32 MiB and with 64 KiB 512 MiB (a table
/// of pages that fills one page): too much for a buffer, and such pages are large enough themselves.
const HUGE: usize = 2 << 20;
/// From this block size on, contiguous memory changes how many requests the device sees.
const HUGE_FROM_BLOCK: usize = 128 << 10;

/// Equal slots in one mapping.
#[derive(Debug)]
pub(crate) struct Buffers {
    map: NonNull<c_void>,
    map_bytes: usize,
    base: NonNull<u8>,
    stride: usize,
    block: usize,
    count: usize,
    huge: bool,
}

// SAFETY: the mapping belongs to this value alone; moving it to another thread moves the only way to reach it.
unsafe impl Send for Buffers {}

impl Buffers {
    /// `count` slots of `block` bytes, all pages present.
    pub(crate) fn new(count: usize, block: usize) -> io::Result<Self> {
        // A page is 4, 16 or 64 KiB; no device asks for more alignment than the smallest.
        let page = rustix::param::page_size();
        let stride = block.max(1).next_multiple_of(page);
        let bytes = stride.checked_mul(count.max(1)).ok_or(io::ErrorKind::OutOfMemory)?;
        let wants_huge = block >= HUGE_FROM_BLOCK && page == 4096;
        let align = if wants_huge { HUGE } else { page };
        let map_bytes = bytes.checked_add(align).ok_or(io::ErrorKind::OutOfMemory)?.next_multiple_of(align);
        // SAFETY: a new private mapping at an address that the kernel chooses overlaps nothing.
        let map = unsafe {
            mmap_anonymous(
                std::ptr::null_mut(),
                map_bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE | MapFlags::NORESERVE,
            )
        }?;
        let map = NonNull::new(map).ok_or(io::ErrorKind::OutOfMemory)?;
        let skip = map.as_ptr().cast::<u8>().align_offset(align);
        // SAFETY: `skip` is below `align`, and the mapping is `align` bytes longer than the slots.
        let base = unsafe { map.cast::<u8>().add(skip) };
        // SAFETY: base and length are within the mapping; the advice changes no content.
        let huge = wants_huge
            && unsafe {
                madvise(
                    base.as_ptr().cast(),
                    bytes.next_multiple_of(align).min(map_bytes - skip),
                    Advice::LinuxHugepage,
                )
            }
            .is_ok();
        let mut buffers = Self { map, map_bytes, base, stride, block, count: count.max(1), huge };
        for slot in 0..buffers.count {
            buffers.slot(slot).fill(0);
        }
        Ok(buffers)
    }

    /// One slot. Only for a slot that no I/O in flight uses.
    pub(crate) fn slot(&mut self, slot: usize) -> &mut [u8] {
        assert!(slot < self.count);
        // SAFETY: the slot is within the mapping; `&mut self` makes this the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr().add(slot * self.stride), self.block) }
    }

    /// Where a slot begins.
    pub(crate) fn address(&self, slot: usize) -> *mut u8 {
        assert!(slot < self.count);
        self.base.as_ptr().wrapping_add(slot * self.stride)
    }

    /// All slots as one piece, for registration with the kernel.
    pub(crate) fn whole(&self) -> libc::iovec {
        libc::iovec { iov_base: self.base.as_ptr().cast(), iov_len: self.stride * self.count }
    }

    /// The kernel was asked for huge pages and did not refuse.
    pub(crate) fn huge(&self) -> bool {
        self.huge
    }

    /// Never unmaps: the kernel may still write here.
    pub(crate) fn leak(&mut self) {
        self.map_bytes = 0;
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        if self.map_bytes > 0 {
            // SAFETY: the mapping was made by `new` with this length and no slice of it outlives `self`.
            let unmapped = unsafe { munmap(self.map.as_ptr(), self.map_bytes) };
            debug_assert!(unmapped.is_ok());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_aligned_and_apart() {
        let page = rustix::param::page_size();
        let large = if page == 4096 { HUGE } else { page };
        for (count, block, align) in
            [(1, 512, page), (5, 8192, page), (3, 1 << 20, page), (2, 4 << 20, large)]
        {
            let mut buffers = Buffers::new(count, block).expect("memory");
            for slot in 0..count {
                assert_eq!(buffers.address(slot).align_offset(align), 0, "{count} x {block}, slot {slot}");
                buffers.slot(slot).fill(u8::try_from(slot).expect("small") + 1);
            }
            for slot in 0..count {
                let expected = u8::try_from(slot).expect("small") + 1;
                assert!(buffers.slot(slot).iter().all(|byte| *byte == expected));
            }
            assert!(block >= HUGE_FROM_BLOCK || !buffers.huge());
        }
    }
}
