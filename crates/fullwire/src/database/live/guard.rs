//! A stream from a PostgreSQL server that ends before a password would be told to whoever listens there.
//!
//! Without TLS anyone who is on the way may pose as the server and ask for the password in clear, or hashed by MD5, which
//! is as good as clear; on loopback so may any user of this host while the server is down. SCRAM proves knowledge of the password without telling it, and makes the server prove it too.

use std::future::Ready;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_postgres::types::Type;

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

/// Looks at the types that the server names. For one that it does not know the client asks the server, and for each unknown one in
/// that answer again, until its stack is full; all that is asked here is of the server's own types.
#[derive(Debug, Default)]
struct Types {
    head: Vec<u8>,
    /// Of a description; other messages are passed over.
    body: Vec<u8>,
    rest: usize,
    /// Messages since we last said something.
    answered: usize,
    /// The last of them says that the server waits for a question (`ReadyForQuery`).
    is_ready: bool,
}

/// A description of parameters or of a row has no more bytes.
const DESCRIPTION_BYTES: usize = 64 << 10;

impl Types {
    /// False when these bytes name a type that the client does not know.
    fn allows(&mut self, mut bytes: &[u8]) -> bool {
        while let Some((&first, others)) = bytes.split_first() {
            if self.head.len() < HEAD_BYTES {
                self.head.push(first);
                bytes = others;
                let Some(length) = self.head.get(1..HEAD_BYTES).and_then(|field| field.try_into().ok())
                else {
                    continue;
                };
                self.rest = (u32::from_be_bytes(length) as usize).saturating_sub(4);
            } else {
                let (part, others) = bytes.split_at(self.rest.min(bytes.len()));
                if self.is_description() {
                    self.body.extend(part);
                }
                self.rest -= part.len();
                bytes = others;
            }
            if self.is_description() && self.rest + self.body.len() > DESCRIPTION_BYTES {
                return false;
            }
            if self.head.len() == HEAD_BYTES && self.rest == 0 {
                self.answered += 1;
                self.is_ready = self.head[0] == b'Z';
                if self.is_description() && !are_known(self.head[0], &self.body) {
                    return false;
                }
                (self.head, self.body) = (Vec::new(), Vec::new());
            }
        }
        true
    }

    fn is_description(&self) -> bool {
        matches!(self.head.first(), Some(b'T' | b't'))
    }
}

/// Whether all types of a description are the server's own (PostgreSQL documentation, "Message Formats", `RowDescription` and
/// `ParameterDescription`).
fn are_known(kind: u8, body: &[u8]) -> bool {
    let known = |number: &[u8]| {
        number.try_into().is_ok_and(|number| Type::from_oid(u32::from_be_bytes(number)).is_some())
    };
    let Some(mut rest) = body.get(2..) else { return false };
    while !rest.is_empty() {
        // Behind the name of a column: its table, its number, its type, and eight bytes more.
        let (at, length) = match (kind, rest.iter().position(|byte| *byte == 0)) {
            (b't', _) => (0, 4),
            (_, Some(name)) => (name + 7, name + 19),
            (_, None) => return false,
        };
        if rest.len() < length || !known(&rest[at..at + 4]) {
            return false;
        }
        rest = &rest[length..];
    }
    true
}

/// A stream that is cut when the server asks for the password, names a type that is not its own, or answers without end.
pub(super) struct Guarded<S> {
    stream: S,
    types: Types,
    /// `None`: it is known who is at the other end.
    watch: Option<Watch>,
    /// Bytes since we last said something.
    answered: usize,
    /// An answer is whole within this time.
    within: Duration,
    /// When it has to be; `None`: nothing was asked.
    due: Option<Pin<Box<Sleep>>>,
    /// What the proof of SCRAM is bound to: the server's certificate.
    pub(super) bound: Option<Vec<u8>>,
}

/// An answer has no more bytes; a list of a store has 64 MiB. The client holds a message until it is whole, and how long it is
/// is the server's word.
pub(super) const ANSWER_BYTES: usize = 256 << 20;
/// What the client makes of a message besides its bytes, however few they are.
const MESSAGE_BYTES: usize = 256;
/// A server ends what takes 30 s by itself (`statement_timeout` of our sessions), and a list comes at 1 MB/s and more.
const ANSWER_WITHIN: Duration = Duration::from_secs(120);

impl<S> Guarded<S> {
    /// `trusted`: the server was verified, by its certificate or by whose socket it is.
    pub(super) fn new(stream: S, trusted: bool) -> Self {
        Self {
            stream,
            types: Types::default(),
            watch: (!trusted).then(Watch::default),
            answered: 0,
            within: ANSWER_WITHIN,
            due: None,
            bound: None,
        }
    }
}

/// What makes TLS of a stream for the client: nothing, as it is made.
pub(super) struct Encrypted;

impl<S: AsyncRead + AsyncWrite + Unpin> TlsConnect<Guarded<S>> for Encrypted {
    type Stream = Guarded<S>;
    type Error = io::Error;
    type Future = Ready<io::Result<Guarded<S>>>;

