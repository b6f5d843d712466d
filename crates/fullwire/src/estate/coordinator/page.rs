//! What the coordinator shows over HTTP: it reads, and changes and starts nothing.

use super::look;
use crate::cli::CoordinatorArgs;
use crate::database;
use crate::estate::credential::Coordinator;
use crate::metrics::http::{self, Answer, Request};
use crate::metrics::negotiated;
use crate::output::Show;
use anyhow::{Context, Result};
use fullwire_mesh::judge;
use fullwire_model::estate::Estate;
use fullwire_model::mesh::Mesh;
use fullwire_present::{Report, export, html, json};
use fullwire_store::StoreError;
use fullwire_store::postgres::Shared;
use std::net::TcpListener;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
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
    let page = Page { database: config.database.clone(), held: Mutex::default() };
    let stop = Arc::clone(stop);
    let work =
        move || http::serve(&listener, &stop, &Arc::new(move |request: &Request| page.answer(request)));
    std::thread::Builder::new().name("page".into()).spawn(work).context("start a thread")?;
    Ok(())
}

struct Page {
    database: String,
    held: Mutex<Held>,
}

/// What one answer leaves for the next.
#[derive(Default)]
struct Held {
    store: Option<Shared>,
    look: Option<Look>,
}

/// How the estate was.
struct Look {
    estate: Estate,
    until: Instant,
}

impl Held {
    /// The estate, as it was a moment ago if looking takes long.
    fn look(&mut self, store: &Shared) -> Result<&Estate> {
        let look = if let Some(look) = self.look.take().filter(|look| Instant::now() < look.until) {
            look
        } else {
            let begun = Instant::now();
            let estate = look(store)?;
            Look { estate, until: Instant::now() + begun.elapsed() * SHOWN_AGAIN }
        };
        Ok(&self.look.insert(look).estate)
    }
}

impl Page {
    fn answer(&self, request: &Request) -> Answer {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = match held.store.take() {
            Some(store) => Ok(store),
            None => database::shared(&self.database),
        };
        let outcome = outcome.and_then(|store| {
            let answer = answer(request, &store, &mut held)?;
            // A connection that failed is not used again.
            held.store = Some(store);
            Ok(answer)
        });
        outcome.unwrap_or_else(|error| match error.downcast_ref() {
            Some(StoreError::NotFound { .. } | StoreError::Empty { .. }) => {
                Answer::plain(404, format!("{error}\n"))
            }
            _ => Answer::plain(503, format!("{}\n", crate::sentence(&error))),
        })
    }
}

fn answer(request: &Request, store: &Shared, held: &mut Held) -> Result<Answer> {
    let path = request.path.as_str();
    if let Some(round) = path.strip_prefix("/round/") {
        return round_page(round, store);
    }
    if let Some(run) = path.strip_prefix("/run/") {
        let run = store.load(run)?;
        let assessment = fullwire_rules::assess(&run);
        return Ok(Answer::of(HTML, html::page(&Report::new(&run, &assessment))));
    }
    Ok(match path {
        "/" => Answer::of(HTML, html::estate(held.look(store)?)),
        "/estate.json" => Answer::of(JSON, serde_json::to_string(&json::estate(held.look(store)?))?),
        "/metrics" => negotiated(request, &export::estate(held.look(store)?)),
        _ => Answer::plain(404, "there are /, /estate.json, /metrics, /round/ID and /run/ID\n"),
    })
}

fn round_page(round: &str, store: &Shared) -> Result<Answer> {
    let Some(body) = store.round_mesh(round)? else {
        return Ok(Answer::plain(404, "no such round, or it is not over yet\n"));
    };
    let mesh: Mesh = fullwire_model::json::read(&body).context("read the round")?;
    Ok(Answer::of(HTML, html::mesh(&mesh, &judge::judge(&mesh))))
}
