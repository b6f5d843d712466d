//! The options, as the jar takes them: `-name=value`, `-flag`.

use crate::cli::value::{Frequency, frequency};
use anyhow::{Context, Result, bail};
use fullwire_model::net::{NetMode, NetPlan, Payload};
use fullwire_model::quantity::{QuantityError, parse_duration_ns, parse_size_bytes};
use std::path::{Path, PathBuf};

pub(crate) const USAGE: &str = "Usage: oratcptest [<host>] [options]

Server:
  -server [<address>]     serve clients
  -port=<port>            listen on this port [5555]
  -output=<path>          write messages to a private file in this directory [the current one]

Client:
  -port=<port>            the server's port [5555]
  -mode=sync|async        wait for each message's acknowledgement, or stream [sync]
  -length=<size>          message payload: 512, 8k, 1m [1m]
  -rand_length            each message has a random length from 512 bytes to -length
  -payload=random|zero|<file>
  -num_conn=<n>           connections [1]
  -delay=<time>           pause between messages
  -rand_delay             each pause is random, up to -delay
  -sockbuf=<size>         socket buffers [system default]
  -write                  the server writes messages to disk before it acknowledges
  -duration=<time>|<size> [10s]
  -interval=<time>        interval between statistics [10s]
  -freq=<every>/<for>     repeat: 1h/24h
  -timeout=<time>         give up after this time without progress
  -rtt                    round trip of empty messages
  -output=<file>          also write what is printed there
";

/// What is requested.
#[derive(Debug, PartialEq)]
pub(crate) enum Options {
    Help,
    Server(Server),
    Client(Box<Client>),
}

/// The server's side.
#[derive(Debug, PartialEq)]
pub(crate) struct Server {
    pub(crate) address: Option<String>,
    pub(crate) port: u16,
    pub(crate) directory: PathBuf,
}

/// The client's side.
#[derive(Debug, PartialEq)]
pub(crate) struct Client {
    pub(crate) plan: NetPlan,
    pub(crate) frequency: Option<Frequency>,
    pub(crate) output: Option<PathBuf>,
    pub(crate) timeout_given: bool,
}

/// Words that may stand for one option; the first is the one that is documented here.
const NAMES: [&[&str]; 16] = [
    &["port"],
    &["mode"],
    &["length"],
    &["rand_length", "random_length", "randlength"],
    &["payload", "content"],
    &["num_conn", "connections", "conn"],
    &["delay"],
    &["rand_delay", "random_delay", "randdelay"],
    &["sockbuf"],
    &["write"],
    &["duration"],
    &["interval"],
    &["freq", "frequency"],
    &["timeout"],
    &["rtt"],
    &["output", "file"],
];

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

    fn port(&self) -> Result<u16> {
        let text = self.value("port").unwrap_or("5555");
        text.parse().with_context(|| format!("-port={text}: a number from 1 to 65535"))
    }

    fn server(self) -> Result<Server> {
        Ok(Server { port: self.port()?, directory: directory(self.value("output")), address: self.host })
    }

    fn client(self) -> Result<Client> {
        let host = self.host.clone().with_context(|| format!("which host?\n{USAGE}"))?;
        let rtt = self.value("rtt").is_some();
        let mode = match self.value("mode").map(str::to_ascii_lowercase).as_deref() {
            None | Some("sync") => NetMode::Sync,
            Some("async") => NetMode::Async,
            Some(other) => bail!("-mode={other}: sync or async"),
        };
        let (duration_ns, duration_bytes) = self.extent()?;
        let connections = self.value("num_conn").unwrap_or("1");
        let target = if host.contains(':') {
            format!("[{host}]:{}", self.port()?)
        } else {
            format!("{host}:{}", self.port()?)
        };
        let plan = NetPlan {
            target,
            mode: if rtt { NetMode::Rtt } else { mode },
            streams: connections.parse().with_context(|| format!("-num_conn={connections}: a number"))?,
            length_bytes: if rtt { 0 } else { self.size("length")?.unwrap_or(1 << 20) },
            duration_ns,
            duration_bytes,
            interval_ns: self.time_ns("interval")?.unwrap_or(10_000_000_000),
            delay_ns: self.time_ns("delay")?.unwrap_or(0),
            random_length: self.value("rand_length").is_some(),
            random_delay: self.value("rand_delay").is_some(),
            payload: match self.value("payload") {
                None | Some("random" | "RANDOM") => Payload::Random,
                Some("zero" | "ZERO") => Payload::Zero,
                Some(path) => Payload::File(path.to_owned()),
            },
            write: self.value("write").is_some(),
            sockbuf_bytes: self.size("sockbuf")?.unwrap_or(0),
            depth: 1,
            timeout_ns: self.time_ns("timeout")?.unwrap_or(30_000_000_000),
            ..NetPlan::default()
        };
        Ok(Client {
            plan,
            frequency: self.value("freq").map(frequency).transpose().context("-freq")?,
            output: self.value("output").map(PathBuf::from),
            timeout_given: self.value("timeout").is_some(),
        })
    }

    /// `10s` or `1g`.
    fn extent(&self) -> Result<(u64, u64)> {
        let text = self.value("duration").unwrap_or("10s");
        match (parse_duration_ns(text), size_bytes(text)) {
            (Ok(ns), _) => Ok((ns, 0)),
            (Err(_), Ok(bytes)) => Ok((0, bytes)),
            (Err(error), Err(_)) => Err(error).context("-duration"),
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
        let server = Server { address: Some("10.0.1.22".into()), port: 1521, directory: ".".into() };
        assert_eq!(parse(&words("-server 10.0.1.22 -port=1521")).unwrap(), Options::Server(server));
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
    fn mistakes_name_the_option() {
        let error = |line: &str| format!("{:#}", parse(&words(line)).unwrap_err());
        assert!(error("h -lenght=8k").contains("-lenght")); // typos: as it is
        assert!(error("h -length=8q").contains("-length"));
        assert!(error("h -mode=turbo").contains("sync or async"));
        assert!(error("-length=8k").contains("which host"));
    }
}
