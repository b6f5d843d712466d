//! As much of HTTP/1.1 as a scrape needs: one GET for each connection.

use fullwire_present::Printed;
use std::time::Duration;

/// A request line and its headers.
pub(super) const HEAD_BYTES: usize = 4 << 10;
/// Lines of it: a proxy adds a few.
const HEADERS: usize = 64;

/// What was requested.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Request {
    /// Without the query.
    pub(crate) path: String,
    /// As given, percent-decoded.
    pub(crate) query: Vec<(String, String)>,
    /// What the client takes.
    pub(crate) accept: String,
    /// How long the scraper waits.
    pub(crate) scrape_timeout: Option<Duration>,
    /// By which name the client asks: `HOST[:PORT]`.
    pub(crate) host: String,
}

impl Request {
    /// The first value of this name.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl Request {
    /// Whether it asks for this server by an address, by `localhost` or by one of these names. A web page of a stranger
    /// whose name is made to lead here asks by that name: the browser would let it read the answer.
    #[cfg_attr(not(feature = "estate"), allow(dead_code, reason = "the page of an estate asks"))]
    pub(crate) fn asks_for(&self, names: &[String]) -> bool {
        let host = match self.host.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') && !host.ends_with(':') => host,
            _ => self.host.as_str(),
        };
        let is_address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok();
        is_address
            || host.is_empty()
            || host.eq_ignore_ascii_case("localhost")
            || names.iter().any(|name| name.eq_ignore_ascii_case(host))
    }
}

/// What is answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    content_type: &'static str,
    pub(crate) body: Printed,
}

impl Answer {
    pub(crate) fn plain(status: u16, body: impl AsRef<str>) -> Self {
        Self { status, content_type: "text/plain; charset=utf-8", body: Printed::lines(body.as_ref()) }
    }

    pub(crate) fn of(content_type: &'static str, body: Printed) -> Self {
        Self { status: 200, content_type, body }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            421 => "Misdirected Request",
            404 => "Not Found",
            405 => "Method Not Allowed",
            _ => "Service Unavailable",
        };
        format!(
            "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
             X-Content-Type-Options: nosniff\r\n\r\n{}",
            self.status,
            self.content_type,
            self.body.len(),
            self.body
        )
        .into_bytes()
    }
}

pub(super) fn parse(head: &[u8]) -> Result<Request, Answer> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut read = httparse::Request::new(&mut headers);
    let complete = read.parse(head).is_ok_and(|status| status.is_complete());
    let (true, Some(method), Some(target)) =
        (complete, read.method, read.path.filter(|path| path.starts_with('/')))
    else {
        return Err(Answer::plain(400, "not HTTP/1\n"));
    };
    if method != "GET" {
        return Err(Answer::plain(405, "only GET\n"));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut request = Request { path: path.to_owned(), query: pairs(query), ..Request::default() };
    for header in read.headers {
        let value = String::from_utf8_lossy(header.value);
        match header.name.to_ascii_lowercase().as_str() {
            "host" => request.host = value.into_owned(),
            "accept" => request.accept = value.into_owned(),
            "x-prometheus-scrape-timeout-seconds" => request.scrape_timeout = seconds(&value),
            _ => {}
        }
    }
    Ok(request)
}

fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    (seconds.is_finite() && (0.0..3600.0).contains(&seconds)).then(|| Duration::from_secs_f64(seconds))
}

fn pairs(query: &str) -> Vec<(String, String)> {
    let pair = |part: &str| {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        (decoded(key), decoded(value))
    };
    query.split('&').filter(|part| !part.is_empty()).map(pair).collect()
}

/// `%5B` as `[`, `+` as a blank; what is malformed stays as it is.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = hex.filter(|_| bytes[at] == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(byte.unwrap_or(if bytes[at] == b'+' { b' ' } else { bytes[at] }));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_not_read_by_a_name_that_a_stranger_made_to_lead_here() {
        let names = ["monitor.example.com".to_owned()];
        let asks = |host: &str| Request { host: host.to_owned(), ..Request::default() }.asks_for(&names);
        for own in [
            "127.0.0.1:5556", "[::1]:5556", "[::1]", "localhost", "LOCALHOST:1", "Monitor.example.com:5556",
            "",
        ] {
            assert!(asks(own), "{own}");
        }
        for other in
            ["evil.example", "127.0.0.1.evil.example:5556", "monitor.example.com.evil:5556", "localhost.evil"]
        {
            assert!(!asks(other), "{other}");
        }
    }

    #[test]
    fn a_scrape_is_understood_and_nothing_else_is() {
        let head = "GET /probe?target=%5B::1%5D:5555&module=rtt&x HTTP/1.1\r\nHost: a\r\nACCEPT: text/plain\r\n\
                    X-Prometheus-Scrape-Timeout-Seconds: 9.5\r\n\r\n";
        let request = parse(head.as_bytes()).unwrap();
        assert_eq!((request.path.as_str(), request.accept.as_str()), ("/probe", "text/plain"));
        assert_eq!((request.value("target"), request.value("module")), (Some("[::1]:5555"), Some("rtt")));
        assert_eq!(request.scrape_timeout, Some(Duration::from_millis(9500)));
        for (head, status) in [
            ("POST /metrics HTTP/1.1\r\n\r\n", 405),
            ("GET /metrics\r\n\r\n", 400),
            ("GET http://elsewhere/ HTTP/1.1\r\n\r\n", 400),
            ("GET / SPDY/3\r\n\r\n", 400),
            ("\r\n\r\n", 400),
        ] {
            assert_eq!(parse(head.as_bytes()).unwrap_err().status, status, "{head}");
        }
        for odd in ["NaN", "-1", "1e300", "", "soon"] {
            assert_eq!(seconds(odd), None, "{odd}");
        }
        assert_eq!(decoded("%zz%4"), "%zz%4");
    }
}
