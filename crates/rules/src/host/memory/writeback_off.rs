rule! {
    /// # What it checks
    /// Passes when `vm.dirty_writeback_centisecs` is not 0.
    /// # Why it matters
    /// At 0 the flusher threads never wake up by themselves: dirty pages gather until `dirty_background_ratio` is
    /// reached, and then go out in one burst that every other I/O waits behind.
    /// # Evidence
    /// `/proc/sys/vm/dirty_writeback_centisecs`.
    /// # Remedy
    /// `sysctl -w vm.dirty_writeback_centisecs=500`, the kernel's default.
    /// # Source
    /// Linux Documentation/admin-guide/sysctl/vm.rst, `dirty_writeback_centisecs` (zero: no periodic writeback at
    /// all).
    code: "writeback-off",
    title: "the kernel does not write back dirty pages by itself",
    layer: Host, severity: Warning, on: [Setting],
    setting: {
        name: "vm.dirty_writeback_centisecs",
        wanted: "500",
        says: "buffered writes stay in memory until a limit forces them out",
        why: "A crash loses all of it, and a checkpoint has to write all of it.",
        expect: "dirty pages are written within half a minute",
        judge: |run, _, numbers| (numbers[0] == 0).then(|| facts::hygiene(run)),
    },
}
