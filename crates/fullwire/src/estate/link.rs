//! The connection to the NATS server: its own thread, with channels to the rest. It connects again by itself for
//! as long as it is held, and says in words what is wrong meanwhile.

use super::credential::{self, Credential};
use super::{jwt, trust};
use anyhow::{Context, Result, bail};
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::CreateStreamError;
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::jetstream::{self, Context as JetStream};
use async_nats::{Client, ClientError, ConnectOptions, Event, HeaderMap, ServerError};
use fullwire_mesh::estate::Subjects;
use futures_util::StreamExt as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Words that wait to be sent; more are lost, as on any bus.
const WAITING: usize = 4096;
/// Results of one host that wait in the stream, as many as it brings at once; it keeps the others. With the largest payload they
/// are an eighth of what all share.
const WAITING_OF_ONE: i64 = 16;
/// Larger than any run: one of 8 MB compressed has about a hundred unpacked.
pub(super) const MOST_PAYLOAD: u64 = 8 << 20;
/// What may come of the server before a message comes of it: two of the largest. The client of NATS believes whatever length
/// is told, and keeps what comes.
const UNREAD_BYTES: u64 = 2 * MOST_PAYLOAD;
/// How often it is looked at; 10 Gbit/s bring 60 MB meanwhile.
const WATCHED: Duration = Duration::from_millis(50);
/// Messages of one subscription that wait here; more are lost, as on any bus.
const SUBSCRIBED: usize = 1024;
/// A server that does not answer within this time is tried again.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);
/// Longest pause between two tries to connect; agents spread over it.
const PAUSE: Duration = Duration::from_secs(5);
/// How often it is asked whether the stream is still there.
const LOOK: Duration = Duration::from_secs(2);
/// The coordinator holds at most this many results that it has not committed.
pub(super) const UNCOMMITTED: usize = 64;
/// A result that the coordinator took and did not commit comes again after this time.
const AGAIN: Duration = Duration::from_secs(30);
/// A result that comes twice within this time is one.
const DUPLICATE: Duration = Duration::from_secs(10);
/// The stream of results takes this much; then agents keep what they have.
pub(super) const STREAM_BYTES: i64 = 1 << 30;
/// Per-key times to live and what else is relied upon came with 2.11.
const OLDEST_SERVER: (u32, u32) = (2, 11);

/// What came.
#[derive(Debug)]
pub(super) enum Heard {
    /// The server is there.
    Up,
    /// It is not, or will not have us: a sentence.
    Down(String),
    /// A word.
    Word { subject: String, payload: Vec<u8> },
    /// A result, to be answered with [`Sayer::answer`].
    Result { subject: String, payload: Vec<u8>, reply: String },
}

/// A word, or the result of a run.
struct Say {
    subject: String,
    payload: Vec<u8>,
    run_id: Option<String>,
}

/// What is said about a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is kept for good.
    Committed,
    /// It is to come again.
    Again,
    /// It is not to come again.
    Never,
}

/// Says things, as long as the connection is held.
#[derive(Clone)]
pub(super) struct Sayer(mpsc::Sender<Say>);

impl Sayer {
    /// Says a word; it may be lost.
    pub(super) fn publish(&self, subject: String, payload: Vec<u8>) {
        // Full or closed: it is lost, as it might have been on the way.
        let _ = self.0.try_send(Say { subject, payload, run_id: None });
    }

    /// Brings a result to the stream. A receipt says that it is kept: the stream itself says nothing. False: not now.
    pub(super) fn deliver(&self, run_id: &str, subject: String, payload: Vec<u8>) -> bool {
        self.0.try_send(Say { subject, payload, run_id: Some(run_id.to_owned()) }).is_ok()
    }

    /// Answers a result.
    pub(super) fn answer(&self, reply: &str, answer: Answer) {
        let word: &[u8] = match answer {
            Answer::Committed => b"+ACK",
            Answer::Again => b"-NAK",
            Answer::Never => b"+TERM",
        };
        self.publish(reply.to_owned(), word.to_vec());
    }
}

