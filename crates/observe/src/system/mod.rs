//! Kernel, processors, memory, processes and what they are limited by.

mod cgroup;
mod chrony;
mod clock;
mod cpu;
pub(crate) mod database;
mod interrupts;
mod ipc;
mod login_limits;
mod management;
mod memory;
mod os;
mod process;
mod process_io;
mod process_stat;
mod ps;
mod stat;
mod sysctl;
mod sysctl_files;
mod threads;
mod uptime;

pub(crate) use cgroup::{cpu_quota, memory_room};
pub(crate) use interrupts::Lines as InterruptLines;
pub use os::this_machine;
pub(crate) use process::is_elsewhere;
pub use threads::CpuTimes;
pub(crate) use uptime::uptime_ns;

use crate::{CountersAsk, Root};
use fullwire_model::counters::{Counters, ProcessIo, ThreadCounters};
use fullwire_model::host::Host;

/// Reads settings. Processes come before what is recognised by them, sysctls before what is derived from them.
pub(crate) fn read_host(root: &Root, host: &mut Host) {
    sysctl::read(root, host);
    let persisted = sysctl_files::read(root);
    host.sysctl_files = persisted.lines;
    host.sysctl_persisted = persisted.values;
    host.sysctl_ignored = sysctl_files::ignored(root);
    os::read(root, host);
    cpu::read(root, host);
    memory::read(root, host);
    let processes = process::all(root, &mut host.gaps);
    ipc::read(root, &processes, host);
    clock::read(root, &processes, host);
    database::read(root, &processes, host);
    host.processes = process::chosen(root, &processes, &host.databases);
    host.tuned_profile = tuned_profile(root);
    management::read(root, &processes, host);
    host.cgroups = cgroup::limits(root, &host.databases, &mut host.gaps);
}

/// Reads counters.
pub(crate) fn read_counters(root: &Root, ask: &CountersAsk, counters: &mut Counters) {
    read_rates(root, ask, counters);
    read_errors(root, counters);
    read_interrupts(root, counters);
    read_idle_states(root, counters);
    if ask.threads > 0 {
        counters.threads = busiest_threads(root, ask);
        counters.processes = busiest_io(root, ask);
    }
}

/// Reads CPU time, memory, pressure, control groups.
pub(crate) fn read_rates(root: &Root, ask: &CountersAsk, counters: &mut Counters) {
    stat::read(root, counters);
    memory::read_levels(root, counters);
    counters.cgroups = cgroup::counters(root, &ask.cgroups, &mut counters.gaps);
}

/// Reads errors of memory and heat: files of each CPU and controller.
pub(crate) fn read_errors(root: &Root, counters: &mut Counters) {
    memory::read_errors(root, counters);
}

/// Reads interrupts: a column for each CPU.
pub(crate) fn read_interrupts(root: &Root, counters: &mut Counters) {
    interrupts::read_counters(root, counters);
}

/// Reads how often the CPUs went to sleep: a file for each CPU and state.
pub(crate) fn read_idle_states(root: &Root, counters: &mut Counters) {
    cpu::read_idle_counters(root, counters);
}

/// The busiest threads: a look at every process.
pub(crate) fn busiest_threads(root: &Root, ask: &CountersAsk) -> Vec<ThreadCounters> {
    threads::busiest(root, ask)
}

/// The processes that read and wrote most since the asker looked last.
pub(crate) fn busiest_io(root: &Root, ask: &CountersAsk) -> Vec<ProcessIo> {
    ask.busy_since.as_ref().map_or_else(Vec::new, |since| process_io::busiest(root, &since.io, since.read_ns))
}

/// The active profile of tuned; a captured tree may have what `tuned-adm active` printed alone.
fn tuned_profile(root: &Root) -> Option<String> {
    let told = || {
        let text = root.attribute("/sos_commands/tuned/tuned-adm_active")?;
        text.lines()
            .find_map(|line| line.strip_prefix("Current active profile:").map(|name| name.trim().to_owned()))
    };
    root.attribute("/etc/tuned/active_profile").or_else(told).filter(|profile| !profile.is_empty())
}
