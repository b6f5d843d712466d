//! What `serve --metrics-listen` answers a monitoring system: `/metrics` judges the last kept run or the end of a
//! recording, `/probe` measures a target of the allow list. Load is never started from here: two scrapers would start it twice.

pub(crate) mod clients;
pub(crate) mod http;
mod probe;

use crate::cli::{KeyArgs, MetricsArgs};
use crate::command::export::newest;
use crate::output::Show;
use crate::recorder::end_of;
use crate::session::store::read_store;
use anyhow::{Context, Result};
use fullwire_model::Run;
use fullwire_model::assessment::Assessment;
use fullwire_present::export::{self, CONTENT_TYPE_OPENMETRICS, CONTENT_TYPE_TEXT, Family, Scope};
use http::{Answer, Request};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A path that was measured longer ago is not shown: a dashboard looks back a month.
const SHOWN_FOR: Duration = Duration::from_secs(31 * 86_400);
/// What was judged answers every request for so long: whoever reaches the port keeps one CPU busy at most.
const FRESH: Duration = Duration::from_secs(1);
/// So much of a recording's end is judged.
const RECORDED_FOR: Duration = Duration::from_secs(60);

/// Starts it where it was requested.
pub(crate) fn serve(
    args: &MetricsArgs,
    key: &KeyArgs,
    show: &Show,
    stop: &Arc<AtomicBool>,
) -> Result<Option<JoinHandle<()>>> {
    let Some(listen) = &args.metrics_listen else { return Ok(None) };
    let addresses = fullwire_probe::net::resolve(listen)?;
    let listener =
        TcpListener::bind(&addresses[..]).with_context(|| format!("listen for scrapes on {listen}"))?;
    announce(listener.local_addr()?, show);
    let server = Arc::new(Server {
        store: args.metrics_store.clone(),
        recording: args.metrics_recording.clone(),
        prober: probe::Prober::new(&args.probe_allow, key, show, stop)?,
        judged: Mutex::new(None),
    });
    let stop = Arc::clone(stop);
    let work =
        move || clients::serve(&listener, &stop, &Arc::new(move |request: &Request| server.answer(request)));
    let thread = std::thread::Builder::new().name("metrics".into()).spawn(work);
    Ok(Some(thread.context("start a thread")?))
}

/// On stdout like the responder's own line.
fn announce(address: SocketAddr, show: &Show) {
    // A reader that has gone away does not stop the server.
    let _ = Show::text(&format!("metrics on http://{address}/metrics: no key needed\n"));
    if !address.ip().is_loopback() {
        show.note("anyone who can reach that port can read this host's figures; restrict it with a firewall or a proxy");
    }
}

struct Server {
    store: Option<PathBuf>,
    recording: Option<PathBuf>,
    prober: probe::Prober,
    judged: Mutex<Option<Judged>>,
}

/// The answer to a scrape, and since when it stands.
struct Judged {
    families: Vec<Family>,
    at: Instant,
}

impl Server {
    fn answer(&self, request: &Request) -> Answer {
        match request.path.as_str() {
            "/metrics" => self.metrics(request),
            "/probe" => self.prober.answer(request),
            "/" => Answer::plain(200, "fullwire: /metrics, /probe?target=HOST:PORT&module=rtt|mtu|connect\n"),
            _ => Answer::plain(404, "not found; use /metrics or /probe\n"),
        }
    }

    /// The end of the recording, or the last kept run.
    fn run(&self) -> Result<Option<(Run, Assessment)>> {
        match &self.recording {
            Some(recording) => {
                let run = end_of(recording, RECORDED_FOR)?;
                let assessment = fullwire_rules::assess(&run);
                Ok(Some((run, assessment)))
            }
            None => newest(&*read_store(self.store.as_deref())?, SHOWN_FOR),
        }
    }

    /// Who asks while it is judged waits, and gets the same.
    fn metrics(&self, request: &Request) -> Answer {
        let mut judged = self.judged.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = judged.take().filter(|known| known.at.elapsed() < FRESH);
        let judged =
            judged.insert(fresh.unwrap_or_else(|| Judged { families: self.judge(), at: Instant::now() }));
        negotiated(request, &judged.families)
    }

    /// Nothing to judge is no failure of the server, and said by a metric.
    fn judge(&self) -> Vec<Family> {
        let began = Instant::now();
        let run = match self.run() {
            Ok(run) => run,
            Err(error) => {
                Show::warn(&format!("/metrics: {}", crate::sentence(&error)));
                None
            }
        };
        let mut families = Vec::new();
        if let Some((run, assessment)) = &run {
            families = export::families(run, assessment, Scope::Usual);
        }
        let kept = f64::from(u8::from(run.is_some()));
        families.extend(export::single(export::RUN_KEPT, [("", "")], kept));
        let took = began.elapsed().as_secs_f64();
        families.extend(export::single(export::SCRAPE_DURATION, [("", "")], took));
        families
    }
}

/// OpenMetrics for who asks for it, the older format for everyone else.
pub(crate) fn negotiated(request: &Request, families: &[Family]) -> Answer {
    if request.accept.contains("application/openmetrics-text") {
        return Answer::of(CONTENT_TYPE_OPENMETRICS, export::openmetrics(families));
    }
    Answer::of(CONTENT_TYPE_TEXT, export::text(families))
}
