//! Prints what the readers read as JSON: `observe [TREE] [--counters] [--threads] [--peer ADDRESS]… [--capture FILE]`.

use fullwire_observe::{Ask, CaptureOptions, CountersAsk, Root, capture, counters, host};
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (mut ask, mut counters_ask) = (Ask::default(), CountersAsk::default());
    let (mut tree, mut with_counters, mut archive) = (None, false, None::<PathBuf>);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--counters" => with_counters = true,
            "--threads" => counters_ask.threads = 20,
            "--peer" => ask.peers.push(arguments.next().ok_or("--peer wants an address")?.parse()?),
            "--capture" => archive = arguments.next().map(PathBuf::from),
            _ => tree = Some(argument),
        }
    }
    let root = tree.map_or_else(Root::live, |tree| Root::tree(Path::new(&tree)))?;
    if let Some(archive) = archive {
        let report = capture(&root, &CaptureOptions::default(), &mut std::fs::File::create(archive)?)?;
        eprintln!("{} files, {} bytes", report.files, report.bytes);
        return Ok(());
    }
    let started = Instant::now();
    let text = if with_counters {
        serde_json::to_string_pretty(&counters(&root, &counters_ask))?
    } else {
        serde_json::to_string_pretty(&host(&root, &ask))?
    };
    eprintln!("read in {:?}", started.elapsed());
    println!("{text}");
    Ok(())
}
