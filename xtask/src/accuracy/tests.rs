//! A small bench made by hand: one scenario right, one wrong, one healed, one healthy that alarms, one never asked.

use super::{outcome, page};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("make a folder") }
    }

    fn scenarios(&self) -> PathBuf {
        self.folder.path().join("lab")
    }

    fn outputs(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// A scenario with these expectations, and what its run left.
    fn left(&self, name: &str, expectations: &str, console: &str, answers: &[Value]) {
        let script = self.scenarios().join(format!("{name}.sh"));
        put(&script, &format!("# What is wrong.\n{expectations}\n. ./lib.sh\n# expect-layer: database\n"));
        let results = self.outputs().join(name);
        put(&results.join("console.txt"), console);
        for (answer, number) in answers.iter().zip(1..) {
            put(&results.join(format!("answer-{number}.json")), &answer.to_string());
        }
    }

    fn outcomes(&self) -> Vec<outcome::ScenarioOutcome> {
        outcome::all(&[self.outputs()], &[self.scenarios()]).expect("read the bench's output")
    }
}

fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("make a folder");
    std::fs::write(path, text).expect("write a file");
}

const ASKED: &str = "ground truth holds\nfullwire assess --quick: exit status 0\n";

fn loss() -> Value {
    json!({
        "tool_version": "0.1.0", "started": "2026-11-22T07:15:00Z", "verdict": "poor",
        "check": {"host": {"os": {"kernel_release": "7.2.7"}}},
        "bottleneck": {"layer": "network", "code": "packet-loss", "subject": "10.0.0.2", "explained": true},
        "findings": [{"code": "packet-loss", "severity": "warning", "layer": "network", "message": "1 % is lost"}],
        "paths": [{"measured": 1e6, "measurements": [], "causes": []}],
    })
}

fn shaped(measured: f64, causes: &Value) -> Value {
    let mut answer = loss();
    answer["bottleneck"]["code"] = json!("qdisc-shaper");
    answer["findings"] = json!([]);
    answer["paths"] =
        json!([{"measured": 1.0, "measurements": [{"id": "async", "value": measured}], "causes": causes}]);
    answer
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.left("net/loss", "# expect-layer: network\n# expect-any: LOSS", ASKED, &[loss()]);
    bench.left("net/silent", "# expect-layer: network\n# expect-any: loss", "ground truth holds\n", &[]);
    bench.left("net/absent", "# expect-any: loss", "fault not in effect: ping loss is '0'\n", &[]);
    bench.left("net/spare", "# expect-layer: network|none\n# expect-any: loss", ASKED, &[loss()]);
    bench.left("net/healthy", "# expect-healthy: yes", ASKED, &[loss()]);
    let two =
        "# expect-layer: host|network\n# expect-primary: shaper\n# expect-next: window\n# expect-not: loss";
    bench.left("compound/two", two, ASKED, &[loss()]);
    let primary = json!([
        {"role": "primary", "measurement": "async", "code": "qdisc-shaper", "subject": "eth0", "after": {"value": 1000.0}},
        {"role": "next", "code": "receive-window", "subject": "10.0.0.2"},
    ]);
    let healed = "# expect-primary: shaper\n# expect-next: window\n# expect-healed: 0.8..1.2\n\
        # expect-value: paths.*.measurements.*.value 890..910";
    bench.left("heal/shaper", healed, ASKED, &[shaped(200.0, &primary), shaped(900.0, &json!([]))]);
    bench
}

#[test]
fn judges_what_was_asked_and_leaves_the_rest_out() {
    let outcomes = bench().outcomes();
    let scored: Vec<(&str, bool)> =
        outcomes.iter().map(|outcome| (outcome.scenario.name.as_str(), outcome.passed())).collect();
    assert_eq!(
        scored,
        [
            ("compound/two", false),
            ("heal/shaper", true),
            ("net/healthy", false),
            ("net/loss", true),
            ("net/spare", true)
        ]
    );
    assert_eq!(
        outcomes[0].wrong,
        ["wrongly blames “packet-loss”", "primary is absent, not shaper", "next is absent, not window"]
    );
    assert_eq!(outcomes[2].wrong, ["verdict poor", "warns of packet-loss"]);
}

#[test]
fn a_promise_that_was_not_kept_fails() {
    let bench = Bench::new();
    let primary =
        json!([{"role": "primary", "measurement": "async", "code": "x", "after": {"value": 1000.0}}]);
    let answers = [shaped(200.0, &primary), shaped(700.0, &json!([]))];
    bench.left("heal/short", "# expect-healed: 0.8..1.2", ASKED, &answers);
    assert_eq!(bench.outcomes()[0].wrong, ["promised 1.0000e3, healed 7.0000e2"]);
}

#[test]
fn a_guest_that_died_fails_though_it_had_answered() {
    let bench = Bench::new();
    let console = format!("{ASKED}lab: the guest died; the end of its console:\n");
    bench.left("net/loss", "# expect-any: loss", &console, &[loss()]);
    assert_eq!(bench.outcomes()[0].wrong, ["lab: the guest died"]);
}

#[test]
fn a_result_without_its_scenario_is_an_error() {
    let bench = bench();
    std::fs::remove_file(bench.scenarios().join("net/loss.sh")).expect("remove a scenario");
    let error = outcome::all(&[bench.outputs()], &[bench.scenarios()]).expect_err("the scenario is missing");
    assert!(error.to_string().starts_with("no scenario net/loss.sh below "), "{error}");
}

#[test]
fn the_page_counts_each_kind() {
    let page = page::write(&bench().outcomes(), "abc123", None);
    for line in [
        "| fullwire | 0.1.0 (commit abc123) |",
        "| guest kernel | 7.2.7 |",
        "| run on | 2026-11-22 |",
        "| one fault | 2 | 2 | 100 % |",
        "| two faults at once | 0 | 1 | 0 % |",
        "| two faults at once: the binding one named | 0 | 1 | 0 % |",
        "| one fault, then the advised steps | 1 | 1 | 100 % |",
        "| no fault | 0 | 1 | 0 % |",
        "| all | 3 | 5 | 60 % |",
        "| host or network | 1 |  |  |  |  |  |",
        "| packet-loss | 1 | 1 | compound/two |",
        "| qdisc-shaper | 1 | 0 |  |",
        "1 of 1 healthy scenarios raised an alarm; 1 of 4 others blamed something harmless.",
        "| heal/shaper | 0.8..1.2 | 1000 | 900 | 0.90 |",
        "| net/loss | passed | packet-loss |  |",
    ] {
        assert!(page.lines().any(|one| one == line), "no line {line} in\n{page}");
    }
    assert!(!page.contains("net/silent") && !page.contains("net/absent"), "only what was run:\n{page}");
}
