//! A stream from a PostgreSQL server that ends before a password would be told to whoever listens there.
//!
//! Without TLS anyone who is on the way may pose as the server and ask for the password in clear, or hashed by MD5, which
//! is as good as clear; on loopback so may any user of this host while the server is down. SCRAM proves knowledge of the password without telling it, and makes the server prove it too.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Authentication requests of the protocol, by the number that follows `R` and the length (PostgreSQL documentation,
/// "Message Formats").
const OK: u32 = 0;
const CLEARTEXT: u32 = 3;
const MD5: u32 = 5;

/// Looks at each message until the server has let the client in.
#[derive(Debug, Default)]
struct Watch {
    /// The current message's first bytes: type, length, and the number of an authentication request.
    head: Vec<u8>,
    /// Bytes of it that are still to come, and do not matter.
    rest: u64,
    done: bool,
}

const HEAD_BYTES: usize = 5;
const REQUEST_BYTES: usize = 9;

impl Watch {
    /// False when these bytes ask for the password.
    fn allows(&mut self, bytes: &[u8]) -> bool {
        for &byte in bytes {
            if self.done {
                return true;
            }
            if self.rest > 0 {
                self.rest -= 1;
                continue;
            }
            self.head.push(byte);
            let number = |at: usize| {
                let field = self.head.get(at..at + 4).and_then(|field| field.try_into().ok());
                field.map(u32::from_be_bytes)
            };
            match (self.head[0], number(1), number(HEAD_BYTES)) {
                (b'R', Some(_), Some(CLEARTEXT | MD5)) => return false,
                (b'R', Some(_), Some(OK)) => self.done = true,
                (b'R', Some(length), Some(_)) => self.skip(length, REQUEST_BYTES),
                (b'R', Some(length), None) if length < 8 => self.skip(length, HEAD_BYTES),
                (kind, Some(length), None) if kind != b'R' => self.skip(length, HEAD_BYTES),
                _ => {}
            }
        }
        true
    }

    /// The message has `length` bytes after its type; this many of all have been seen.
    fn skip(&mut self, length: u32, seen: usize) {
        self.rest = (u64::from(length) + 1).saturating_sub(seen as u64);
        self.head.clear();
    }
}

/// A stream that is cut when the server asks for the password, or answers without end.
pub(super) struct Guarded<S> {
    stream: S,
    /// `None`: it is known who is at the other end.
    watch: Option<Watch>,
    /// Bytes since we last said something.
    answered: usize,
}

/// An answer has no more bytes; a list of a store has 64 MiB. The client holds a message until it is whole, and how long it is
/// is the server's word.
pub(super) const ANSWER_BYTES: usize = 256 << 20;

impl<S> Guarded<S> {
    /// `trusted`: the server was verified, by its certificate or by whose socket it is.
    pub(super) fn new(stream: S, trusted: bool) -> Self {
        Self { stream, watch: (!trusted).then(Watch::default), answered: 0 }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guarded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, into))?;
        let allowed = self.watch.as_mut().is_none_or(|watch| watch.allows(&into.filled()[before..]));
        self.answered = self.answered.saturating_add(into.filled().len() - before);
        let refused = match (allowed, self.answered > ANSWER_BYTES) {
            (true, false) => return Poll::Ready(Ok(())),
            (false, _) => io::Error::new(io::ErrorKind::PermissionDenied, REFUSED),
            (true, true) => io::Error::new(io::ErrorKind::InvalidData, ENDLESS),
        };
        into.set_filled(before);
        Poll::Ready(Err(refused))
    }
}

/// Why the connection ended, and what to do.
pub(super) const REFUSED: &str = "the server asks for the password in clear text or as MD5, which whoever listens there could read: use scram-sha-256 in its pg_hba.conf, TLS with a certificate that is known here, or its Unix socket (postgres://USER@%2Fvar%2Frun%2Fpostgresql/DATABASE)";

/// Why the connection ended.
const ENDLESS: &str = "the server's answer is longer than any to what was asked";

impl<S: AsyncWrite + Unpin> AsyncWrite for Guarded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.answered = 0;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETER: &[u8] = b"S\0\0\0\x09a\0b\0\0";
    const SCRAM: &[u8] = b"R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0";
    const LET_IN: &[u8] = b"R\0\0\0\x08\0\0\0\0";
    const IN_CLEAR: &[u8] = b"R\0\0\0\x08\0\0\0\x03";
    const BY_MD5: &[u8] = b"R\0\0\0\x0c\0\0\0\x05salt";

    /// However the bytes are cut into reads.
    fn allows(messages: &[&[u8]]) -> bool {
        let bytes = messages.concat();
        let answers = [1, 2, 3, 7, 1000].map(|size| {
            let mut watch = Watch::default();
            bytes.chunks(size).all(|part| watch.allows(part))
        });
        assert!(answers.iter().all(|&answer| answer == answers[0]), "{answers:?}");
        answers[0]
    }

    #[test]
    fn a_password_is_not_sent_whatever_stands_before_the_question() {
        assert!(allows(&[SCRAM, LET_IN, PARAMETER]));
        assert!(allows(&[LET_IN, PARAMETER, IN_CLEAR]), "what comes after is no authentication");
        for question in [IN_CLEAR, BY_MD5] {
            assert!(!allows(&[question]));
            assert!(!allows(&[PARAMETER, SCRAM, question]));
        }
        // A length that is too small does not hide what follows.
        assert!(!allows(&[b"S\0\0\0\x04", b"R\0\0\0\x04", IN_CLEAR]));
    }
}
