//! The JSON contract.

use fullwire_model::Run;
use fullwire_model::assessment::{Assessment, Ceiling, Finding, Layer, PathAssessment, PathKind, Verdict};
use fullwire_model::comparison::Proof;
use fullwire_model::specimen::specimen;
use fullwire_model::subject::Subject;
use fullwire_present::json::{self, HistoryLine};
use serde::Serialize;
use serde_json::Value;

fn filled() -> (Run, Assessment) {
    (specimen(1), specimen(2))
}

fn value(document: impl Serialize) -> Value {
    serde_json::to_value(document).unwrap()
}

/// Every document of a run with every field filled.
fn documents() -> Vec<(&'static str, Value)> {
    let (run, assessment) = filled();
    vec![
        ("assess", value(json::assess(&run, &assessment))),
        ("awr", value(json::awr(&run, &assessment).unwrap())),
        ("check", value(json::check(&run, &assessment))),
        ("diff", value(json::diff(&specimen(7)))),
        ("disk", value(&json::disk(&run, &assessment)[0])),
        (
            "history",
            value(json::history(&[HistoryLine::new(specimen(3), Some(&specimen(4)))], &[specimen(5)])),
        ),
        ("mesh", value(json::mesh(&specimen(4), &assessment.findings))),
        ("mtu", value(&json::mtu(&run, &assessment)[0])),
        ("net", value(&json::net(&run, &assessment)[0])),
        ("prove", value(json::prove(&proof()))),
        ("redo", value(json::redo(&run, &assessment))),
        ("rules", value(json::rules(&[card()]))),
        ("run", value(&run)),
    ]
}

/// The filler cannot fill a flattened record: it is filled by itself.
fn proof() -> Proof {
    Proof {
        comparison: specimen(8),
        promised: Some(specimen(9)),
        finding: Some("mtu-low".into()),
        ..Proof::default()
    }
}

fn card() -> json::RuleCard {
    json::RuleCard {
        code: "nic-half-duplex",
        title: "an interface runs half duplex",
        severity: fullwire_model::assessment::Severity::Critical,
        area: Layer::Network,
        source: "IEEE 802.3".into(),
    }
}

/// The keys that CLI.md promises.
const PROMISED: &[(&str, &str)] = &[
    (
        "net",
        "schema target mode streams payload_bytes duration_s bytes throughput_bytes_per_s latency_ns.count \
      latency_ns.min latency_ns.mean latency_ns.p50 latency_ns.p90 latency_ns.p99 latency_ns.p999 latency_ns.max \
      parts_ns.network parts_ns.remote_write intervals.0.t_s intervals.0.throughput_bytes_per_s intervals.0.p50_ns \
      intervals.0.p99_ns intervals.0.retransmits intervals.0.rtt_ns intervals.0.cwnd_bytes tcp.mss_bytes \
      tcp.sndbuf_bytes tcp.rcvbuf_bytes tcp.retransmits tcp.rtt_min_ns tcp.rtt_ns tcp.cwnd_bytes tcp.busy_s \
      tcp.rwnd_limited_s tcp.sndbuf_limited_s tcp.delivery_rate_bytes_per_s udp.sent udp.lost udp.reordered \
      udp.duplicated udp.jitter_ns udp.reassembly_failures cpu.client_s cpu.server_s cpu.client_s_per_gb \
      cpu.server_s_per_gb ceilings findings verdict",
    ),
    (
        "diff",
        "schema a b comparisons.0.path comparisons.0.label comparisons.0.unit comparisons.0.a.median \
      comparisons.0.a.n comparisons.0.a.scatter comparisons.0.b.median comparisons.0.change comparisons.0.low \
      comparisons.0.high comparisons.0.answer comparisons.0.delta comparisons.0.pairs_needed comparisons.0.primary \
      settings.0.subject settings.0.field settings.0.a settings.0.b settings.0.codes settings.0.relevant cause",
    ),
    (
        "mesh",
        "schema mesh_id hosts.0.name hosts.0.state cells.0.from cells.0.to cells.0.network cells.0.throughput_bytes_per_s \
      cells.0.p50_ns cells.0.mtu_bytes cells.0.state cells.0.run_id findings.0.subject gaps.0.reason",
    ),
    ("prove", "schema a b comparisons settings cause finding promised design order restored"),
    (
        "mtu",
        "schema target path_mtu_bytes interface_mtu_bytes peer_interface_mtu_bytes black_hole hops.0.ttl \
      hops.0.address hops.0.mtu_bytes frames_per_block goodput_fraction ceilings findings",
    ),
    (
        "disk",
        "schema target file_system steps.0.profile steps.0.operation steps.0.pattern steps.0.block_bytes \
      steps.0.queue_depth steps.0.threads steps.0.engine steps.0.direct steps.0.sync steps.0.ios steps.0.bytes \
      steps.0.duration_s steps.0.iops steps.0.throughput_bytes_per_s steps.0.latency_ns.p99 \
      steps.0.cpu_user_ns_per_io steps.0.cpu_sys_ns_per_io steps.0.requests_per_io \
      steps.0.device_bytes_over_program_bytes steps.0.steady steps.0.layers.0.name steps.0.layers.0.kind \
      steps.0.layers.0.iops steps.0.layers.0.bytes_per_s steps.0.layers.0.mean_request_bytes \
      steps.0.layers.0.await_ns steps.0.layers.0.queue_mean steps.0.layers.0.utilisation sweep.knee_depth ceilings \
      findings verdict",
    ),
    ("check", "schema host nics bonds disks multipath mounts findings gaps"),
    (
        "assess",
        "schema verdict bottleneck.layer bottleneck.code bottleneck.subject bottleneck.explained paths.0.kind \
      paths.0.subject paths.0.verdict paths.0.measured paths.0.ceiling paths.0.bottleneck ceilings.0.layer \
      ceilings.0.subject ceilings.0.kind ceilings.0.value ceilings.0.unit ceilings.0.derivation.formula \
      ceilings.0.derivation.inputs.0.name ceilings.0.derivation.inputs.0.value ceilings.0.derivation.inputs.0.source \
      findings.0.code findings.0.severity findings.0.layer findings.0.subject findings.0.message \
      findings.0.measured findings.0.limit findings.0.unit findings.0.evidence.0.text findings.0.evidence.0.source \
      findings.0.advice.why findings.0.advice.steps.0.phase findings.0.advice.steps.0.on findings.0.advice.steps.0.run \
      findings.0.advice.steps.0.text findings.0.advice.steps.0.risk findings.0.advice.steps.0.needs findings.0.advice.expect check net.0 \
      mtu.0 disk.0 demand gaps run_id",
    ),
    (
        "redo",
        "schema logs.0.thread logs.0.sequence logs.0.bytes logs.0.seconds logs.0.bytes_per_s peak_bytes_per_s peak_at mean_bytes_per_s headroom required_bytes_per_s mean_redo_write_bytes",
    ),
    (
        "awr",
        "schema kind db_name instance release rac host begin end elapsed_min db_time_min redo_size_per_s redo_size_total redo_writes_total mean_redo_write_bytes logical_reads_per_s physical_reads_per_s physical_writes_per_s transactions_per_s buffer_hit_pct latch_hit_pct library_hit_pct top_events.0.name top_events.0.waits top_events.0.time_s top_events.0.mean_wait_ms top_events.0.share_pct top_events.0.class waits init_parameters gaps findings",
    ),
    ("rules", "rules.0.code rules.0.title rules.0.severity rules.0.area rules.0.source"),
];

