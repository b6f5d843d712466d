//! `fullwire node`: what `fullwire mesh` starts on each host. Orders come in on stdin, reports go out on stdout, one
//! JSON value a line; the end of stdin, or silence, is its end.

use crate::cli::NodeArgs;
use crate::mesh::Worker;
use crate::output::Show;
use crate::{peer, signals};
use anyhow::{Context, Result};
use fullwire_mesh::message::Order;
use fullwire_probe::net::{Access, Gate, Responder, ServeConfig};
use std::io::{BufRead, Read as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What runs has this long to clean up behind itself.
const FAREWELL: Duration = Duration::from_secs(4);
/// How often a signal, a silent coordinator and tests that take too long are looked for.
const TICK: Duration = Duration::from_millis(200);

pub(crate) fn run(args: &NodeArgs, _show: &Show) -> Result<ExitCode> {
    let stop = signals::on_signals()?;
    let key = peer::key::read_key(&args.key)?.context("a node needs a key: --key-file")?;
    let worker = Worker::new(&stop);
    let config = ServeConfig {
        listen: args.listen.clone(),
        access: Access::Key(key),
        facts: Some(worker.facts()?),
        gate: Some(Arc::clone(&worker) as Arc<dyn Gate>),
        sockbuf_bytes: None,
        ..ServeConfig::default()
    };
    let responder = Responder::bind(config)?;
    Show::text(&format!("listening on {}\n", responder.address()))?;
    let flag = Arc::clone(&stop);
    let serve = std::thread::Builder::new().name("responder".into()).spawn(move || responder.run(&flag));
    let serve = serve.context("start a thread")?;
    hear(&worker)?;
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(TICK);
        worker.look();
    }
    // A measurement that does not come back (storage that hangs) must not keep the node here.
    let last = std::thread::Builder::new().name("farewell".into()).spawn(|| {
        std::thread::sleep(FAREWELL);
        std::process::exit(1);
    });
    last.context("start a thread")?;
    worker.wait();
    // A panic there has been reported on stderr.
    let _ = serve.join();
    worker.account();
    Ok(ExitCode::SUCCESS)
}

/// Obeys orders next to the caller, until there are no more.
fn hear(worker: &Arc<Worker>) -> Result<()> {
    let worker = Arc::clone(worker);
    let listen = move || {
        let mut stdin = std::io::stdin().lock();
        while let Some(order) = next_order(&mut stdin) {
            Worker::obey(&worker, order);
        }
        worker.stop();
    };
    std::thread::Builder::new().name("orders".into()).spawn(listen).context("start a thread")?;
    Ok(())
}

/// An order is a few hundred bytes, the first one names all hosts.
const ORDER_LIMIT_BYTES: u64 = 1 << 20;

/// The next order; one that makes no sense is the end, as anyone who gives it is not ours.
fn next_order(from: &mut impl BufRead) -> Option<Order> {
    let mut line = Vec::new();
    from.take(ORDER_LIMIT_BYTES).read_until(b'\n', &mut line).ok()?;
    fullwire_model::json::read(&line).ok()
}