    fn connect(self, stream: Guarded<S>) -> Self::Future {
        std::future::ready(Ok(stream))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Guarded<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.bound.clone().map_or_else(ChannelBinding::none, ChannelBinding::tls_server_end_point)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guarded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        if Pin::new(&mut self.stream).poll_read(context, into)?.is_pending() {
            // What stands still is not seen by the kernel, which answers for a server that was stopped.
            let due = self.due.as_mut().map_or(Poll::Pending, |due| due.as_mut().poll(context));
            return due.map(|()| Err(io::Error::new(io::ErrorKind::TimedOut, LATE)));
        }
        let allowed = self.watch.as_mut().is_none_or(|watch| watch.allows(&into.filled()[before..]));
        let known = self.types.allows(&into.filled()[before..]);
        self.answered = self.answered.saturating_add(into.filled().len() - before);
        if self.types.is_ready {
            self.due = None;
        }
        let held = self.types.answered.saturating_mul(MESSAGE_BYTES).saturating_add(self.answered);
        let refused = match (allowed, known, held > ANSWER_BYTES) {
            (true, true, false) => return Poll::Ready(Ok(())),
            (false, ..) => io::Error::new(io::ErrorKind::PermissionDenied, REFUSED),
            (_, false, _) => io::Error::new(io::ErrorKind::InvalidData, UNKNOWN_TYPE),
            (.., true) => io::Error::new(io::ErrorKind::InvalidData, ENDLESS),
        };
        into.set_filled(before);
        Poll::Ready(Err(refused))
    }
}

/// Why the connection ended, and what to do.
pub(super) const REFUSED: &str = "the server asks for the password in clear text or as MD5, which whoever listens there could read: use scram-sha-256 in its pg_hba.conf, TLS with a certificate that is known here, or its Unix socket (postgres://USER@%2Fvar%2Frun%2Fpostgresql/DATABASE)";

/// Why the connection ended.
const UNKNOWN_TYPE: &str = "the server names a type that nothing here asks for";

/// Why the connection ended.
const LATE: &str = "the server did not answer for two minutes";

/// Why the connection ended.
const ENDLESS: &str = "the server's answer is longer than any to what was asked";

impl<S: AsyncWrite + Unpin> AsyncWrite for Guarded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        (self.answered, self.types.answered, self.types.is_ready) = (0, 0, false);
        // The client reads before it writes, and then waits: it is this that wakes it.
        let mut due = Box::pin(tokio::time::sleep(self.within));
        let _ = due.as_mut().poll(context);
        self.due = Some(due);
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
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

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

    /// Why a server is left that says this, again and again or once, and whose client reads before it asks.
    fn left(word: &'static [u8], again: bool) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (near, mut far) = tokio::io::duplex(1 << 20);
            tokio::spawn(async move {
                far.read_u8().await.unwrap();
                far.write_all(word).await.unwrap();
                let many = word.repeat(10_000);
                while again && far.write_all(&many).await.is_ok() {}
                std::future::pending::<()>().await;
            });
            let mut guarded = Guarded::new(near, false);
            guarded.within = if again { ANSWER_WITHIN } else { Duration::from_millis(50) };
            let (mut piece, mut asked) = (vec![0; 1 << 16], false);
            let error = std::future::poll_fn(|context| {
                loop {
                    let read = Pin::new(&mut guarded).poll_read(context, &mut ReadBuf::new(&mut piece));
                    match read {
                        Poll::Ready(Err(error)) => return Poll::Ready(error),
                        Poll::Ready(Ok(())) => {}
                        Poll::Pending => {
                            if !std::mem::replace(&mut asked, true) {
                                let _ = Pin::new(&mut guarded).poll_write(context, b"Q");
                            }
                            return Poll::Pending;
                        }
                    }
                }
            });
            error.await.to_string()
        })
    }

    #[test]
    fn a_server_that_stands_still_or_says_much_of_nothing_is_left() {
        const NOTICE: &[u8] = b"N\0\0\0\x05\0";
        assert_eq!(left(LET_IN, false), LATE);
        assert_eq!(left(NOTICE, true), ENDLESS, "each takes more than its bytes");
    }

    /// A row with one column `v` of this type.
    fn row_of(oid: u32) -> Vec<u8> {
        [b"T\0\0\0\x1a\0\x01v\0\0\0\0\0\0\0", &oid.to_be_bytes()[..], b"\xff\xff\xff\xff\xff\xff\0\0"]
            .concat()
    }

    #[test]
    fn only_types_that_the_client_knows_are_named() {
        let allows = |messages: &[&[u8]]| {
            let bytes = messages.concat();
            let answers = [1, 2, 5, 1000].map(|size| {
                let mut types = Types::default();
                bytes.chunks(size).all(|part| types.allows(part))
            });
            assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
            answers[0]
        };
        let parameters = |oid: u32| [b"t\0\0\0\x0a\0\x01", &oid.to_be_bytes()[..]].concat();
        // 25 is text, 701 double precision; from 16,384 on they are users' own.
        assert!(allows(&[
            PARAMETER,
            SCRAM,
            LET_IN,
            &parameters(25),
            &row_of(701),
            b"C\0\0\0\x04",
            &row_of(25)
        ]));
        assert!(!allows(&[LET_IN, &row_of(16_384)]) && !allows(&[LET_IN, &row_of(25), &parameters(99_999)]));
        assert!(!allows(&[b"T\x7f\xff\xff\xff"]), "a description without end");
        assert!(!allows(&[b"T\0\0\0\x08\0\x01vv"]), "a column without a type");
    }
}
