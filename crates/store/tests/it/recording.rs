//! Recordings: written, read back, cut, flipped, bounded.

use fullwire_model::counters::{Counters, DiskCounters};
use fullwire_model::host::Host;
use fullwire_model::recording::{Event, EventKind, Sample};
use fullwire_store::recording::{Begin, Limits, Recording, RecordingError, RecordingWriter, ShardWriter};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use std::path::Path;

fn begin() -> Begin {
    Begin {
        interval_ns: 1_000_000_000,
        tool_version: "test".into(),
        zone: "UTC".into(),
        boot_id: "boot-1".into(),
    }
}

fn start() -> Timestamp {
    "2026-11-22T11:59:30Z".parse().unwrap()
}

/// The sample of a second; a disk does 100 reads in each.
fn sample(second: u64) -> Sample {
    let disk = |factor: u64| DiskCounters {
        reads: second * 100 * factor,
        read_bytes: second * 819_200 * factor,
        in_flight: second % 3,
        ..DiskCounters::default()
    };
    Sample {
        boottime_ns: (1000 + second) * 1_000_000_000,
        wall: start() + SignedDuration::from_secs(i64::try_from(second).unwrap()),
        took_ns: 1_000_000,
        counters: Counters {
            monotonic_ns: (1000 + second) * 1_000_000_000,
            disks: [("sda".to_owned(), disk(1)), ("sdb".to_owned(), disk(2))].into(),
            ..Counters::default()
        },
    }
}

fn host(name: &str) -> Host {
    Host { hostname: name.into(), ..Host::default() }
}

/// This many seconds in one file.
fn recorded(path: &Path, seconds: u64) -> RecordingWriter {
    let mut writer = RecordingWriter::create(path, &begin()).unwrap();
    writer.host(&sample(0), &host("db1")).unwrap();
    for second in 0..seconds {
        let events: Vec<Event> = (second == 5)
            .then(|| Event::at(&sample(second), EventKind::Link, "eth0", "up → down"))
            .into_iter()
            .collect();
        writer.sample(&sample(second), &events).unwrap();
    }
    writer
}

fn all(recording: &Recording) -> Vec<Result<Sample, String>> {
    let span = recording.span();
    recording.samples(span.from, span.to).map(|one| one.map(|one| one.sample)).collect()
}

#[test]
fn samples_come_back_across_key_frames_while_they_are_written() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.fwr");
    let mut writer = recorded(&path, 100);
    let recording = Recording::open(&path).unwrap();
    let read: Vec<Sample> = all(&recording).into_iter().map(Result::unwrap).collect();
    assert_eq!(read, (0..100).map(sample).collect::<Vec<_>>());
    let (from, to) = (sample(50).wall, sample(52).wall);
    let part: Vec<u64> =
        recording.samples(from, to).map(|one| one.unwrap().sample.boottime_ns / 1_000_000_000).collect();
    assert_eq!(part, [1050, 1051, 1052]);
    // Minutes of the wall clock begin at second 30 and 90.
    let keys: Vec<u64> = recording
        .keys(recording.span().from, recording.span().to)
        .map(|one| one.unwrap().sample.boottime_ns / 1_000_000_000)
        .collect();
    assert_eq!(keys, [1000, 1030, 1090]);
    let thinned = recording.keys(recording.span().from, recording.span().to).thinned(2);
    assert_eq!(
        thinned.map(|one| one.unwrap().sample.boottime_ns / 1_000_000_000).collect::<Vec<_>>(),
        [1000, 1090]
    );
    let at = sample(42).wall + SignedDuration::from_millis(300);
    assert_eq!(recording.sample_at(at).unwrap().sample, sample(42));
    let events = recording.events(recording.span().from, recording.span().to);
    assert_eq!((events.len(), events[0].detail.as_str()), (1, "up → down"));
    assert_eq!(recording.host(recording.sample_at(at).unwrap().host).unwrap().hostname, "db1");
    // The reader sees what is written after it opened the file.
    writer.sample(&sample(100), &[]).unwrap();
    assert_eq!(recording.len(), 101);
}

