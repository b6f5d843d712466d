//! What iperf 2 clients send by UDP, counted, and the account that each of them gets.

use super::back::Back;
use super::datagram::{ANSWERABLE_BYTES, HAS_ACCOUNT, PREFIX_BYTES, put, word};
use super::header::{Direction, Header};
use crate::iperf::{Places, TICK, is_retry};
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Place of the rate in a test header: bits per second, without the flag that it has in a stream.
const RATE_WORD: usize = 12;
/// A client that was silent this long is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(15);

/// What came of one client.
struct Arrived {
    first: Instant,
    last: Instant,
    bytes: u64,
    count: u64,
    highest: i64,
    /// The first datagram had the number 0.
    from_zero: bool,
    out_of_order: u64,
    transit_s: Option<f64>,
    jitter_s: f64,
    /// The end was said.
    over: bool,
    /// A test that is not served: nothing is answered.
    refused: bool,
    /// What a dual test is sent.
    back: Option<Back>,
}

impl Arrived {
    fn new(now: Instant) -> Self {
        Self {
            first: now,
            last: now,
            bytes: 0,
            count: 0,
            highest: -1,
            from_zero: false,
            out_of_order: 0,
            transit_s: None,
            jitter_s: 0.0,
            over: false,
            refused: false,
            back: None,
        }
    }

    fn take(&mut self, now: Instant, number: i64, sent_s: f64, bytes: usize) {
        self.last = now;
        self.bytes += bytes as u64;
        self.count += 1;
        if number < self.highest {
            self.out_of_order += 1;
        }
        self.highest = self.highest.max(number);
        self.from_zero |= number == 0;
        let transit = now.saturating_duration_since(self.first).as_secs_f64() - sent_s;
        if let Some(before) = self.transit_s.replace(transit) {
            self.jitter_s += ((transit - before).abs() - self.jitter_s) / 16.0;
        }
    }

    fn lost(&self) -> u64 {
        // Versions before 2.1 count from 0, later ones from 1.
        let sent = self.highest + i64::from(self.from_zero);
        u64::try_from(sent).unwrap_or(0).saturating_sub(self.count)
    }

    fn seconds(&self) -> f64 {
        self.last.saturating_duration_since(self.first).as_secs_f64()
    }

    /// The account, behind the four words of the datagram that asks for it, and as long as that datagram.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "times are positive, counts saturate"
    )]
    fn answer(&self, asked: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; asked.len()];
        bytes[..PREFIX_BYTES].copy_from_slice(&asked[..PREFIX_BYTES]);
        let parts = |seconds: f64| [seconds as u32, (seconds.fract() * 1e6) as u32];
        let short = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let ([seconds, micros], [jitter, jitter_micros]) = (parts(self.seconds()), parts(self.jitter_s));
        let words = [
            HAS_ACCOUNT,
            (self.bytes >> 32) as u32,
            self.bytes as u32,
            seconds,
            micros,
            short(self.lost()),
            short(self.out_of_order),
            short(u64::try_from(self.highest + 1).unwrap_or(0)),
            jitter,
            jitter_micros,
        ];
        for (index, word) in words.into_iter().enumerate() {
            put(&mut bytes, PREFIX_BYTES / 4 + index, word);
        }
        bytes
    }
}

/// The UDP side of a server.
pub(super) struct UdpServer {
    pub(super) socket: UdpSocket,
    pub(super) clients: usize,
    pub(super) clients_per_address: usize,
    pub(super) duration: Duration,
    /// Those that send back take their place among the connections.
    pub(super) running: Arc<Places>,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) log: Arc<dyn Fn(&str) + Send + Sync>,
}

impl UdpServer {
    /// Counts what clients send, and answers each that says that it has ended. It sends no more than it is sent.
    pub(super) fn serve(&self) -> io::Result<()> {
        self.socket.set_read_timeout(Some(TICK))?;
        let mut clients: HashMap<SocketAddr, Arrived> = HashMap::new();
        let mut buffer = vec![0; 65_536];
        let mut looked = Instant::now();
        while !self.stop.load(Ordering::Relaxed) {
            let now = Instant::now();
            if now.saturating_duration_since(looked) > Duration::from_secs(1) {
                clients.retain(|_, one| one.last.elapsed() < FORGOTTEN);
                looked = now;
            }
            let (length, peer) = match self.socket.recv_from(&mut buffer) {
                Ok(received) => received,
                Err(error) if is_retry(&error) || error.kind() == io::ErrorKind::ConnectionRefused => {
                    continue;
                }
                Err(error) => return Err(error),
            };
            if length >= PREFIX_BYTES {
                self.take(&mut clients, peer, &buffer[..length]);
            }
        }
        Ok(())
    }

