rule! {
    /// # What it checks
    /// Passes when memory of all TCP sockets stays below 80 % of the pressure mark, and the kernel did not enter memory
    /// pressure. A host that was under pressure for a moment lost nothing: that is a note.
    /// Counters that were read once are judged by what they came to since boot, as a mean over that time.
    /// # Why it matters
    /// Under pressure the kernel shrinks every window and prunes queues: all streams of the host slow down together.
    /// # Evidence
    /// `/proc/net/sockstat` (TCP mem, pages) against `net.ipv4.tcp_mem`; growth of `TcpExtTCPMemoryPressures`,
    /// `TcpExtTCPMemoryPressuresChrono` (milliseconds under pressure, kernel 4.13), `TcpExtPruneCalled` and
    /// `TcpExtTCPRcvQDrop`.
    /// # Remedy
    /// Raise `net.ipv4.tcp_mem`; look for sockets whose programs do not read (`ss -tm`).
    /// # Source
    /// Linux Documentation/networking/ip-sysctl.rst, `tcp_mem` (min, pressure, max in pages); netdata health.d
    /// `tcp_mem` (80 %).
    code: "tcp-memory-pressure",
    title: "TCP runs out of memory",
    layer: Network, severity: Warning, on: [Setting], limits: [SocketMemory],

    /// Of the limit at which the kernel begins to cut buffers (own choice).
    const NEARLY: f64 = 0.8;
    /// Fewer cuts of a receive queue are an accident.
    const PRUNED: u64 = 10;
    /// Under pressure for this share of the time, streams feel it (own choice).
    const LASTING: f64 = 0.05;
    /// Times an hour, on average since boot, from which pressure is mentioned (own choice).
    const FEW_SINCE_BOOT: u64 = 1;
}

const NAME: &str = "net.ipv4.tcp_mem";
/// The pressure mark of the whole host is below what a single connection may buffer (`tcp_rmem`): the kernel then
/// throws away what has arrived. Without the size of a page the mark says nothing.
fn is_below_one_window(host: &Host) -> bool {
    let mark = host.sysctl_numbers(NAME).and_then(|marks| marks.get(1).copied());
    let window = host.sysctl_numbers("net.ipv4.tcp_rmem").and_then(|sizes| sizes.get(2).copied());
    let page = host.os.page_bytes;
    matches!((mark, window), (Some(pages), Some(bytes)) if page > 0 && pages.saturating_mul(page) < bytes)
}

/// What the kernel sets at boot, pages: a sixteenth of memory is the pressure mark (`tcp_init_mem`, net/ipv4/tcp.c).
fn kernel_default(host: &Host) -> Option<[u64; 3]> {
    let pages = host.memory.total_bytes?.checked_div(host.os.page_bytes)?;
    let mark = (pages / 16).max(128);
    Some([mark / 4 * 3, mark, mark / 4 * 6])
}

fn check(run: &Facts) -> Vec<Outcome> {
    let sides = side::sides(run);
    let judged = sides.iter().filter_map(|side| {
        let marks = side.host.sysctl_numbers(NAME).filter(|marks| marks.len() == 3);
        let used = side.windows.iter().filter_map(|window| window.to.tcp_mem_pages).max();
        match (marks, used) {
            (Some(marks), Some(used)) => Some(judge(run, side, &marks, used)),
            _ if side.peer.is_none() => {
                Some(unknown!("{NAME} or the memory of TCP sockets could not be read"))
            }
            _ => None,
        }
    });
    judged.collect()
}

fn judge(run: &Run, side: &side::Side, marks: &[u64], used: u64) -> Outcome {
    let counted = |name: &str| side.counted(|counters| counters.snmp.get(name).copied());
    let grown = |name: &str| counted(name).map_or(0, |grown| grown.count);
    // What happened once in months is no news.
    let span = side.since_boot().unwrap_or_default();
    let of_note = |count: u64| if !span.is_total() || span.has(count, FEW_SINCE_BOOT) { count } else { 0 };
    let entered = of_note(grown("TcpExtTCPMemoryPressures"));
    let pruned = grown("TcpExtPruneCalled").saturating_add(grown("TcpExtTCPRcvQDrop"));
    let share = used as f64 / marks[1].max(1) as f64;
    // Below the first mark the kernel leaves the pressure again, not before.
    let short = (span.has(pruned, PRUNED) || used >= marks[0]) && is_below_one_window(side.host);
    if share < NEARLY && entered == 0 && !short {
        if side.is_read_once() && side.since_boot().is_none() {
            return unknown!("how often TCP ran short of memory was not read over a window");
        }
        return Outcome::Passes;
    }
    // A mark that is far below the kernel's own is set back to that.
    let least = kernel_default(side.host).unwrap_or_default();
    let wanted: Vec<String> =
        marks.iter().zip(least).map(|(pages, least)| (pages * 4).max(least).to_string()).collect();
    // The kernel counts the time when the pressure ends; whoever is above the mark all the time does not enter it again.
    let lasting =
        counted("TcpExtTCPMemoryPressuresChrono").map(|grown| grown.count as f64 / 1e3 / grown.seconds);
    let lasts = lasting.map_or(span.has(entered, PRUNED), |share| share >= LASTING);
    let felt = lasts || short || share >= 1.0;
    let finding = finding!(
        side.subject(Kind::Setting, NAME),
        "TCP sockets use {used} pages, {:.0} % of the pressure mark {} of {NAME}; pressure was entered {}, receive queues were cut {}{}", share * 100.0, marks[1], words::times(entered), words::times(pruned), if span.is_total() { " since boot" } else { "" },
    )
        .severity(if felt || share >= NEARLY { Severity::Warning } else { Severity::Info })
        .measured(share, NEARLY, Unit::Ratio)
        .evidence(format!("TCP mem {used} pages, {NAME} = {}, {}", words::numbers(marks), span.count("TCPMemoryPressures", entered)), side.source("/proc/net/sockstat"))
        .advice(set_sysctl(
            side.host,
            NAME,
            &wanted.join(" "),
            "Under pressure every window of the host shrinks.",
            "below 80 % at the busiest time; TCPMemoryPressures no longer grows",
        ).on(side.peer));
    let own = run
        .net
        .iter()
        .filter(|result| !result.path.loopback && side.peer.is_none_or(|peer| *peer == result.target));
    finding
        .explains(own.filter(|_| felt).map(|one| explain::result(run, one, Mechanism::SocketMemory)))
        .into()
}