#[test]
fn a_clock_that_is_set_back_hides_no_sample() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.fwr");
    let mut writer = RecordingWriter::create(&path, &begin()).unwrap();
    writer.host(&sample(0), &host("db1")).unwrap();
    // An hour back in the middle, and forth again at the end.
    let told = |second: u64| {
        let step = if (40..80).contains(&second) { -3600 } else { 0 };
        let sample = sample(second);
        Sample { wall: sample.wall + SignedDuration::from_secs(step), ..sample }
    };
    for second in 0..120 {
        writer.sample(&told(second), &[]).unwrap();
    }
    let recording = Recording::open(&path).unwrap();
    let read: Vec<Sample> = all(&recording).into_iter().map(Result::unwrap).collect();
    assert_eq!(read, (0..120).map(told).collect::<Vec<_>>());
    let part: Vec<u64> = recording
        .samples(told(38).wall, told(81).wall)
        .map(|one| one.unwrap().sample.boottime_ns / 1_000_000_000)
        .collect();
    assert_eq!(part, [1038, 1039, 1080, 1081], "what the clock called so");
    assert_eq!(recording.sample_at(told(50).wall).unwrap().sample, told(50));
}

#[test]
fn a_file_that_is_there_is_never_written_to() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.fwr");
    std::fs::write(&path, "somebody's notes").unwrap();
    assert!(matches!(RecordingWriter::create(&path, &begin()), Err(RecordingError::Exists { .. })));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "somebody's notes");
    assert!(matches!(Recording::open(&path), Err(RecordingError::NotARecording { .. })));
    let none = Recording::open(&place.path().join("none.fwr"));
    assert!(matches!(none, Err(RecordingError::Missing { .. })));
}

#[test]
fn two_recorders_do_not_share_a_directory() {
    let place = tempfile::tempdir().unwrap();
    let first = ShardWriter::directory(place.path(), begin(), Limits::default()).unwrap();
    let second = ShardWriter::directory(place.path(), begin(), Limits::default());
    assert!(matches!(second, Err(RecordingError::Busy { .. })));
    drop(first);
    assert!(ShardWriter::directory(place.path(), begin(), Limits::default()).is_ok());
}

/// All recordings of a directory, with their logs.
fn files_bytes(place: &Path) -> u64 {
    let files = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap());
    let recordings = files.filter(|entry| entry.file_name().to_string_lossy().contains(".fwr"));
    recordings
        .filter(|entry| !entry.file_name().to_string_lossy().ends_with("-shm"))
        .filter_map(|entry| Some(entry.metadata().ok()?.len()))
        .sum()
}

/// A dead battery, a wrong server of time: what was recorded before the clock jumped is what somebody wants to see.
#[test]
fn a_clock_that_jumps_makes_no_file_old() {
    let place = tempfile::tempdir().unwrap();
    // Whatever the disk of the tests has left.
    let limits = Limits { free_share: 0.0, ..Limits::default() };
    let mut shards = ShardWriter::directory(place.path(), begin(), limits).unwrap();
    shards.host(&sample(0), &host("db1")).unwrap();
    let now = sample(0).wall;
    let mut record = |second: u64, days: i64| {
        let mut one = sample(second);
        one.wall += jiff::Timestamp::now().duration_since(now) + SignedDuration::from_hours(24 * days);
        shards.sample(&one, &[]).unwrap();
        shards.checkpoint(one.wall).unwrap();
    };
    (0..20).for_each(|second| record(second, 0));
    (20..40).for_each(|second| record(second, 400));
    assert_eq!(all(&Recording::open(place.path()).unwrap()).len(), 40);
    // A day later by the clock that does not jump, a file of another year is old.
    record(86_400 + 40, 400);
    assert_eq!(all(&Recording::open(place.path()).unwrap()).len(), 1);
}

