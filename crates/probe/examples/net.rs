//! One network measurement from the command line, for trials: `net serve [ADDRESS:PORT]`, or
//! `net HOST:PORT '{"mode":"sync","length_bytes":8192}'` with a plan as JSON.

use fullwire_model::net::NetPlan;
use fullwire_probe::net::{ConnectOptions, Responder, ServeConfig, measure};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let target = arguments.next().ok_or("give `serve` or HOST:PORT")?;
    if target == "serve" {
        let listen = arguments.next().unwrap_or_else(|| "127.0.0.1:5555".into());
        let log = Arc::new(|line: &str| eprintln!("{line}"));
        let write_dir = arguments.next().map(PathBuf::from);
        let responder = Responder::bind(ServeConfig { listen, write_dir, log, ..ServeConfig::default() })?;
        eprintln!("listening on {}", responder.address());
        responder.run(&AtomicBool::new(false));
        return Ok(());
    }
    let mut plan: NetPlan = serde_json::from_str(&arguments.next().unwrap_or_else(|| "{}".into()))?;
    plan.target = target.into();
    let mut report = measure(&plan, &ConnectOptions::default(), &mut |_| {})?;
    let result = &mut report.result;
    for latency in
        [&mut result.latency_ns, &mut result.rtt_idle_ns, &mut result.rtt_loaded_ns].into_iter().flatten()
    {
        latency.buckets.clear();
    }
    if let Some(parts) = &mut report.result.parts_ns {
        parts.network.buckets.clear();
        if let Some(write) = &mut parts.remote_write {
            write.buckets.clear();
        }
    }
    println!("{}", serde_json::to_string_pretty(&report.result)?);
    Ok(())
}
