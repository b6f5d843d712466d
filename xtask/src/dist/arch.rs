//! The architectures that are shipped, and what each kind of package calls them.

use anyhow::{Result, bail};

/// One of them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Arch {
    /// As `uname -m` and rpm have it.
    pub(super) name: &'static str,
    /// As Debian and OCI have it.
    pub(super) debian: &'static str,
    /// Rust's target.
    pub(super) target: &'static str,
    /// How it becomes static.
    pub(super) flags: &'static str,
}

/// A start-up that relocates itself needs 0.6 MB of relocations unless they are packed; glibc 2.36 and later unpacks. With
/// frame pointers the tables that a panic unwinds by say nothing of each push and pop: they take 0.6 MB less.
const X86_64: Arch = Arch {
    name: "x86_64",
    debian: "amd64",
    target: "x86_64-unknown-linux-gnu",
    flags: "-C target-feature=+crt-static -C relocation-model=pie -C force-frame-pointers=yes \
            -C link-arg=-Wl,-z,pack-relative-relocs",
};

/// Rust has no static executable that relocates itself for this target. 64 KiB: what the largest pages of arm64 ask of
/// the segments of a file.
const AARCH64: Arch = Arch {
    name: "aarch64",
    debian: "arm64",
    target: "aarch64-unknown-linux-gnu",
    flags: "-C target-feature=+crt-static -C relocation-model=static -C link-arg=-Wl,-z,max-page-size=65536",
};

/// All of them.
pub(super) const ALL: [&Arch; 2] = [&X86_64, &AARCH64];

/// By its name.
pub(super) fn named(name: &str) -> Result<&'static Arch> {
    match ALL.iter().find(|arch| arch.name == name) {
        Some(arch) => Ok(arch),
        None => bail!("no architecture {name}: x86_64, aarch64"),
    }
}

impl Arch {
    /// The C compiler where the host's own does not do.
    pub(super) fn cross_compiler(&self) -> Option<&'static str> {
        (self.name != std::env::consts::ARCH && self.name == "aarch64").then_some("aarch64-linux-gnu-gcc")
    }
}
