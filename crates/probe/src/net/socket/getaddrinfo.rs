//! `getaddrinfo` of the static executable, for clients of databases that look names up themselves.
//!
//! The linker hands every call to this one (`--wrap=getaddrinfo`, with the cfg `wraps_getaddrinfo`: both are flags of
//! `xtask/src/dist/build.rs`). The host's `getent` finds the addresses of a name; the C library makes its list of them,
//! which loads no module.
#![allow(unsafe_code, reason = "C calls it, and it calls C")]

use super::names::by_services;
use libc::{EAI_AGAIN, EAI_MEMORY, EAI_NONAME, addrinfo, c_char, c_int};
use std::ffi::{CStr, CString};
use std::io::ErrorKind;
use std::ptr;

unsafe extern "C" {
    /// The C library's own, as the linker calls it then.
    fn __real_getaddrinfo(
        node: *const c_char,
        service: *const c_char,
        hints: *const addrinfo,
        list: *mut *mut addrinfo,
    ) -> c_int;
}

/// getaddrinfo(3). `freeaddrinfo` frees each entry of a list by itself, so lists can be joined.
///
/// # Safety
/// As for getaddrinfo(3): strings end with a NUL or are null, `list` can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_getaddrinfo(
    node: *const c_char,
    service: *const c_char,
    hints: *const addrinfo,
    list: *mut *mut addrinfo,
) -> c_int {
    // SAFETY: the caller's promise.
    let host = (!node.is_null()).then(|| unsafe { CStr::from_ptr(node) });
    let Some(found) = host.and_then(|host| host.to_str().ok()).and_then(by_services) else {
        // SAFETY: the caller's promise, passed on.
        return unsafe { __real_getaddrinfo(node, service, hints, list) };
    };
    let addresses = match found {
        Ok(addresses) => addresses,
        Err(error) if error.kind() == ErrorKind::TimedOut => return EAI_AGAIN,
        Err(_) => return EAI_NONAME,
    };
    let (mut first, mut last) = (ptr::null_mut::<addrinfo>(), ptr::null_mut::<addrinfo>());
    let mut problem = EAI_NONAME;
    for address in addresses {
        let Ok(address) = CString::new(address.to_string()) else { return EAI_MEMORY };
        let mut entries = ptr::null_mut();
        // SAFETY: the address ends with a NUL, the rest is the caller's promise.
        let status = unsafe { __real_getaddrinfo(address.as_ptr(), service, hints, &raw mut entries) };
        if status != 0 {
            // Of a family that the caller does not want.
            problem = status;
            continue;
        }
        if entries.is_null() {
            continue;
        }
        if first.is_null() {
            first = entries;
        } else {
            // SAFETY: the last entry of what the C library gave us before.
            unsafe { (*last).ai_next = entries };
        }
        last = entries;
        // SAFETY: a list of the C library ends with a null.
        while let Some(next) = ptr::NonNull::new(unsafe { (*last).ai_next }) {
            last = next.as_ptr();
        }
    }
    if first.is_null() {
        return problem;
    }
    // SAFETY: the caller's promise.
    unsafe { *list = first };
    0
}
