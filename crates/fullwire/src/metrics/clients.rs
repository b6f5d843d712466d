//! All who are connected to a port at once: who is slow holds up nobody else.
//!
//! One thread hears heads and writes what a client did not take at once; answers are made in threads of their own, a few at a
//! time. A client that is slow, or opens many connections, costs its own and no one else's place.

use super::http::{Answer, HEAD_BYTES, Request, parse};
use crate::output::Show;
use rustix::event::{PollFd, PollFlags, Timespec};
use std::cmp::Reverse;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Clients at the same time (own choice).
const CLIENTS: usize = 64;
/// Answers that are made at the same time, and of these for one path: `/probe`, which takes seconds, leaves room for `/metrics`.
const MADE_AT_ONCE: usize = 4;
const OF_ONE_PATH: usize = 3;
/// The head has come within this time, its turn within it, and the answer is taken within it.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a signal and the end of an answer's making are looked for, and without a client a signal alone.
const TICK: Duration = Duration::from_millis(20);
const IDLE: Duration = Duration::from_millis(200);

/// Makes answers until the flag is raised.
pub(crate) fn serve<F>(listener: &TcpListener, stop: &AtomicBool, answer: &Arc<F>)
where
    F: Fn(&Request) -> Answer + Send + Sync + 'static,
{
    if let Err(error) = listener.set_nonblocking(true) {
        Show::warn(&format!("cannot answer scrapes: {error}"));
        return;
    }
    let (begun, left) = channel();
    let mut clients = Clients { all: Vec::new(), made: Arc::default(), begun, left };
    while !stop.load(Ordering::Relaxed) {
        clients.wait(listener);
        clients.let_in(listener);
        clients.all.extend(clients.left.try_iter());
        clients.all.retain_mut(Client::goes_on);
        clients.make(answer);
    }
}

/// Where a client is.
enum Stage {
    /// Its head comes.
    Head(Vec<u8>),
    /// It waits for its turn.
    Turn(Box<Request>),
    /// The answer, and how much of it was taken.
    Answer(Vec<u8>, usize),
}

struct Client {
    stream: TcpStream,
    /// Of IPv6 the network: one host has all of it (RFC 4291, 64 bits of an interface).
    from: IpAddr,
    since: Instant,
    stage: Stage,
}

impl Client {
    fn new(stream: TcpStream, from: IpAddr) -> Self {
        let from = match from.to_canonical() {
            IpAddr::V6(address) => IpAddr::from((address.to_bits() >> 64 << 64).to_be_bytes()),
            address @ IpAddr::V4(_) => address,
        };
        Self { stream, from, since: Instant::now(), stage: Stage::Head(Vec::new()) }
    }

    fn answered(self, bytes: Vec<u8>) -> Self {
        Self { since: Instant::now(), stage: Stage::Answer(bytes, 0), ..self }
    }

    /// Does what can be done without waiting. False: it is done with, gone, or too slow.
    fn goes_on(&mut self) -> bool {
        let is_early = self.since.elapsed() < PATIENCE;
        let goes_on = match &mut self.stage {
            Stage::Head(head) => match heard(&self.stream, head) {
                Heard::Part => is_early,
                Heard::Head(Ok(request)) => {
                    self.stage = Stage::Turn(Box::new(request));
                    true
                }
                Heard::Head(Err(refusal)) => {
                    self.stage = Stage::Answer(refusal.bytes(), 0);
                    return self.goes_on();
                }
                Heard::Never => false,
            },
            Stage::Turn(_) if !is_early => {
                self.refuse();
                false
            }
            Stage::Turn(_) => true,
            Stage::Answer(bytes, taken) => match take(&self.stream, &bytes[*taken..]) {
                Some(now) => {
                    *taken += now;
                    *taken < bytes.len() && is_early
                }
                None => false,
            },
        };
        if !goes_on {
            let _ = self.stream.shutdown(Shutdown::Write);
        }
        goes_on
    }

    /// Its place is another's. What fits into the socket's buffer is enough.
    fn refuse(&self) {
        if !matches!(self.stage, Stage::Answer(..)) {
            let _ = take(&self.stream, &Answer::plain(503, "too many scrapes at once\n").bytes());
        }
    }
}

