//! The busiest threads: a process may show 0 % of CPU while its threads burn, and a thread that waits for a
//! device says more than any load average.

use super::Table;
use crate::format;
use fullwire_model::counters::{ProcessIo, ThreadCounters};
use fullwire_model::{Run, Window};

/// Rows that are drawn; the rest is in the JSON.
const MOST: usize = 12;

/// Less CPU than this is no work.
const LEAST_SHARE: f64 = 0.005;

/// The busiest threads of the span without load; `None` where none worked or waited for a device.
pub(super) fn threads(run: &Run) -> Option<Table> {
    let window = run.idle().filter(|window| window.seconds() > 0.0)?;
    let columns = ["process", "#pid", "thread", "#tid", "state", "#CPU", "waits in"];
    let mut table =
        Table::new(format!("Busiest threads, over {}", format::duration(window.seconds())), &columns);
    let worth = |thread: &&ThreadCounters| thread.state == "D" || share(window, thread) >= LEAST_SHARE;
    table.rows =
        window.to.threads.iter().filter(worth).take(MOST).map(|thread| row(window, thread)).collect();
    (!table.rows.is_empty()).then_some(table)
}

/// Fewer are no load of any device, bytes a second.
const FELT_BYTES_PER_S: f64 = 1e5;

/// Who read and wrote storage in that span; `None` where nobody did, or only root could tell.
pub(super) fn processes(run: &Run) -> Option<Table> {
    let window = run.idle().filter(|window| window.seconds() > 0.0)?;
    let columns = ["process", "#pid", "#read", "#written", "on"];
    let mut table = Table::new(
        format!("Who reads and writes storage, over {}", format::duration(window.seconds())),
        &columns,
    );
    let felt = |process: &&ProcessIo| {
        let bytes = process.recent_read_bytes.saturating_add(process.recent_write_bytes);
        process.over_ns > 0 && bytes as f64 >= FELT_BYTES_PER_S * (process.over_ns as f64 / 1e9)
    };
    let moved = window.to.processes.iter().filter(felt).take(MOST);
    table.rows = moved
        .map(|process| {
            let rate = |bytes: u64| format::rate(bytes as f64 / (process.over_ns as f64 / 1e9));
            vec![
                process.name.clone(),
                process.pid.to_string(),
                rate(process.recent_read_bytes),
                rate(process.recent_write_bytes),
                process.mounts.join(" "),
            ]
        })
        .collect();
    (!table.rows.is_empty()).then_some(table)
}

fn share(window: &Window, thread: &ThreadCounters) -> f64 {
    thread.recent_ns as f64 / 1e9 / window.seconds()
}

fn row(window: &Window, thread: &ThreadCounters) -> Vec<String> {
    vec![
        thread.process.clone(),
        thread.pid.to_string(),
        thread.name.clone(),
        thread.tid.to_string(),
        thread.state.clone(),
        format::percent(share(window, thread)),
        thread.wait_channel.clone(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::counters::Counters;

    #[test]
    fn threads_that_burn_or_wait_for_a_device_are_shown() {
        let thread = |name: &str, state: &str, recent_ns| ThreadCounters {
            name: name.into(),
            state: state.into(),
            recent_ns,
            ..ThreadCounters::default()
        };
        let threads =
            vec![thread("burner", "R", 1_900_000_000), thread("sleeper", "S", 0), thread("writer", "D", 0)];
        let to = Counters { monotonic_ns: 2_000_000_000, threads, ..Counters::default() };
        let run = Run { windows: vec![Window { to, ..Window::default() }], ..Run::default() };
        let table = super::threads(&run).expect("two of them");
        let shown: Vec<&str> = table.rows.iter().map(|row| row[2].as_str()).collect();
        assert_eq!(shown, ["burner", "writer"]);
        assert_eq!(table.rows[0][5], format::percent(0.95));
    }
}
