//! The screen at several sizes, read by a person; any size and keys, read by a machine.

use super::*;
use crate::report::{BesideClock, BesideFigure, BesideLine};
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::live::{
    Headline, LiveCpu, LiveDatabase, LiveMemory, LivePressure, LiveThread, NetworkRates, NetworkRow,
    StorageRates, StorageRow,
};
use fullwire_model::quantity::Unit;
use fullwire_model::recording::{Event, EventKind};
use fullwire_model::subject::Kind;
use fullwire_model::{Moment, Span};
use jiff::Timestamp;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Modifier};

const FACE: Face = Face { colour: true, unicode: true };

fn storage(depth: u32, name: &str, device: &str, mb_per_s: f64, share: Option<f64>) -> StorageRow {
    StorageRow {
        depth,
        name: name.into(),
        device: device.into(),
        database: depth == 0,
        share,
        io: Some(StorageRates {
            reads_per_s: mb_per_s * 5.6,
            writes_per_s: mb_per_s * 12.1,
            read_bytes_per_s: mb_per_s * 4e5,
            write_bytes_per_s: mb_per_s * 6e5,
            read_await_ms: Some(0.42),
            write_await_ms: Some(6.1),
            queue: 31.0,
            merges_per_s: mb_per_s * 0.8,
            busy: Some(0.97),
        }),
        ..StorageRow::default()
    }
}

fn network(depth: u32, name: &str, state: &str) -> NetworkRow {
    NetworkRow {
        depth,
        name: name.into(),
        state: state.into(),
        limit_bytes_per_s: Some(3.125e9),
        share: Some(0.39),
        io: Some(NetworkRates {
            rx_bytes_per_s: 112e6,
            tx_bytes_per_s: 1204e6,
            drops_per_s: 0.0,
            ..NetworkRates::default()
        }),
        ..NetworkRow::default()
    }
}

/// A database server whose storage is at its link.
fn busy() -> Live {
    let mut failed = storage(2, "sdq", "sdq", 0.0, Some(0.0));
    failed.state = "path failed".into();
    Live {
        host: "db1".into(),
        seconds: 1.0,
        headline: Headline {
            severity: Some(Severity::Warning),
            layer: Some(Layer::Storage),
            subject: "/u01".into(),
            code: "multipath-path-failed".into(),
            sentence: "storage /u01: dm-3 carries 748 of 800 MB/s (2 × FC 8G, 94 %); 2 of 4 paths failed"
                .into(),
            share: Some(0.94),
        },
        cpu: LiveCpu {
            cpus: 16,
            busy: Some(0.34),
            system: Some(0.09),
            softirq: Some(0.03),
            iowait: Some(0.12),
            steal: Some(0.0),
            busiest: Some((3, 0.8)),
            running: Some(5),
            blocked: Some(2),
        },
        memory: LiveMemory {
            total_bytes: 64 << 30,
            available_bytes: Some(25 << 30),
            swap_in_per_s: Some(0.0),
            swap_out_per_s: Some(0.0),
            major_faults_per_s: Some(1.0),
        },
        pressure: Some(LivePressure { cpu: 0.01, memory: 0.0, io: 0.23, io_full: 0.1 }),
        storage: vec![
            storage(0, "/u01", "dm-3", 748.0, Some(0.94)),
            storage(1, "mpatha", "dm-1", 748.0, Some(0.94)),
            storage(2, "sdp", "sdp", 748.0, Some(0.94)),
            failed,
            storage(0, "/", "nvme0n1", 1.2, None),
        ],
        network: vec![network(0, "bond0", "up"), network(1, "eth0", "up"), network(1, "eth1", "down")],
        retransmitted_share: Some(0.0012),
        threads: vec![LiveThread {
            pid: 4711,
            tid: 4711,
            process: "ora_lgwr_DB1".into(),
            name: "ora_lgwr_DB1".into(),
            state: "D".into(),
            wait_channel: "io_schedule".into(),
            cpu: Some(0.41),
        }],
        databases: vec![LiveDatabase {
            kind: "oracle".into(),
            name: "DB1".into(),
            cpus: Some(3.4),
            mounts: vec!["/u01".into()],
        }],
        events: vec![Event {
            boottime_ns: 1,
            wall: "2026-11-22T13:01:07Z".parse().unwrap(),
            kind: EventKind::Path,
            subject: "sdq".into(),
            detail: "path active → path failed".into(),
        }],
        ..Live::default()
    }
}

fn shown(face: Face) -> Screen {
    let mut screen = Screen::new(face);
    screen.status = Status {
        source: "LIVE".into(),
        time: "14:02:31 +01:00".into(),
        interval: "1 s".into(),
        recording: "rec 41 MB".into(),
        cost: "self 0.4 %".into(),
    };
    for step in 1..=20_i32 {
        let mut live = busy();
        for row in &mut live.storage {
            if let Some(io) = &mut row.io {
                io.read_bytes_per_s *= f64::from(step) / 20.0;
            }
        }
        screen.show(live, true);
    }
    screen
}

