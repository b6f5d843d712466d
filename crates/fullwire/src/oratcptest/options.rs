//! The options, as the jar takes them: `-name=value`, `-flag`.

use crate::cli::value::{Frequency, frequency};
use anyhow::{Context, Result, bail};
use fullwire_model::net::{NetMode, NetPlan, Payload, UNTIL_STOPPED_NS};
use fullwire_model::quantity::{QuantityError, parse_duration_ns, parse_size_bytes};
use std::path::{Path, PathBuf};

pub(crate) const USAGE: &str = "Usage: oratcptest <host> -port=<port> [options]
       oratcptest -server [<address>] -port=<port> [options]

Server options:
  -port=<port>        port to listen on [5555]
  -file=<name>        for -write: messages are written to a private file beside this one, which is removed afterwards
                      [oratcp.tmp]
  -sockbuf=<bytes>    socket buffers of the server; 0: the system's default [0]
  -help               this text

Client options:
  -port=<port>        port of the server [5555]
  -write              the server writes each message to disk before it acknowledges it
  -mode=SYNC|ASYNC    wait for the acknowledgement of each message, or stream [SYNC]
  -num_conn=<number>  TCP connections [1]
  -sockbuf=<bytes>    socket buffers of the client; 0: the system's default [0]
  -length=<bytes>     length of a message: 512, 8k, 1M [1M]
  -delay=<time>       pause between messages, in milliseconds unless a unit is given: 5, 5ms, 2s [0]
  -rtt                round trips of empty messages, as -mode=SYNC -length=0
  -random_length      the length of each message is random, from 512 bytes to -length
  -random_delay       the pause after each message is random, from 0 to -delay
  -payload=RANDOM|ZERO|<file>
                      content of the messages [RANDOM]
  -interval=<time>    time between statistics [10s]
  -duration=<time>|<bytes>
                      end after a time (10s, 2m, 1h) or an amount (20971520, 500M, 1G)
                      [the test runs until it is interrupted]
  -freq=<time>/<time> repeat: 1h/24h is once an hour for 24 hours
  -timeout=<time>     give up when nothing has moved for this time [no timeout]
  -output=<name>      also write the statistics to this file
  -help               this text

A time has a unit: ms, s, m, h. Without one, -delay is in milliseconds and -duration in bytes.
Sizes with k, M or G are powers of 1024.
";

/// What is requested.
#[derive(Debug, PartialEq)]
pub(crate) enum Options {
    Help,
    Server(Server),
    Client(Box<Client>),
}

/// The server's side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Server {
    pub(crate) address: Option<String>,
    pub(crate) port: u16,
    pub(crate) directory: PathBuf,
    /// 0: the system's default.
    pub(crate) sockbuf_bytes: u64,
}

/// The client's side.
#[derive(Debug, PartialEq)]
pub(crate) struct Client {
    pub(crate) plan: NetPlan,
    pub(crate) frequency: Option<Frequency>,
    pub(crate) output: Option<PathBuf>,
}

impl Client {
    /// How long nothing may move; `None`: for ever.
    pub(crate) fn timeout_ns(&self) -> Option<u64> {
        Some(self.plan.timeout_ns).filter(|&ns| ns != FOREVER_NS)
    }
}

/// Words that may stand for one option; the first is the documented one.
const NAMES: [&[&str]; 17] = [
    &["port"],
    &["mode"],
    &["length"],
    &["random_length", "rand_length", "randlength"],
    &["payload", "content"],
    &["num_conn", "connections", "conn"],
    &["delay"],
    &["random_delay", "rand_delay", "randdelay"],
    &["sockbuf"],
    &["write"],
    &["duration"],
    &["interval"],
    &["freq", "frequency"],
    &["timeout"],
    &["rtt"],
    &["output"],
    &["file"],
];

/// What a server takes of them.
const OF_THE_SERVER: [&str; 3] = ["port", "file", "sockbuf"];