#[test]
fn a_directory_begins_a_file_at_midnight_and_keeps_to_its_size() {
    let place = tempfile::tempdir().unwrap();
    let limits = Limits { total_bytes: 300_000, file_bytes: 100_000, free_share: 0.0, ..Limits::default() };
    let mut shards = ShardWriter::directory(place.path(), begin(), limits).unwrap();
    shards.host(&sample(0), &host("db1")).unwrap();
    let mut largest = 0;
    for second in 0..1500 {
        // Twelve hours on after some minutes: two more days begin.
        let mut one = sample(second);
        one.wall += SignedDuration::from_hours(if second >= 300 { 12 } else { 0 });
        shards.sample(&one, &[]).unwrap();
        if second % 10 == 0 {
            largest = largest.max(files_bytes(place.path()));
        }
    }
    // Between two looks at the limits one file grows.
    assert!(largest < 300_000 + 100_000 + 50_000, "{largest}");
    let recording = Recording::open(place.path()).unwrap();
    let read = all(&recording);
    assert!(read.iter().all(Result::is_ok));
    assert!(read.len() > 100 && read.len() < 1500, "{}: the oldest files are gone", read.len());
    assert_eq!(read.last().unwrap().as_ref().unwrap().boottime_ns, sample(1499).boottime_ns);
    // Every file can be read alone: its host's record is in it.
    for entry in std::fs::read_dir(place.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "fwr") {
            let one = Recording::open(&path).unwrap();
            let first = one.sample_at(one.span().from).unwrap();
            assert_eq!(one.host(first.host).unwrap().hostname, "db1", "{}", path.display());
        }
    }
}

#[test]
fn what_is_damaged_is_said_and_the_rest_is_read() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.fwr");
    drop(recorded(&path, 100));
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("UPDATE sample SET body = x'00' WHERE seq = 10", []).unwrap();
    drop(connection);
    let recording = Recording::open(&path).unwrap();
    let read = all(&recording);
    let good: Vec<u64> =
        read.iter().flatten().map(|sample| sample.boottime_ns / 1_000_000_000 - 1000).collect();
    assert_eq!(good, (0..9).chain(30..100).collect::<Vec<_>>(), "the next key frame goes on");
    let said: Vec<&String> = read.iter().filter_map(|one| one.as_ref().err()).collect();
    assert!(said.len() == 1 && said[0].contains("sample 10 cannot be read"), "{said:?}");
}

#[test]
fn one_damaged_file_of_a_directory_is_left_out_and_told() {
    let place = tempfile::tempdir().unwrap();
    drop(recorded(&place.path().join("a.fwr"), 10));
    std::fs::write(place.path().join("b.fwr"), vec![7; 8192]).unwrap();
    let recording = Recording::open(place.path()).unwrap();
    assert_eq!(recording.len(), 10);
    assert!(recording.damage()[0].contains("b.fwr"), "{:?}", recording.damage());
}

