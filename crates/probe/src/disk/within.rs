//! A call that may hang (a dead NFS server, a queue without paths) is made on a thread of its own and given up in time.

use super::DiskError;
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
        // The receiver may have given up: then nobody wants the answer.
        let _ = sender.send(work());
    });
    spawned.map_err(|error| DiskError::io("start a thread for", target, error))?;
    receiver.recv_timeout(limit).map_err(|_| DiskError::NoAnswer {
        target: target.to_owned(),
        action: action.to_owned(),
        seconds: limit.as_secs_f64(),
    })
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