fn drawn(screen: &mut Screen, width: u16, height: u16) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| _ = draw(frame, screen)).unwrap();
    terminal
}

/// The map of times is of the device that had most requests, also when the last look is a quiet one.
#[test]
fn the_map_of_times_stays_with_its_device() {
    let mut screen = shown(FACE);
    let mut quiet = busy();
    quiet.storage.iter_mut().for_each(|row| row.io = Some(StorageRates::default()));
    screen.show(quiet, true);
    screen.key(Key::Char('l'), 60);
    let text = drawn(&mut screen, 120, 60).backend().to_string();
    assert!(text.contains("time of a request on /u01, share of the requests"), "{text}");
}

#[test]
fn the_screen_at_four_sizes() {
    for (width, height) in [(80, 24), (100, 30), (132, 50), (40, 10)] {
        let terminal = drawn(&mut shown(FACE), width, height);
        insta::assert_snapshot!(format!("screen-{width}x{height}"), terminal.backend());
    }
}

#[test]
fn severity_is_told_without_colour_and_without_unicode() {
    let mut screen = shown(Face { colour: false, unicode: false });
    let terminal = drawn(&mut screen, 80, 24);
    let buffer = terminal.backend().buffer();
    assert!(buffer.content().iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
    let own = |cell: &&ratatui::buffer::Cell| !cell.symbol().is_ascii();
    let text: Vec<&str> = buffer.content().iter().filter(own).map(ratatui::buffer::Cell::symbol).collect();
    assert!(text.iter().all(|symbol| *symbol == "×" || *symbol == "→"), "only what names hold: {text:?}");
    let first: String = buffer.content()[..80].iter().map(ratatui::buffer::Cell::symbol).collect();
    assert!(first.starts_with("! WARNING storage /u01"), "{first}");
    assert!(buffer.content()[0].modifier.contains(Modifier::BOLD));
    let coloured = drawn(&mut shown(FACE), 80, 24);
    assert_eq!(coloured.backend().buffer().content()[0].fg, Color::Yellow);
}

#[test]
fn keys_scroll_filter_pause_and_step() {
    let mut screen = shown(FACE);
    let text = |screen: &mut Screen| drawn(screen, 80, 24).backend().to_string();
    assert_eq!(screen.key(Key::Char('q'), 10), Reply::Quit);
    assert_eq!(screen.key(Key::Left, 10), Reply::Step(-1));
    assert!(screen.paused() && text(&mut screen).contains("PAUSED"));
    assert_eq!(screen.key(Key::Char(' '), 10), Reply::Resume);
    for letter in "/eth1".chars() {
        screen.key(Key::Char(letter), 10);
    }
    screen.key(Key::Enter, 10);
    let filtered = text(&mut screen);
    assert!(filtered.contains("eth1") && !filtered.contains("sdp"), "{filtered}");
    screen.key(Key::Escape, 10);
    assert!(text(&mut screen).contains("sdp"));
    screen.key(Key::Char('?'), 10);
    assert!(text(&mut screen).contains("one sample back in time"));
    screen.key(Key::Char('x'), 10);
    assert!(!text(&mut screen).contains("one sample back in time"));
    screen.key(Key::Char('n'), 10);
    screen.key(Key::Home, 10);
    assert!(text(&mut screen).contains("storage"));
}

/// The moment of the look beside which a file is laid.
const LOOKED_AT: &str = "2026-11-22T13:02:31Z";

/// Five minutes of iostat every ten seconds, one of whose intervals is trouble, and the same disk recorded each second.
fn beside() -> Beside {
    let at_s = LOOKED_AT.parse::<Timestamp>().unwrap().as_second() as f64;
    let interval = |length: f64, scale: f64| {
        move |index: i32| {
            let to = at_s - 300.0 + f64::from(index) * length;
            (to - length, to, scale * (1.0 + (to / 40.0).sin()))
        }
    };
    let line = |subject: &str, metric, unit, scale: f64| BesideLine {
        area: "disk",
        subject: subject.into(),
        metric,
        unit,
        intervals: (1..=30).map(interval(10.0, scale)).collect(),
        ours: (1..=300).map(interval(1.0, scale * 1.01)).collect(),
    };
    let lines = vec![
        line("dm-3", "write_bytes_per_s", Unit::BytesPerS, 4e8),
        line("dm-3", "write_await_ns", Unit::Ns, 3e6),
    ];
    let figure = |line: &BesideLine| BesideFigure {
        area: line.area.into(),
        subject: line.subject.clone(),
        metric: line.metric.into(),
        unit: line.unit,
        intervals: 30,
        theirs_mean: Some(1.0),
        ours_mean: Some(1.0),
        concordance: Some(0.98),
    };
    let moment = |back_s: i64| {
        let at: Timestamp = LOOKED_AT.parse().unwrap();
        Some(Moment::Instant(at - jiff::SignedDuration::from_secs(back_s)))
    };
    let trouble = Span {
        code: "device-wait-long".into(),
        subject: "dm-3".into(),
        subject_ref: Kind::Disk.named("dm-3"),
        layer: Layer::Storage,
        severity: Severity::Warning,
        from: moment(60),
        to: moment(20),
        windows: 4,
        bad_s: 40.0,
        worst: Some(9e7),
        worst_at: moment(40),
        limit: None,
        unit: Some(Unit::Ns),
        message: "a write on dm-3 takes 90.0 ms".into(),
        evidence: Vec::new(),
        host: None,
        source: Some("iostat.txt".into()),
        first_record: None,
        last_record: None,
    };
    Beside {
        source: "iostat.txt".into(),
        tool: "iostat".into(),
        host: None,
        from: None,
        to: None,
        shift_s: 0.0,
        clock: BesideClock {
            answer: "same".into(),
            add_s: Some(0.0),
            concordance_as_told: Some(0.98),
            concordance_best: Some(0.98),
        },
        figures: lines.iter().map(figure).collect(),
        spans: vec![trouble],
        lines,
    }
}

/// The look so many seconds before the end of the file.
fn laid(back_s: i64) -> Screen {
    let mut screen = shown(FACE);
    screen.lay(beside(), TimeZone::fixed(jiff::tz::offset(1)));
    let at: Timestamp = LOOKED_AT.parse().unwrap();
    screen.show(Live { at: at - jiff::SignedDuration::from_secs(back_s), ..busy() }, false);
    screen
}

#[test]
fn another_tools_file_lies_on_the_axis_of_the_recording() {
    for (width, height) in [(100, 30), (60, 20)] {
        let terminal = drawn(&mut laid(0), width, height);
        insta::assert_snapshot!(format!("beside-{width}x{height}"), terminal.backend());
    }
    let text = |back_s: i64| drawn(&mut laid(back_s), 100, 30).backend().to_string();
    let now = text(30);
    assert!(now.contains("NOW 14:01:31 to 14:02:11 device-wait-long dm-3"), "{now}");
    assert!(text(0).contains("before: 14:01:31") && text(200).contains("next: 14:01:31"));
    // Where the file ended long ago neither it nor the recording tells anything.
    let after = text(-600);
    let row = after.lines().find(|line| line.contains("dm-3 write await")).unwrap();
    assert!(!row.contains("ms") && !row.contains(['▁', '█']), "{row}");
    let mut filtered = laid(0);
    for letter in "/await".chars() {
        filtered.key(Key::Char(letter), 10);
    }
    let rows = drawn(&mut filtered, 100, 30).backend().to_string();
    assert!(rows.contains("dm-3 write await") && !rows.contains("dm-3 write  "), "{rows}");
}

#[test]
fn no_key_has_two_meanings() {
    let keys: Vec<Key> = BINDINGS.iter().flat_map(|binding| binding.keys).copied().collect();
    for (index, key) in keys.iter().enumerate() {
        assert!(!keys[..index].contains(key), "{key:?} is bound twice");
    }
}

#[test]
fn what_hangs_is_told_in_its_row() {
    let mut live = busy();
    live.storage[2].stalled_s = Some(12.0);
    let mut screen = Screen::new(FACE);
    screen.show(live, true);
    assert!(drawn(&mut screen, 80, 24).backend().to_string().contains("STALLED 12 s"));
}

fn any_key() -> impl Strategy<Value = Key> {
    prop_oneof![
        any::<char>().prop_filter("quits", |letter| *letter != 'q').prop_map(Key::Char),
        prop::sample::select(vec![
            Key::Up,
            Key::Down,
            Key::Left,
            Key::Right,
            Key::PageUp,
            Key::PageDown,
            Key::Home,
            Key::End,
            Key::Enter,
            Key::Escape,
            Key::Backspace,
            Key::F1,
        ]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_size_and_any_keys_leave_the_first_line(
        width in 1_u16..300,
        height in 1_u16..120,
        keys in proptest::collection::vec(any_key(), 0..12),
        unicode in any::<bool>(),
    ) {
        let mut screen = shown(Face { colour: true, unicode });
        for key in keys {
            screen.key(key, usize::from(height));
        }
        let terminal = drawn(&mut screen, width, height);
        let first = terminal.backend().buffer().content()[0].symbol().to_owned();
        prop_assert!(first == "▲" || first == "!" || first == "…" || first == "~", "{first:?}");
    }
}