/// Opens and reads all there is, whatever was done to the file.
fn read_whatever(path: &Path) {
    let Ok(recording) = Recording::open(path) else { return };
    let span = recording.span();
    for one in recording.samples(span.from, span.to).take(500).flatten() {
        let _ = recording.host(one.host);
    }
    let _ = (recording.keys(span.from, span.to).count(), recording.events(span.from, span.to));
    let _ = (recording.sample_at(span.to), recording.times(span.from, span.to), recording.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn cut_and_flipped_files_never_panic(
        cut in 0.0..1.0_f64,
        flips in proptest::collection::vec((0.0..1.0_f64, any::<u8>()), 0..40),
    ) {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.fwr");
        drop(recorded(&path, 70));
        let mut bytes = std::fs::read(&path).unwrap();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
        let at = |share: f64, length: usize| ((length as f64 * share) as usize).min(length.saturating_sub(1));
        for (share, value) in flips {
            let at = at(share, bytes.len());
            bytes[at] ^= value;
        }
        read_whatever_of(&place, &path, &bytes);
        bytes.truncate(at(cut, bytes.len()));
        read_whatever_of(&place, &path, &bytes);
    }
}

/// Sets the number of the row in the middle of each leaf of a table back to that of the leaf's first row
/// (sqlite.org/fileformat2.html, 1.6): one damaged copy for each leaf.
fn numbers_set_back(bytes: &[u8]) -> Vec<Vec<u8>> {
    const LEAF: u8 = 0x0D;
    let two = |at: usize| usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
    let size = two(16);
    let leaves = (1..bytes.len() / size).map(|page| page * size).filter(|page| bytes[*page] == LEAF);
    let damaged = leaves.filter_map(|page| {
        let rows = two(page + 3);
        // A cell begins with the length of its payload, a varint, then comes the number: one byte below 128.
        let number = |row: usize| {
            let cell = page + two(page + 8 + 2 * row);
            cell + bytes[cell..].iter().position(|byte| byte & 0x80 == 0).unwrap() + 1
        };
        let (first, middle) = (number(0), number(rows / 2));
        let fits = rows > 2 && bytes[first] & 0x80 == 0 && bytes[middle] & 0x80 == 0;
        fits.then(|| {
            let mut copy = bytes.to_vec();
            copy[middle] = bytes[first];
            copy
        })
    });
    damaged.collect()
}

#[test]
fn rows_that_lead_back_are_not_read_without_end() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.fwr");
    drop(recorded(&path, 70));
    let damaged = numbers_set_back(&std::fs::read(&path).unwrap());
    assert!(!damaged.is_empty());
    for bytes in damaged {
        std::fs::write(&path, &bytes).unwrap();
        let (path, (done, ended)) = (path.clone(), std::sync::mpsc::channel());
        std::thread::spawn(move || {
            let Ok(recording) = Recording::open(&path) else { return done.send(0) };
            let span = recording.span();
            done.send(recording.samples(span.from, span.to).take(10_000).count())
        });
        let read = ended.recv_timeout(std::time::Duration::from_secs(20)).expect("it comes to an end");
        assert!(read <= 71, "{read} samples and errors of 70 rows");
    }
}

fn read_whatever_of(_place: &tempfile::TempDir, path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
    read_whatever(path);
}

/// Its own file system in memory, unmounted when dropped.
struct Tmpfs(tempfile::TempDir);

impl Tmpfs {
    fn mount(size: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "none"]).arg(place.path());
        assert!(mount.status().unwrap().success(), "mounting needs root");
        Self(place)
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_pauses_the_recording_and_room_resumes_it() {
    let tmpfs = Tmpfs::mount("1m");
    let place = tmpfs.0.path();
    let filler = place.join("filler");
    std::fs::write(&filler, vec![0; 600_000]).unwrap();
    let mut shards = ShardWriter::directory(&place.join("record"), begin(), Limits::default()).unwrap();
    shards.host(&sample(0), &host("db1")).unwrap();
    let mut second = 0;
    while shards.lost() == 0 {
        shards.sample(&sample(second), &[]).unwrap();
        second += 1;
        assert!(second < 20_000, "a megabyte was never full");
    }
    let event = Event::at(&sample(second), EventKind::Link, "eth0", "up → down");
    shards.sample(&sample(second), &[event]).unwrap();
    std::fs::remove_file(&filler).unwrap();
    let back = second + 1;
    while shards.lost() > 0 {
        second += 1;
        shards.sample(&sample(second), &[]).unwrap();
        assert!(second < back + 20, "room was not noticed");
    }
    shards.end(&Event::at(&sample(second), EventKind::Recorder, "", "the recorder ended")).unwrap();
    drop(shards);
    let recording = Recording::open(&place.join("record")).unwrap();
    let read: Vec<Sample> = all(&recording).into_iter().map(Result::unwrap).collect();
    assert_eq!(read.first(), Some(&sample(0)));
    assert_eq!(read.last(), Some(&sample(second)));
    let events = recording.events(recording.span().from, recording.span().to);
    let told: Vec<&str> = events.iter().map(|event| event.kind.name()).collect();
    assert!(told.contains(&"full") && told.contains(&"link"), "what happened meanwhile is told: {events:?}");
}

