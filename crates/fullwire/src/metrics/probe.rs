//! `/probe?target=HOST:PORT&module=rtt|mtu|connect`: a short measurement of a target that the operator allowed.
//!
//! Without the list the port would scan networks for anyone who reaches it. Bandwidth and storage are never measured from
//! here.

use super::http::{Answer, Request};
use super::negotiated;
use crate::cli::{KeepArgs, KeyArgs};
use crate::output::Show;
use crate::output::progress::Progress;
use crate::peer::reached::Reached;
use crate::session::{self, Session};
use crate::usage;
use anyhow::{Context, Result};
use fullwire_model::mtu::MtuPlan;
use fullwire_model::net::{NetMode, NetPlan};
use fullwire_present::export::{self, Family};
use fullwire_probe::net;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// No probe takes longer, whatever the scraper waits.
const LONGEST: Duration = Duration::from_secs(5);
/// What the answer needs of the scraper's time.
const RESERVE: Duration = Duration::from_millis(500);
/// Messages go to and fro for this long.
const RTT: Duration = Duration::from_secs(1);
/// One size of packet is waited for this long.
const MTU_ECHO: Duration = Duration::from_millis(300);

/// Measures targets of the list.
pub(super) struct Prober {
    allowed: Vec<String>,
    key: KeyArgs,
    show: Show,
    stop: Arc<AtomicBool>,
}

impl Prober {
    pub(super) fn new(
        allowed: &[String],
        key: &KeyArgs,
        show: &Show,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self> {
        for target in allowed {
            if target.contains("://") || net::split(target).is_none() {
                return usage::wrong(format!("--probe-allow {target}: expected HOST:PORT"));
            }
        }
        Ok(Self { allowed: allowed.to_vec(), key: key.clone(), show: show.clone(), stop: Arc::clone(stop) })
    }

    pub(super) fn answer(&self, request: &Request) -> Answer {
        let Some(target) = request.value("target") else {
            return Answer::plain(400, "no target: /probe?target=HOST:PORT&module=rtt\n");
        };
        if !self.allows(target) {
            return Answer::plain(403, "the target is not allowed: --probe-allow HOST:PORT allows it\n");
        }
        let module = request.value("module").unwrap_or("rtt");
        let within = request.scrape_timeout.map_or(LONGEST, |wait| wait.saturating_sub(RESERVE).min(LONGEST));
        let began = Instant::now();
        let measured = match module {
            "connect" => connect(target, within),
            "rtt" => self.rtt(target, within),
            "mtu" => self.mtu(target, within),
            _ => return Answer::plain(400, "no such module: rtt, mtu, connect\n"),
        };
        let success = f64::from(u8::from(measured.is_ok()));
        let mut families = measured.unwrap_or_else(|error| {
            self.show.note(&format!("/probe {module} {target}: {}", crate::sentence(&error)));
            Vec::new()
        });
        families.extend(export::single(export::PROBE_SUCCESS, [("target", target)], success));
        let took = began.elapsed().as_secs_f64();
        families.extend(export::single(export::PROBE_DURATION, [("target", target)], took));
        negotiated(request, &families)
    }

    /// It is on the list, the default port being as good as written.
    fn allows(&self, target: &str) -> bool {
        let wanted = net::split(target);
        wanted.is_some() && self.allowed.iter().any(|allowed| net::split(allowed) == wanted)
    }

    fn session(&self, target: &str, within: Duration) -> Result<(Session, Reached, Progress)> {
        let keep = KeepArgs { store: None, no_store: true, tag: None, html: None };
        let session = Session::live("probe", &keep)?;
        let reached = Reached::open(&target.into(), &self.key, within, &self.stop)?;
        Ok((session, reached, Progress::new(&self.show, within)))
    }

    /// Needs a responder at the target, with the same key as this one.
    fn rtt(&self, target: &str, within: Duration) -> Result<Vec<Family>> {
        let (mut session, mut reached, progress) = self.session(target, within)?;
        reached.options.facts = false;
        let length = RTT.min(within / 2);
        let plan = NetPlan {
            mode: NetMode::Rtt,
            length_bytes: 0,
            duration_ns: u64::try_from(length.as_nanos()).unwrap_or(u64::MAX),
            timeout_ns: u64::try_from(within.as_nanos()).unwrap_or(u64::MAX),
            ..NetPlan::default()
        };
        let measured = session::net::measure(&mut session, &plan, &reached, &progress);
        measured.map_err(|error| reached.explain(error))?;
        Ok(export::results(&session.run))
    }

    /// With a responder its word, without one what ICMP and the kernel say.
    fn mtu(&self, target: &str, within: Duration) -> Result<Vec<Family>> {
        let (mut session, reached, progress) = self.session(target, within.min(Duration::from_secs(1)))?;
        session.observe(&reached.addresses()?);
        let plan = MtuPlan {
            target: target.into(),
            timeout_ns: u64::try_from(MTU_ECHO.as_nanos()).unwrap_or(u64::MAX),
            hops: false,
            gain: false,
        };
        session::net::path_mtu(&mut session, &plan, &reached, &progress, &self.stop)?;
        let found = session.run.mtu.iter().any(|result| result.path_mtu_bytes.is_some());
        found.then(|| export::results(&session.run)).context("no packet came back")
    }
}

/// Any TCP service: nothing is sent.
fn connect(target: &str, within: Duration) -> Result<Vec<Family>> {
    let addresses = net::resolve(target)?;
    let address = addresses.first().context("it has no address")?;
    let began = Instant::now();
    let stream = TcpStream::connect_timeout(address, within.max(Duration::from_millis(1)))
        .with_context(|| format!("connect to {address}"))?;
    let took = began.elapsed().as_secs_f64();
    drop(stream);
    Ok(export::single(export::PROBE_CONNECT, [("target", target)], took).into_iter().collect())
}