/// What is listened to.
pub(super) struct Listen {
    /// Words.
    pub(super) subjects: Vec<String>,
    /// Results as well, from a stream of so many copies.
    pub(super) results: Option<usize>,
}

/// Connects on a thread of its own. The connection ends when the last [`Sayer`] is dropped.
pub(super) fn start(
    credential: &Credential,
    listen: Listen,
    heard: impl Fn(Heard) -> bool + Send + Sync + 'static,
) -> Result<Sayer> {
    let (say, mut said) = mpsc::channel(WAITING);
    let subjects = Subjects::new(&credential.estate)?;
    let heard: Hear = Arc::new(heard);
    let credential = credential.clone();
    let mut next = Some((new_runtime()?, options(&credential, &subjects, &heard)?));
    let work = move || {
        while let Some((runtime, connect)) = next.take() {
            let broken = runtime.block_on(async {
                // With retries from the first try on, only a malformed address is an error here.
                let client = connect.connect(credential.servers.clone()).await?;
                Ok::<_, async_nats::ConnectError>(tokio::select! {
                    over = talk(client.clone(), &listen, &subjects, &mut said, &heard) =>
                        (!over).then(String::new),
                    () = flooded(&client) => Some(format!(", more than {} MiB of it", UNREAD_BYTES >> 20)),
                })
            });
            // With it goes all that the connection holds.
            drop(runtime);
            let much = match broken {
                Ok(None) => return,
                Ok(Some(much)) => much,
                Err(error) => {
                    heard(Heard::Down(format!("cannot connect to the NATS server: {error}")));
                    return;
                }
            };
            let servers = credential.servers.join(", ");
            let why = format!("{servers} sends what is no message of NATS{much}: the connection was ended");
            if !heard(Heard::Down(why)) {
                return;
            }
            std::thread::sleep(PAUSE);
            next = new_runtime().ok().zip(options(&credential, &subjects, &heard).ok());
        }
    };
    std::thread::Builder::new().name("nats".into()).spawn(work).context("start a thread")?;
    Ok(Sayer(say))
}

fn new_runtime() -> Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().context("start the client of NATS")
}

/// What has come since the last message.
#[derive(Default)]
struct Unread {
    messages: u64,
    bytes: u64,
}

impl Unread {
    fn is_too_much(&mut self, messages: u64, bytes: u64) -> bool {
        if messages != self.messages {
            *self = Self { messages, bytes };
        }
        bytes - self.bytes > UNREAD_BYTES
    }
}

/// Ends when more has come than a message may have, and none came of it.
async fn flooded(client: &Client) {
    let (counts, mut unread) = (client.statistics(), Unread::default());
    loop {
        let messages = counts.in_messages.load(Ordering::Relaxed);
        if unread.is_too_much(messages, counts.in_bytes.load(Ordering::Relaxed)) {
            return;
        }
        tokio::time::sleep(WATCHED).await;
    }
}

type Hear = Arc<dyn Fn(Heard) -> bool + Send + Sync>;

/// Whether what is said to `HOST:PORT` stays on this host.
pub(super) fn is_loopback(place: &str) -> bool {
    let host = match place.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => host,
        _ => place,
    };
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

/// Keys of responders go over the bus: in clear beyond this host only if somebody has said so.
fn check_wire(credential: &Credential) -> Result<()> {
    let encrypted = credential.servers.iter().any(|server| server.starts_with("tls://"));
    let local = |server: &String| server.strip_prefix("nats://").is_some_and(is_loopback);
    match credential.servers.iter().find(|server| !encrypted && !local(server)) {
        Some(server) if !credential.insecure => bail!(
            "{server} is not encrypted and beyond this host: set the estate up with tls://, or with --insecure"
        ),
        _ => Ok(()),
    }
}