/// The second review, N7: a view in place of a table computes for as long as anyone waits.
#[test]
fn a_recording_with_a_schema_that_is_not_ours_is_none() {
    let place = tempfile::tempdir().unwrap();
    let endless = "ALTER TABLE sample RENAME TO s0; CREATE VIEW sample AS WITH RECURSIVE
         c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT s0.* FROM s0, c WHERE x <> 0";
    for (number, (sql, name)) in [
        (endless, "table s0"),
        ("CREATE TABLE more (x)", "table more"),
        ("CREATE INDEX slow ON sample (length(randomblob(wall_us)))", "index slow"),
        ("DROP INDEX sample_wall", "index sample_wall"),
        ("CREATE TRIGGER t AFTER INSERT ON event BEGIN SELECT 1; END", "trigger t"),
    ]
    .into_iter()
    .enumerate()
    {
        let path = place.path().join(format!("{number}.fwr"));
        drop(recorded(&path, 3));
        // What is not deterministic is no index even for its author: then nothing is left to be refused.
        if rusqlite::Connection::open(&path).unwrap().execute_batch(sql).is_err() {
            continue;
        }
        let error = Recording::open(&path).unwrap_err();
        assert!(matches!(error, RecordingError::NotARecording { .. }), "{sql}: {error}");
        assert!(error.to_string().contains(name), "{sql}: {error}");
    }
}

#[test]
fn reading_ends_when_it_is_told_to() {
    use std::sync::atomic::{AtomicBool, Ordering};
    static STOPPED: AtomicBool = AtomicBool::new(false);
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.fwr");
    drop(recorded(&path, 200));
    let recording = Recording::open_until(&path, || STOPPED.load(Ordering::Relaxed)).unwrap();
    let span = recording.span();
    let (mut samples, mut keys) = (recording.samples(span.from, span.to), recording.keys(span.from, span.to));
    assert!(samples.next().is_some() && keys.next().is_some());
    STOPPED.store(true, Ordering::Relaxed);
    assert!(samples.next().is_none() && keys.next().is_none());
}

/// Each difference is small, and each adds devices that no sample takes away again.
#[test]
fn a_tree_that_only_grows_is_no_sample() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.fwr");
    drop(recorded(&path, 2));
    let connection = rusqlite::Connection::open(&path).unwrap();
    let insert = "INSERT INTO sample SELECT ?1, host, boottime_ns, wall_us + ?1, took_ns, key, ?2 FROM sample WHERE seq =
         (SELECT max(seq) FROM sample)";
    let first: i64 = connection.query_row("SELECT max(seq) FROM sample", [], |row| row.get(0)).unwrap();
    for step in 1..=30_i64 {
        let disks: String = (0..50_000).map(|disk| format!("\"{step}-{disk}\":[{{}}],")).collect();
        let change = format!("{{\"disks\":{{{disks}\"z{step}\":[{{}}]}}}}");
        let body = zstd::encode_all(change.as_bytes(), 1).unwrap();
        connection.execute(insert, rusqlite::params![first + step, body]).unwrap();
    }
    drop(connection);
    let recording = Recording::open(&path).unwrap();
    let read = all(&recording);
    let refused = read.iter().position(Result::is_err).expect("it is refused at some point");
    assert!((3..30).contains(&refused), "after {refused} samples");
    assert!(
        read[refused].as_ref().unwrap_err().contains("more records than any host has"),
        "{:?}",
        read[refused]
    );
}