    fn take(&self, clients: &mut HashMap<SocketAddr, Arrived>, peer: SocketAddr, datagram: &[u8]) {
        let now = Instant::now();
        let number = i64::from(word(datagram, 0).cast_signed());
        if !clients.contains_key(&peer) {
            if number < 0 || !self.has_room(clients, peer.ip()) {
                return;
            }
            clients.insert(peer, self.first(peer, datagram, now));
        }
        let Some(one) = clients.get_mut(&peer).filter(|one| !one.refused) else { return };
        if number >= 0 && !one.over && one.first.elapsed() < self.duration {
            let sent_s = f64::from(word(datagram, 1)) + f64::from(word(datagram, 2)) / 1e6;
            one.take(now, number, sent_s, datagram.len());
            if let Some(back) = &one.back {
                back.allow(datagram.len());
            }
        } else if number < 0 {
            if !one.over {
                one.over = true;
                let (count, lost) = (one.count, one.lost());
                let place = peer.ip().to_canonical();
                (self.log)(&format!("{place} iperf 2 UDP test: {count} datagrams received, {lost} lost"));
                self.start(peer, one.back.as_ref().filter(|back| !back.now));
            }
            if datagram.len() >= ANSWERABLE_BYTES {
                // Lost or refused: the client asks again.
                let _ = self.socket.send_to(&one.answer(datagram), peer);
            }
        }
    }

    /// A client by its first datagram, which says what the test is.
    fn first(&self, peer: SocketAddr, datagram: &[u8], now: Instant) -> Arrived {
        let mut one = Arrived::new(now);
        let header = &datagram[PREFIX_BYTES..];
        let rate_bits_per_s = word(header, RATE_WORD);
        let header = Header::parse(header);
        if header.direction != Direction::Forward {
            // It would be sent more than comes from it, whoever it is.
            one.refused = true;
            let place = peer.ip().to_canonical();
            (self.log)(&format!(
                "{place} iperf 2 UDP test refused: -R and --full-duplex are served by TCP only; -d and -r work"
            ));
            return one;
        }
        one.back = Back::asked(&header, rate_bits_per_s, datagram.len(), peer.ip(), self.duration);
        self.start(peer, one.back.as_ref().filter(|back| back.now));
        one
    }

    fn start(&self, peer: SocketAddr, back: Option<&Back>) {
        let Some(back) = back else { return };
        match self.running.take(peer.ip().to_canonical(), 1) {
            Some(place) => back.start(place, Arc::clone(&self.stop), Arc::clone(&self.log)),
            None => (self.log)(&format!(
                "{} refused: the limit of open iperf 2 connections is reached",
                peer.ip().to_canonical()
            )),
        }
    }

    fn has_room(&self, clients: &HashMap<SocketAddr, Arrived>, address: IpAddr) -> bool {
        let own = clients.keys().filter(|known| known.ip() == address).count();
        clients.len() < self.clients && (self.clients_per_address == 0 || own < self.clients_per_address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_in_the_numbers_is_loss_and_a_late_one_is_out_of_order() {
        let now = Instant::now();
        let mut arrived = Arrived::new(now);
        for number in [0, 1, 3, 2, 6] {
            arrived.take(now, number, 0.0, 100);
        }
        assert_eq!((arrived.count, arrived.lost(), arrived.out_of_order), (5, 2, 1));
        let answer = arrived.answer(&[7; 100]);
        assert_eq!((answer.len(), &answer[..PREFIX_BYTES]), (100, &[7; PREFIX_BYTES][..]));
        let of = |index: usize| word(&answer, PREFIX_BYTES / 4 + index);
        assert_eq!([of(0), of(2), of(5), of(6), of(7)], [HAS_ACCOUNT, 500, 2, 1, 7]);
    }
}