/// What no client takes.
const OF_THE_SERVER_ALONE: &str = "file";

/// Waits without end: what the jar does where no time is given.
const FOREVER_NS: u64 = u64::MAX;

/// Reads the command line of the jar.
pub(crate) fn parse(arguments: &[String]) -> Result<Options> {
    let mut given = Given::default();
    for argument in arguments {
        given.take(argument)?;
    }
    if given.help || arguments.is_empty() {
        return Ok(Options::Help);
    }
    if given.server {
        return given.server().map(Options::Server);
    }
    given.client().map(|client| Options::Client(Box::new(client)))
}

/// Options as typed.
#[derive(Default)]
struct Given {
    help: bool,
    server: bool,
    host: Option<String>,
    values: Vec<(&'static str, String)>,
}

impl Given {
    fn take(&mut self, argument: &str) -> Result<()> {
        let option = argument.trim_start_matches('-');
        if option.len() == argument.len() {
            if self.host.replace(argument.to_owned()).is_some() {
                bail!("more than one host: {argument}\n{USAGE}");
            }
            return Ok(());
        }
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        match name.to_ascii_lowercase().as_str() {
            "help" | "h" | "?" => self.help = true,
            "server" => {
                self.server = true;
                if !value.is_empty() {
                    self.host = Some(value.to_owned());
                }
            }
            name => {
                let known = NAMES.iter().find(|names| names.contains(&name));
                let known = known.with_context(|| format!("unknown option -{name}\n{USAGE}"))?;
                self.values.push((known[0], value.to_owned()));
            }
        }
        Ok(())
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        let read = |text| size_bytes(text).with_context(|| format!("-{name}"));
        self.value(name).map(read).transpose()
    }

    fn time_ns(&self, name: &str) -> Result<Option<u64>> {
        let read = |text| parse_duration_ns(text).with_context(|| format!("-{name}"));
        self.value(name).map(read).transpose()
    }

    /// A bare number is in milliseconds here, as documented for the jar.
    fn delay_ns(&self) -> Result<u64> {
        let Some(text) = self.value("delay") else { return Ok(0) };
        let bare = text.trim().ends_with(|last: char| last.is_ascii_digit());
        let text = if bare { format!("{}ms", text.trim()) } else { text.to_owned() };
        parse_duration_ns(&text).context("-delay")
    }

    fn port(&self) -> Result<u16> {
        let text = self.value("port").unwrap_or("5555");
        text.parse().with_context(|| format!("-port={text}: a number from 1 to 65535"))
    }

    fn server(self) -> Result<Server> {
        if let Some((name, _)) = self.values.iter().find(|(name, _)| !OF_THE_SERVER.contains(name)) {
            bail!("-{name} is an option of the client\n{USAGE}");
        }
        let sockbuf_bytes = self.size("sockbuf")?.unwrap_or(0);
        let directory = directory(self.value("file"));
        Ok(Server { port: self.port()?, directory, sockbuf_bytes, address: self.host })
    }

