//! A call that may hang (a dead NFS server, a queue without paths) is made on its own thread and given up in time.

pub(crate) mod touch;

use crate::disk::DiskError;
use std::sync::mpsc;
use std::time::Duration;

/// Long enough for a slow array's failover to begin, short enough for a person who waits.
pub(crate) const ANSWER: Duration = Duration::from_secs(15);

/// Does `work`; an answer that takes longer than `limit` is an error, and the thread is left to its fate.
pub(crate) fn within<T: Send + 'static>(
    limit: Duration,
    target: &str,
    action: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, DiskError> {
    let (sender, receiver) = mpsc::channel();
    let spawned = std::thread::Builder::new().name("disk-call".into()).spawn(move || {
        // The receiver may have given up: then no one wants the answer.
        let _ = sender.send(work());
    });
    spawned.map_err(|error| DiskError::io("start a thread for", target, error))?;
    receiver.recv_timeout(limit).map_err(|_| no_answer(target, action, limit, std::process::id()))
}

/// A call of this process, which is asked now, still hangs.
pub fn no_answer(target: &str, action: &str, waited: Duration, pid: u32) -> DiskError {
    DiskError::NoAnswer {
        target: target.to_owned(),
        action: action.to_owned(),
        seconds: waited.as_secs_f64(),
        wait_channel: wait_channel(pid),
    }
}

/// The kernel function in which a thread of this process sleeps uninterruptibly (proc(5), `/proc/PID/wchan`); empty where
/// none does or the kernel does not tell.
fn wait_channel(pid: u32) -> String {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let asleep = threads.map(|thread| thread.path()).filter(|thread| {
        let stat = std::fs::read_to_string(thread.join("stat")).unwrap_or_default();
        // The name before the state is in parentheses and may hold some itself.
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('D'))
    });
    let functions = asleep.filter_map(|thread| std::fs::read_to_string(thread.join("wchan")).ok());
    functions
        .map(|name| name.trim().to_owned())
        .find(|name| !matches!(name.as_str(), "" | "0"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hangs_is_given_up() {
        let (keep, hang) = mpsc::channel::<()>();
        let outcome = within(Duration::from_millis(20), "x", "wait", move || hang.recv());
        assert!(matches!(outcome, Err(DiskError::NoAnswer { .. })), "{outcome:?}");
        drop(keep);
        assert_eq!(within(ANSWER, "x", "add", || 1 + 1).expect("answers"), 2);
    }
}