fn options(credential: &Credential, subjects: &Subjects, heard: &Hear) -> Result<ConnectOptions> {
    check_wire(credential)?;
    let key = Arc::new(credential::key(&credential.seed)?);
    let sign = move |nonce: Vec<u8>| {
        let key = Arc::clone(&key);
        async move { key.sign(&nonce).map_err(async_nats::AuthError::new) }
    };
    let (heard, jwt, servers) = (Arc::clone(heard), credential.jwt.clone(), credential.servers.join(", "));
    let untrusted = trust::Refusal::default();
    let refusal = Arc::clone(&untrusted);
    let spread =
        u64::from(credential.member.bytes().fold(7_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte)));
    let mut options = ConnectOptions::with_jwt(credential.jwt.clone(), sign)
        .name(format!("fullwire {}", credential.member))
        .subscription_capacity(SUBSCRIBED)
        .custom_inbox_prefix(subjects.inbox(&credential.member))
        // A server names others in its greeting: only those that the credential names are gone to.
        .ignore_discovered_servers()
        .retry_on_initial_connect()
        .connection_timeout(ANSWER_WITHIN)
        .request_timeout(Some(ANSWER_WITHIN))
        .ping_interval(Duration::from_secs(10))
        .reconnect_delay_callback(move |tries| {
            let pause = Duration::from_millis(100 << tries.min(6));
            pause.min(PAUSE) + Duration::from_millis(spread * pause.min(PAUSE).as_secs().max(1))
        })
        .event_callback(move |event| {
            if let Some(word) = event_word(&event, &jwt, &servers, trust::refused(&refusal)) {
                heard(word);
            }
            async {}
        });
    if credential.servers.iter().any(|server| server.starts_with("tls://")) {
        options = options.require_tls(true).tls_client_config(trust::tls(credential, &untrusted)?);
    }
    Ok(options)
}

/// What an event means to a person.
fn event_word(event: &Event, jwt: &str, servers: &str, untrusted: Option<String>) -> Option<Heard> {
    let refused = || {
        let over = jwt::expires(jwt).ok().flatten().filter(|end| *end <= jiff::Timestamp::now());
        Heard::Down(match over {
            Some(end) => format!("the credential expired at {end}: fullwire estate enrol gives a new one"),
            None => format!(
                "{servers} refuses the credential: it was revoked, or is another estate's; fullwire estate enrol \
                 gives a new one"
            ),
        })
    };
    Some(match event {
        Event::Connected => Heard::Up,
        Event::Disconnected => Heard::Down(format!("{servers}: the connection was lost")),
        Event::ServerError(ServerError::AuthorizationViolation) => refused(),
        Event::ServerError(ServerError::Other(words)) => {
            let words_lower = words.to_ascii_lowercase();
            match () {
                () if words_lower.contains("authentication expired") || words_lower.contains("revoked") => {
                    refused()
                }
                () if words_lower.contains("permissions violation") => {
                    Heard::Down(format!("the credential does not allow this: {words}"))
                }
                () => return None,
            }
        }
        Event::ClientError(ClientError::Other(words)) if words.contains("authorization violation") => {
            refused()
        }
        Event::ClientError(ClientError::Other(_)) if untrusted.is_some() => {
            let why = untrusted.unwrap_or_default();
            Heard::Down(format!("{servers}: the server's certificate is not accepted here ({why})"))
        }
        Event::ClientError(ClientError::Other(words)) => {
            Heard::Down(format!("no NATS server answers at {servers} ({words})"))
        }
        _ => return None,
    })
}

/// Passes what comes and what is said. True: nobody says anything any more. False: the client has ended, at what the server sent,
/// and hears nothing more.
async fn talk(
    client: Client,
    listen: &Listen,
    subjects: &Subjects,
    said: &mut mpsc::Receiver<Say>,
    heard: &Hear,
) -> bool {
    let mut hearing = JoinSet::new();
    for subject in &listen.subjects {
        let Ok(mut words) = client.subscribe(subject.clone()).await else { continue };
        let heard = Arc::clone(heard);
        hearing.spawn(async move {
            while let Some(word) = words.next().await {
                let payload = word.payload.to_vec();
                if !heard(Heard::Word { subject: word.subject.to_string(), payload }) {
                    return true;
                }
            }
            false
        });
    }
    if let Some(replicas) = listen.results {
        let jetstream = jetstream::new(client.clone());
        let stream = Stream { jetstream, subjects: subjects.clone(), replicas };
        tokio::spawn(collect(client.clone(), stream, Arc::clone(heard)));
    }
    loop {
        let Say { subject, payload, run_id } = tokio::select! {
            Some(wanted) = hearing.join_next() => match wanted {
                Ok(true) => continue,
                _ => return false,
            },
            say = said.recv() => match say {
                Some(say) => say,
                None => break,
            },
        };
        let mut headers = HeaderMap::new();
        if let Some(run_id) = run_id {
            headers.insert("Nats-Msg-Id", run_id);
        }
        // A message that is too large is the only error here.
        let _ = client.publish_with_headers(subject, headers, payload.into()).await;
    }
    // What was said last is on its way when this returns.
    let _ = tokio::time::timeout(Duration::from_secs(1), client.flush()).await;
    true
}

