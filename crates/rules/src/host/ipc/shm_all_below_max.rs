rule! {
    /// # What it checks
    /// Passes when `kernel.shmall` pages are at least `kernel.shmmax` bytes, or all of the host's memory: no larger segment
    /// could be used. (Oracle's preinstall package sets a shmmax of 4 TiB on any host.)
    /// # Why it matters
    /// The two contradict each other: who reads shmmax believes in a segment that shmall refuses.
    /// # Evidence
    /// Both settings and the page size.
    /// # Remedy
    /// `kernel.shmall` = `kernel.shmmax` / page size.
    /// # Source
    /// Oracle Database installation guide 23ai for Linux, minimum parameter settings (shmall at least shmmax in
    /// pages); SUSE saptune note 941735.
    code: "shmall-below-shmmax",
    title: "shmall is too low for one segment of the largest size",
    layer: Host, severity: Warning, on: [Setting],

    /// As good as unlimited: not set on purpose.
    const UNLIMITED_BYTES: u64 = 1 << 46;
}

fn check(run: &Facts) -> Vec<Outcome> {
    let (ipc, page) = (&run.host.ipc, run.host.os.page_bytes);
    let (Some(most), Some(all), true) = (ipc.shmmax_bytes, ipc.shmall_pages, page > 0) else {
        return vec![facts::unread("kernel.shmmax, kernel.shmall or the page size")];
    };
    let limit = u128::from(all) * u128::from(page);
    let memory = run.host.memory.total_bytes.unwrap_or(u64::MAX);
    if most >= UNLIMITED_BYTES || limit >= u128::from(most.min(memory)) {
        return vec![Outcome::Passes];
    }
    // What is to run here does not fit already: that is said once, where the total is judged.
    if super::shm_all::is_short(run) {
        return vec![Outcome::Passes];
    }
    let pages = most.div_ceil(page);
    vec![
        finding!(
            Kind::Setting.named("kernel.shmall"),
            "kernel.shmall allows {} in all, kernel.shmmax {} for one segment: set shmall to {pages} pages",
            super::shm_all::size(limit),
            facts::size(most),
        )
        .severity(facts::hygiene(run))
        .measured(limit as f64, most as f64, Unit::Bytes)
        .evidence(format!("shmall {all} pages of {page}, shmmax {most}"), "/proc/sys/kernel")
        .advice(set_sysctl(
            &run.host,
            "kernel.shmall",
            &pages.to_string(),
            "The total must hold at least one segment of the largest size.",
            "a segment of shmmax can be created",
        ))
        .into(),
    ]
}