    fn client(self) -> Result<Client> {
        let host = self.host.clone().with_context(|| format!("which host?\n{USAGE}"))?;
        if self.value(OF_THE_SERVER_ALONE).is_some() {
            bail!("-file is an option of the server; the client's statistics go to -output\n{USAGE}");
        }
        let rtt = self.value("rtt").is_some();
        let mode = match self.value("mode").map(str::to_ascii_lowercase).as_deref() {
            None | Some("sync") => NetMode::Sync,
            Some("async") => NetMode::Async,
            Some(other) => bail!("-mode={other}: sync or async"),
        };
        let length_bytes = if rtt { 0 } else { self.size("length")?.unwrap_or(1 << 20) };
        let (duration_ns, duration_bytes) = self.extent(length_bytes)?;
        let connections = self.value("num_conn").unwrap_or("1");
        let target = if host.contains(':') {
            format!("[{host}]:{}", self.port()?)
        } else {
            format!("{host}:{}", self.port()?)
        };
        let plan = NetPlan {
            target: target.into(),
            mode: if rtt { NetMode::Rtt } else { mode },
            streams: connections.parse().with_context(|| format!("-num_conn={connections}: a number"))?,
            length_bytes,
            duration_ns,
            duration_bytes,
            interval_ns: self.time_ns("interval")?.unwrap_or(10_000_000_000),
            delay_ns: self.delay_ns()?,
            random_length: self.value("random_length").is_some(),
            random_delay: self.value("random_delay").is_some(),
            payload: match self.value("payload") {
                Some(zero) if zero.eq_ignore_ascii_case("zero") => Payload::Zero,
                Some(path) if !path.eq_ignore_ascii_case("random") => Payload::File(path.to_owned()),
                _ => Payload::Random,
            },
            write: self.value("write").is_some(),
            sockbuf_bytes: self.size("sockbuf")?.unwrap_or(0),
            depth: 1,
            timeout_ns: self.time_ns("timeout")?.filter(|&ns| ns > 0).unwrap_or(FOREVER_NS),
            ..NetPlan::default()
        };
        Ok(Client {
            plan,
            frequency: self.value("freq").map(frequency).transpose().context("-freq")?,
            output: self.value("output").map(PathBuf::from),
        })
    }