/// What has come of a head.
enum Heard {
    Part,
    Head(Result<Request, Answer>),
    /// It is too long, or its client has gone.
    Never,
}

fn heard(mut stream: &TcpStream, head: &mut Vec<u8>) -> Heard {
    let mut piece = [0; HEAD_BYTES];
    match stream.read(&mut piece) {
        Ok(0) => return Heard::Never,
        Ok(read) => head.extend_from_slice(&piece[..read]),
        Err(error) if is_not_yet(&error) => return Heard::Part,
        Err(_) => return Heard::Never,
    }
    let is_whole = head.windows(4).any(|end| end == b"\r\n\r\n");
    match is_whole {
        _ if head.len() > HEAD_BYTES => Heard::Never,
        true => Heard::Head(parse(head)),
        false => Heard::Part,
    }
}

/// How much of it the client takes without being waited for; `None`: it has gone.
fn take(mut stream: &TcpStream, bytes: &[u8]) -> Option<usize> {
    let mut taken = 0;
    while taken < bytes.len() {
        match stream.write(&bytes[taken..]) {
            Ok(0) => return None,
            Ok(written) => taken += written,
            Err(error) if is_not_yet(&error) => break,
            Err(_) => return None,
        }
    }
    Some(taken)
}

fn is_not_yet(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

struct Clients {
    all: Vec<Client>,
    /// The paths whose answers are being made.
    made: Arc<Mutex<Vec<String>>>,
    /// Whoever did not take the answer at once.
    begun: Sender<Client>,
    left: Receiver<Client>,
}

impl Client {
    /// Which answer it waits for.
    fn path(&self) -> Option<&str> {
        match &self.stage {
            Stage::Turn(request) => Some(&request.path),
            _ => None,
        }
    }
}

impl Clients {
    /// Until somebody comes, sends, or takes something, but no longer than a tick.
    fn wait(&self, listener: &TcpListener) {
        let of = |client: &'_ Client| match client.stage {
            Stage::Head(_) => Some(PollFlags::IN),
            Stage::Turn(_) => None,
            Stage::Answer(..) => Some(PollFlags::OUT),
        };
        let waiting = self.all.iter().filter_map(|client| Some(PollFd::new(&client.stream, of(client)?)));
        let mut waiting: Vec<PollFd<'_>> = waiting.chain([PollFd::new(listener, PollFlags::IN)]).collect();
        let is_idle = self.all.is_empty() && Seat::all(&self.made).is_empty();
        let tick = Timespec::try_from(if is_idle { IDLE } else { TICK }).ok();
        if rustix::event::poll(&mut waiting, tick.as_ref()).is_err() {
            std::thread::sleep(TICK);
        }
    }

    fn let_in(&mut self, listener: &TcpListener) {
        for _ in 0..CLIENTS {
            let (stream, from) = match listener.accept() {
                Ok((stream, from)) => (stream, from.ip()),
                Err(error) if is_not_yet(&error) => return,
                // No descriptor is left: that passes.
                Err(_) => return std::thread::sleep(TICK),
            };
            if stream.set_nonblocking(true).is_err() {
                continue;
            }
            if self.all.len() >= CLIENTS
                && let Some(index) = self.longest()
            {
                self.all.remove(index).refuse();
            }
            self.all.push(Client::new(stream, from));
        }
    }

    /// Of the address that has most the one that has waited longest.
    fn longest(&self) -> Option<usize> {
        let of_it = |client: &Client| self.all.iter().filter(|other| other.from == client.from).count();
        let clients = self.all.iter().enumerate();
        clients.max_by_key(|(_, client)| (of_it(client), Reverse(client.since))).map(|(index, _)| index)
    }

    /// Has answers made whose turn it is.
    fn make<F>(&mut self, answer: &Arc<F>)
    where
        F: Fn(&Request) -> Answer + Send + Sync + 'static,
    {
        let mut index = 0;
        while index < self.all.len() {
            let client = &self.all[index];
            let Some(seat) = client.path().and_then(|path| Seat::take(&self.made, path)) else {
                index += 1;
                continue;
            };
            let client = self.all.remove(index);
            let (answer, begun) = (Arc::clone(answer), self.begun.clone());
            let work = move || {
                let Stage::Turn(request) = &client.stage else { return };
                let bytes = answer(request).bytes();
                let mut client = client.answered(bytes);
                if client.goes_on() {
                    // After the end nobody waits for it.
                    let _ = begun.send(client);
                }
                drop(seat);
            };
            // Without a thread the connection is closed: the scraper comes again.
            let _ = std::thread::Builder::new().name("scrape".into()).spawn(work);
        }
    }
}