#[test]
fn every_promised_key_is_there() {
    for (name, document) in documents() {
        let promised = PROMISED.iter().find(|(of, _)| *of == name).map_or("", |(_, keys)| keys);
        for key in promised.split_whitespace() {
            let pointer = format!("/{}", key.replace('.', "/"));
            let found = document.pointer(&pointer).unwrap_or_else(|| panic!("{name}: no key {key}"));
            assert!(!found.is_null(), "{name}: {key} is null in a filled run");
        }
    }
}

#[test]
fn every_document_keeps_to_its_schema() {
    for (name, document) in documents() {
        let validator = jsonschema::validator_for(&schema(name)).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&document).take(3).map(|e| format!("{}: {e}", e.instance_path)).collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
}

fn schema(name: &str) -> Value {
    serde_json::from_str(json::schema(name).unwrap()).unwrap()
}

/// The keys and types of a schema: a better sentence about a key breaks no one.
fn contract(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(fields) => {
            fields.retain(|key, value| key != "description" || !value.is_string());
            fields.values_mut().for_each(|value| *value = contract(value.take()));
        }
        Value::Array(elements) => elements.iter_mut().for_each(|value| *value = contract(value.take())),
        _ => {}
    }
    schema
}

#[test]
fn schemas_are_as_reviewed() {
    for name in json::document_names() {
        let short = name.trim_start_matches("fullwire.").trim_end_matches("/1");
        insta::assert_json_snapshot!(format!("schema-{short}"), contract(schema(&name)));
    }
    assert!(json::schema("fullwire.net/1").is_some() && json::schema("fullwire.net").is_some());
    assert!(json::schema("nothing").is_none() && json::schema("fullwire.net/2").is_none());
}

#[test]
fn a_probe_document_holds_what_concerns_its_path_and_nothing_of_others() {
    let (mut run, mut assessment): (Run, Assessment) = filled();
    run.net[0].target = "db2:5555".into();
    run.net[1].target = "db3:5555".into();
    let path = |subject: &str, verdict| PathAssessment {
        kind: PathKind::Network,
        target: subject.into(),
        verdict,
        ..PathAssessment::default()
    };
    assessment.paths = vec![path("db2:5555", Verdict::Poor), path("db3:5555", Verdict::FullWire)];
    assessment.ceilings = vec![Ceiling { path: "db3:5555".into(), ..Ceiling::default() }];
    let finding = |layer, path: Option<&str>| Finding {
        layer,
        path: path.map(Into::into),
        db_time_share: None,
        explains: Vec::new(),
        consequence_of: Vec::new(),
        follows: None,
        subject_ref: Subject::default(),
        ..specimen(3)
    };
    assessment.findings = vec![
        finding(Layer::Network, Some("db2:5555")),
        finding(Layer::Network, Some("db3:5555")),
        finding(Layer::Host, None),
        finding(Layer::Storage, None),
    ];
    let documents = json::net(&run, &assessment);
    assert_eq!(
        (documents[0].result.verdict, documents[1].result.verdict),
        (Verdict::Poor, Verdict::FullWire)
    );
    assert_eq!((documents[0].result.ceilings.len(), documents[1].result.ceilings.len()), (0, 1));
    let layers: Vec<Layer> = documents[0].result.findings.iter().map(|finding| finding.layer).collect();
    assert_eq!(layers, [Layer::Network, Layer::Host]);
}