    /// `10s`, or `1g`, or a bare number of bytes; without the option the test has no end.
    fn extent(&self, message_bytes: u64) -> Result<(u64, u64)> {
        let Some(text) = self.value("duration") else { return Ok((UNTIL_STOPPED_NS, 0)) };
        let amount = size_bytes(text);
        let bare = text.trim().ends_with(|last: char| last.is_ascii_digit());
        match (parse_duration_ns(text), amount) {
            (_, Ok(bytes)) if bare && bytes < message_bytes => bail!(
                "-duration={text}: {text} bytes are less than one message; for a time, give its unit, such as {text}s"
            ),
            (Ok(ns), _) if !bare => Ok((ns, 0)),
            (_, Ok(bytes)) => Ok((0, bytes)),
            (Ok(_), Err(error)) | (Err(error), Err(_)) => Err(error).context("-duration"),
        }
    }
}

/// With and without a B, the jar's units are powers of 1024.
fn size_bytes(text: &str) -> Result<u64, QuantityError> {
    let bare = text.strip_suffix(['b', 'B']).filter(|bare| bare.ends_with(char::is_alphabetic));
    parse_size_bytes(bare.unwrap_or(text))
}

/// Where a server writes: the directory given, or that of the file given, else the current one, as the jar does. What
/// is written is a private file in it, removed after the test.
fn directory(given: Option<&str>) -> PathBuf {
    let path = Path::new(given.unwrap_or("."));
    if path.is_dir() {
        return path.to_owned();
    }
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn client(line: &str) -> Client {
        match parse(&words(line)).unwrap() {
            Options::Client(client) => *client,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn command_lines_of_real_users() {
        let plan = client("10.0.2.2 -mode=async -duration=10s -interval=2s -port=1521").plan;
        assert_eq!((plan.target.as_str(), plan.mode), ("10.0.2.2:1521", NetMode::Async));
        assert_eq!(
            (plan.length_bytes, plan.duration_ns, plan.interval_ns),
            (1 << 20, 10_000_000_000, 2_000_000_000)
        );
        let plan = client("standby -mode=sync -length=0 -duration=1s -interval=1s").plan;
        assert_eq!((plan.mode, plan.length_bytes), (NetMode::Sync, 0));
    }

    #[test]
    fn a_server_on_an_address() {
        let server =
            Server { address: Some("10.0.1.22".into()), port: 1521, directory: ".".into(), sockbuf_bytes: 0 };
        assert_eq!(parse(&words("-server 10.0.1.22 -port=1521")).unwrap(), Options::Server(server.clone()));
        let tuned = Server { sockbuf_bytes: 2_097_152, ..server };
        assert_eq!(
            parse(&words("-server 10.0.1.22 -port=1521 -sockbuf=2097152")).unwrap(),
            Options::Server(tuned)
        );
    }

    #[test]
    fn a_server_that_writes_does_so_where_the_file_would_be() {
        assert_eq!(directory(Some("/tmp")), Path::new("/tmp"));
        assert_eq!(directory(Some("/tmp/oratcp.tmp")), Path::new("/tmp"));
        assert_eq!(directory(Some("oratcp.tmp")), Path::new("."));
    }

    #[test]
    fn sizes_with_a_b_are_powers_of_1024_too() {
        let length = |text: &str| client(&format!("h -length={text}")).plan.length_bytes;
        assert_eq!(
            ["8k", "8kB", "1M", "1MB", "512b", "8020"].map(length),
            [8192, 8192, 1 << 20, 1 << 20, 512, 8020]
        );
    }

    #[test]
    fn an_amount_and_a_frequency() {
        let asked = client("h -duration=1g -freq=1h/24h");
        assert_eq!((asked.plan.duration_ns, asked.plan.duration_bytes), (0, 1 << 30));
        let hour = std::time::Duration::from_secs(3600);
        assert_eq!(asked.frequency, Some(Frequency { every: hour, whole: 24 * hour }));
    }

    #[test]
    fn a_bare_delay_is_in_milliseconds() {
        let delay_ms = |line: &str| client(&format!("h {line}")).plan.delay_ns / 1_000_000;
        let lines = ["-delay=5", "-delay=5ms", "-delay=2s", "-delay=20 -random_delay", "-duration=1s"];
        assert_eq!(lines.map(delay_ms), [5, 5, 2000, 20, 0]);
        assert!(client("h -delay=20 -random_delay").plan.random_delay);
    }

    #[test]
    fn a_test_ends_by_time_by_bytes_or_not_at_all() {
        let extent = |line: &str| {
            let plan = client(&format!("h {line}")).plan;
            (plan.duration_ns, plan.duration_bytes)
        };
        assert_eq!(extent(""), (UNTIL_STOPPED_NS, 0));
        assert_eq!(extent("-duration=2h"), (7_200_000_000_000, 0));
        assert_eq!(extent("-duration=20971520"), (0, 20_971_520));
        assert_eq!(extent("-duration=500M"), (0, 500 << 20));
        let short = parse(&words("h -duration=10")).unwrap_err().to_string();
        assert!(short.contains("less than one message") && short.contains("10s"), "{short}");
    }

    #[test]
    fn the_payload_has_a_name_in_any_spelling() {
        let payload = |name: &str| client(&format!("h -payload={name}")).plan.payload;
        for zero in ["zero", "ZERO", "Zero"] {
            assert_eq!(payload(zero), Payload::Zero);
        }
        assert_eq!(payload("Random"), Payload::Random);
        assert_eq!(payload("./zero"), Payload::File("./zero".into()));
    }

    #[test]
    fn without_a_timeout_it_waits_for_ever() {
        assert_eq!(client("h").timeout_ns(), None);
        assert_eq!(client("h -timeout=0").timeout_ns(), None);
        assert_eq!(client("h -timeout=5s").timeout_ns(), Some(5_000_000_000));
    }

    #[test]
    fn help_names_every_documented_option() {
        for names in NAMES {
            assert!(USAGE.contains(&format!("  -{}", names[0])), "{}", names[0]);
        }
    }

    #[test]
    fn mistakes_name_the_option() {
        let error = |line: &str| format!("{:#}", parse(&words(line)).unwrap_err());
        assert!(error("h -lenght=8k").contains("-lenght")); // typos: as it is
        assert!(error("h -length=8q").contains("-length"));
        assert!(error("h -mode=turbo").contains("sync or async"));
        assert!(error("-length=8k").contains("which host"));
        assert!(error("-server -length=8k").contains("-length is an option of the client"));
        assert!(error("h -file=/tmp/x").contains("-file is an option of the server"));
    }
}
