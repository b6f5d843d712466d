//! The screen at several sizes, read by a person; any size and keys, read by a machine.

use super::*;
use fullwire_model::assessment::{Layer, Severity};
use fullwire_model::live::{
    Headline, LiveCpu, LiveDatabase, LiveMemory, LivePressure, LiveThread, NetworkRates, NetworkRow,
    StorageRates, StorageRow,
};
use fullwire_model::recording::{Event, EventKind};
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