/// One of the answers that are made at the same time.
struct Seat {
    made: Arc<Mutex<Vec<String>>>,
    path: String,
}

impl Seat {
    fn all(made: &Mutex<Vec<String>>) -> MutexGuard<'_, Vec<String>> {
        made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(made: &Arc<Mutex<Vec<String>>>, path: &str) -> Option<Self> {
        let mut all = Self::all(made);
        let of_it = all.iter().filter(|one| *one == path).count();
        let is_free = all.len() < MADE_AT_ONCE && of_it < OF_ONE_PATH;
        is_free.then(|| {
            all.push(path.to_owned());
            Self { made: Arc::clone(made), path: path.to_owned() }
        })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut all = Self::all(&self.made);
        if let Some(index) = all.iter().position(|one| *one == self.path) {
            all.swap_remove(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_present::Printed;

    /// A server that answers `/slow` only once nobody holds the lock, and the rest with so many bytes. Its address.
    fn served(slow: &Arc<Mutex<()>>, bytes: usize) -> std::net::SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, slow) = (listener.local_addr().unwrap(), Arc::clone(slow));
        let body = Printed::lines(&"x".repeat(bytes));
        let answer = move |request: &Request| {
            if request.path == "/slow" {
                drop(slow.lock());
            }
            Answer::of("text/plain", body.clone())
        };
        std::thread::spawn(move || serve(&listener, &AtomicBool::new(false), &Arc::new(answer)));
        address
    }

    fn sent(address: std::net::SocketAddr, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(bytes).unwrap();
        stream
    }

    /// How many bytes come; an end without order counts as well.
    fn answered(address: std::net::SocketAddr, path: &str) -> usize {
        let mut stream = sent(address, format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer.len()
    }

    #[test]
    fn clients_that_say_nothing_or_take_nothing_hold_nobody_up() {
        const LARGE: usize = 4 << 20;
        let address = served(&Arc::default(), LARGE);
        let mut held = Vec::new();
        for round in 0..20 {
            held.extend((0..CLIENTS / 2).map(|_| sent(address, b"GET /metrics HTTP/1.1\r\nX: ")));
            held.extend((0..4).map(|_| sent(address, b"GET /metrics HTTP/1.1\r\n\r\n")));
            assert!(answered(address, "/metrics") > LARGE, "round {round}");
        }
    }

    #[test]
    fn an_answer_that_takes_long_leaves_room_for_others() {
        let slow = Arc::default();
        let address = served(&slow, 1);
        let waits = slow.lock().unwrap();
        let held: Vec<TcpStream> = (0..8).map(|_| sent(address, b"GET /slow HTTP/1.1\r\n\r\n")).collect();
        assert!(answered(address, "/metrics") > 0);
        drop(waits);
        for mut stream in held {
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        }
    }

    #[test]
    fn of_the_address_with_most_clients_the_oldest_goes() {
        let (begun, left) = channel();
        let mut clients = Clients { all: Vec::new(), made: Arc::default(), begun, left };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        for from in ["192.0.2.1", "2001:db8::1", "2001:db8::2", "::ffff:192.0.2.2", "2001:db8:0:1::1"] {
            let stream = sent(listener.local_addr().unwrap(), b"");
            clients.all.push(Client::new(stream, from.parse().unwrap()));
        }
        assert_eq!(clients.longest(), Some(1));
        assert_eq!(clients.all[3].from, IpAddr::from([192, 0, 2, 2]));
    }
}
