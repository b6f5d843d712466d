//! What the coordinator shows over HTTP: it reads, and changes and starts nothing.

use super::look;
use crate::cli::CoordinatorArgs;
use crate::database;
use crate::estate::credential::Coordinator;
use crate::metrics::clients;
use crate::metrics::http::{Answer, Request};
use crate::metrics::negotiated;
use crate::output::Show;
use anyhow::{Context, Result};
use fullwire_mesh::judge;
use fullwire_model::Run;
use fullwire_model::estate::Estate;
use fullwire_model::mesh::Mesh;
use fullwire_present::Printed;
use fullwire_present::{Report, export, html, json};
use fullwire_store::StoreError;
use fullwire_store::postgres::{Duty, Shared};
use std::net::TcpListener;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
/// A look is shown again for so many times as long as it took: browsers and scrapers cost the database a tenth of a core,
/// however large the estate is and however many they are.
const SHOWN_AGAIN: u32 = 10;

/// Starts it if `--listen` is given.
pub(super) fn serve(
    args: &CoordinatorArgs,
    config: &Coordinator,
    show: &Show,
    stop: &Arc<AtomicBool>,
) -> Result<()> {
    let Some(listen) = &args.listen else { return Ok(()) };
    let listener = TcpListener::bind(listen).with_context(|| format!("listen for browsers on {listen}"))?;
    let address = listener.local_addr()?;
    // A reader that has gone away does not stop the server.
    let _ = Show::text(&format!("page on http://{address}/: without a key\n"));
    if !address.ip().is_loopback() {
        show.note(
            "anyone who reaches that port can read the figures of all hosts: restrict it with a firewall or a proxy",
        );
    }
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let page = Page {
        database: config.database.clone(),
        names: args.name.iter().cloned().chain([name]).collect(),
        store: Mutex::default(),
        look: Mutex::default(),
    };
    let stop = Arc::clone(stop);
    let work =
        move || clients::serve(&listener, &stop, &Arc::new(move |request: &Request| page.answer(request)));
    std::thread::Builder::new().name("page".into()).spawn(work).context("start a thread")?;
    Ok(())
}

struct Page {
    database: String,
    /// Under which names it may be asked for, next to addresses.
    names: Vec<String>,
    /// The connection that the last answer left. Nothing is judged or drawn while it is held: whoever asks meanwhile takes
    /// one of its own.
    store: Mutex<Option<Shared>>,
    look: Mutex<Option<Look>>,
}

/// How the estate was.
struct Look {
    estate: Arc<Estate>,
    until: Instant,
}

/// What is shown, as it was read.
enum Shown {
    Estate(Arc<Estate>),
    Round(Vec<u8>),
    Run(Box<Run>),
    Refusal(Answer),
}

impl Page {
    fn answer(&self, request: &Request) -> Answer {
        if !request.asks_for(&self.names) {
            return Answer::plain(421, "this page is not called that: ask by its address, or see --name\n");
        }
        let drawn = self.read(request.path.as_str()).and_then(|shown| draw(request, shown));
        drawn.unwrap_or_else(|error| match error.downcast_ref() {
            Some(StoreError::NotFound { .. } | StoreError::Empty { .. }) => {
                Answer::plain(404, format!("{error}\n"))
            }
            _ => Answer::plain(503, format!("{}\n", crate::sentence(&error))),
        })
    }

    fn read(&self, path: &str) -> Result<Shown> {
        let held = lock(&self.store).take();
        let store = match held {
            Some(store) => store,
            None => database::shared_for(&self.database, Duty::Show)?,
        };
        let shown = self.read_from(path, &store)?;
        // A connection that failed is not used again.
        *lock(&self.store) = Some(store);
        Ok(shown)
    }

    fn read_from(&self, path: &str, store: &Shared) -> Result<Shown> {
        if let Some(round) = path.strip_prefix("/round/") {
            return Ok(match store.round_mesh(round)? {
                Some(body) => Shown::Round(body),
                None => Shown::Refusal(Answer::plain(404, "no such round, or it is not over yet\n")),
            });
        }
        if let Some(run) = path.strip_prefix("/run/") {
            return Ok(Shown::Run(Box::new(store.load(run)?)));
        }
        match path {
            "/" | "/estate.json" | "/metrics" => Ok(Shown::Estate(self.look(store)?)),
            _ => {
                let there = "there are /, /estate.json, /metrics, /round/ID and /run/ID\n";
                Ok(Shown::Refusal(Answer::plain(404, there)))
            }
        }
    }

    /// The estate, as it was a moment ago if looking takes long.
    fn look(&self, store: &Shared) -> Result<Arc<Estate>> {
        let mut held = lock(&self.look);
        if let Some(look) = held.as_ref().filter(|look| Instant::now() < look.until) {
            return Ok(Arc::clone(&look.estate));
        }
        let begun = Instant::now();
        let estate = Arc::new(look(store)?);
        *held =
            Some(Look { estate: Arc::clone(&estate), until: Instant::now() + begun.elapsed() * SHOWN_AGAIN });
        Ok(estate)
    }
}

/// A thread that panicked leaves values that are whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Judges and draws, and holds nothing that another answer needs.
fn draw(request: &Request, shown: Shown) -> Result<Answer> {
    Ok(match shown {
        Shown::Refusal(refusal) => refusal,
        Shown::Run(run) => {
            let assessment = fullwire_rules::assess(&run);
            Answer::of(HTML, html::page(&Report::new(&run, &assessment)))
        }
        Shown::Round(body) => {
            let mesh: Mesh = fullwire_model::json::read(&body).context("read the round")?;
            Answer::of(HTML, html::mesh(&mesh, &judge::judge(&mesh)))
        }
        Shown::Estate(estate) => match request.path.as_str() {
            "/metrics" => negotiated(request, &export::estate(&estate)),
            "/estate.json" => {
                Answer::of(JSON, Printed::json(&serde_json::to_string(&json::estate(&estate))?))
            }
            _ => Answer::of(HTML, html::estate(&estate)),
        },
    })
}