/// The stream of results, as it is to be.
struct Stream {
    jetstream: JetStream,
    subjects: Subjects,
    replicas: usize,
}

/// Takes results from the stream until the end; creates the stream if it is missing: it may have been wiped.
async fn collect(client: Client, stream: Stream, heard: Hear) {
    loop {
        let outcome = collect_once(&client, &stream, &heard).await;
        match outcome {
            Ok(()) => return,
            Err(error) => {
                if !heard(Heard::Down(format!("{error:#}"))) {
                    return;
                }
            }
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn collect_once(client: &Client, stream: &Stream, heard: &Hear) -> Result<()> {
    let reader = stream.reader().await;
    // Known once it has answered anything.
    let version = client.server_info().version;
    if !version.is_empty() && is_old(&version) {
        let (major, minor) = OLDEST_SERVER;
        bail!("the NATS server is {version}: {major}.{minor} or later is needed");
    }
    let consumer = reader?;
    let batch = UNCOMMITTED / 4;
    let mut results = consumer
        .stream()
        .max_messages_per_batch(batch)
        .expires(Duration::from_secs(20))
        .heartbeat(Duration::from_secs(5))
        .messages()
        .await
        .context("take results from the stream")?;
    let mut look = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            result = results.next() => {
                let result = result.context("the stream of results ended")?.context("take results from the stream")?;
                let reply = result.reply.as_ref().map(ToString::to_string).unwrap_or_default();
                let result =
                    Heard::Result { subject: result.subject.to_string(), payload: result.payload.to_vec(), reply };
                if !heard(result) {
                    return Ok(());
                }
            }
            _ = look.tick() => {
                // The server does not report that a stream is gone, so it is asked.
                let found = stream.jetstream.get_stream(stream.subjects.stream()).await;
                found.context("the stream of results has gone")?.consumer_info("coordinator").await.context("the stream of results has lost its reader")?;
            }
        }
    }
}

impl Stream {
    /// Makes the stream and its reader, or finds them. With too few servers for its copies it begins with one copy, and
    /// has the others when the servers are there.
    async fn reader(&self) -> Result<PullConsumer> {
        let stream = match self.made(self.replicas).await {
            Err(_) if self.replicas > 1 => self.made(1).await,
            made => made,
        };
        let mut stream = stream.context("the NATS server has no stream for results: is JetStream on?")?;
        let mut config = stream.cached_info().config.clone();
        let as_before = config.max_messages_per_subject == WAITING_OF_ONE && config.no_ack;
        if config.num_replicas < self.replicas || !as_before {
            config.num_replicas = self.replicas;
            config.no_ack = true;
            config.max_messages_per_subject = WAITING_OF_ONE;
            config.discard_new_per_subject = true;
            match self.jetstream.update_stream(config).await {
                Ok(_) => {
                    let found = self.jetstream.get_stream(self.subjects.stream()).await;
                    stream = found.context("find the stream of results")?;
                }
                // There are too few servers for its copies as yet.
                Err(_) if as_before => {}
                Err(error) => {
                    return Err(error).context(
                        "the stream of results is an earlier version's, in which a host has the server write to \
                         others, and cannot be changed: no result is taken",
                    );
                }
            }
        }
        let consumer = pull::Config {
            durable_name: Some("coordinator".into()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: AGAIN,
            max_deliver: -1,
            max_ack_pending: i64::try_from(UNCOMMITTED).unwrap_or(i64::MAX),
            ..pull::Config::default()
        };
        stream.get_or_create_consumer("coordinator", consumer).await.context("read the stream of results")
    }

    async fn made(&self, replicas: usize) -> Result<stream::Stream, CreateStreamError> {
        let config = stream::Config {
            name: self.subjects.stream(),
            subjects: vec![self.subjects.all("result")],
            retention: RetentionPolicy::WorkQueue,
            // Never an old result for a new one: the agent keeps what does not fit.
            discard: DiscardPolicy::New,
            max_bytes: STREAM_BYTES,
            max_messages_per_subject: WAITING_OF_ONE,
            discard_new_per_subject: true,
            // A host chooses where its answer would go, and the server itself would write it: to another host, or as an order to
            // JetStream. The coordinator's receipt is the only one.
            no_ack: true,
            storage: StorageType::File,
            duplicate_window: DUPLICATE,
            num_replicas: replicas,
            ..stream::Config::default()
        };
        self.jetstream.get_or_create_stream(config).await
    }
}

fn is_old(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) < OLDEST_SERVER
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn an_old_server_is_known_by_its_version() {
        assert!(
            is_old("2.9.10")
                && is_old("2.10.7")
                && !is_old("2.11.0")
                && !is_old("2.15.2")
                && !is_old("3.0.0")
        );
    }

    /// What a server says of the length of a message is not believed.
    /// Why a member leaves a server that begins a message of so many bytes, and how much was sent to it until then. It asks anew.
    fn left(bytes: u64) -> (String, u64) {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let flood = std::thread::spawn(move || {
            let mut client = server.accept().unwrap().0;
            client
                .write_all(b"INFO {\"server_id\":\"x\",\"version\":\"2.11.0\",\"nonce\":\"n\"}\r\n")
                .unwrap();
            write!(client, "PONG\r\nMSG fw.x 1 {bytes}\r\n").unwrap();
            let mut sent = 0_u64;
            while let Ok(written) = client.write(&[b'x'; 1 << 14]) {
                sent += written as u64;
            }
            (sent, server)
        });
        let key = nkeys::KeyPair::new_user();
        let credential: Credential = serde_json::from_value(serde_json::json!({
            "estate": "e", "member": "db1", "servers": [format!("nats://{address}")], "ca_pem": "", "jwt": "x",
            "seed": key.seed().unwrap(), "plan_key": key.public_key(),
        }))
        .unwrap();
        let (told, tells) = std::sync::mpsc::channel();
        let listen = Listen { subjects: vec!["fw.x".into()], results: None };
        let heard = move |heard| match heard {
            Heard::Down(why) => told.send(why).is_ok(),
            _ => true,
        };
        let say = start(&credential, listen, heard).unwrap();
        let why = tells.recv_timeout(Duration::from_secs(20)).unwrap();
        let (sent, server) = flood.join().unwrap();
        server.accept().unwrap();
        drop(say);
        (why, sent)
    }

    #[test]
    fn a_server_that_sends_no_end_of_a_message_is_left() {
        let (why, sent) = left(4_000_000_000);
        assert!(why.contains("is no message of NATS, more than"), "{why}");
        // What lies in buffers of the kernel besides.
        assert!((UNREAD_BYTES..UNREAD_BYTES << 5).contains(&sent));
    }

    /// At a length that is no length the client ends without a word: who listens would be deaf for as long as it lives.
    #[test]
    fn a_server_that_ends_the_client_is_asked_anew() {
        let (why, _) = left(u64::MAX);
        assert!(why.contains("is no message of NATS:"), "{why}");
    }

    #[test]
    fn messages_that_come_whole_are_no_flood() {
        let mut unread = Unread::default();
        let each = (1..100).map(|message| (message, message * MOST_PAYLOAD));
        assert!(!each.into_iter().any(|(messages, bytes)| unread.is_too_much(messages, bytes)));
        assert!(
            !unread.is_too_much(99, 101 * MOST_PAYLOAD) && unread.is_too_much(99, 101 * MOST_PAYLOAD + 1)
        );
    }
}
