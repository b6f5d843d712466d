//! Agreement with fio on the same file, block and depth, in turn.

use super::{MS, State, output, plan, step};
use crate::skips::installed;
use fullwire_model::disk::{DiskStep, Engine, Pattern};
use fullwire_probe::disk;
use std::path::Path;
use std::sync::atomic::AtomicBool;

const PAIRS: usize = 7;

fn fio(file: &Path, depth: u32) -> f64 {
    let arguments = [
        "--name=agreement".to_owned(),
        format!("--filename={}", file.display()),
        "--rw=randread --bs=8k --direct=1 --time_based --runtime=400ms --norandommap --output-format=json"
            .to_owned(),
        format!("--ioengine=io_uring --iodepth={depth}"),
    ];
    let arguments: Vec<&str> = arguments.iter().flat_map(|words| words.split(' ')).collect();
    let output = output("fio", &arguments);
    let text = String::from_utf8_lossy(&output.stdout);
    let json: serde_json::Value = text
        .find('{')
        .and_then(|at| serde_json::from_str(&text[at..]).ok())
        .unwrap_or_else(|| panic!("fio answered {text} {}", String::from_utf8_lossy(&output.stderr)));
    json["jobs"][0]["read"]["iops"].as_f64().expect("a rate")
}

fn ours(file: &Path, depth: u32, state: &Path) -> f64 {
    let read = DiskStep {
        pattern: Pattern::Random,
        engine: Engine::IoUring,
        queue_depth: depth,
        duration_ns: 400 * MS,
        ..step()
    };
    let result = disk::measure(&plan(file, vec![read]), &mut State(state.into()), &AtomicBool::new(false));
    let result = result.expect("measured");
    result.steps.first().map_or_else(|| panic!("{:?}", result.gaps), |step| step.iops)
}

fn range(rates: &[f64]) -> (f64, f64) {
    rates.iter().fold((f64::MAX, 0.0), |(least, most), rate| (least.min(*rate), most.max(*rate)))
}

#[test]
fn rates_agree_with_fio_within_the_spread_of_both() {
    if !installed("fio") {
        return;
    }
    let directory = tempfile::tempdir().expect("temporary directory");
    let file = directory.path().join("data");
    std::fs::write(&file, vec![0xa5; 64 << 20])
        .and_then(|()| std::fs::File::open(&file)?.sync_all())
        .expect("file");
    for depth in [1, 8] {
        let (mut theirs, mut own) = (Vec::new(), Vec::new());
        for _ in 0..PAIRS {
            theirs.push(fio(&file, depth));
            own.push(ours(&file, depth, directory.path()));
        }
        let ((their_least, their_most), (least, most)) = (range(&theirs), range(&own));
        assert!(least <= their_most && their_least <= most, "depth {depth}: fio {theirs:?}, ours {own:?}");
    }
}
