//! How often `fullwire prove` is right: experiments on real paths in which nothing is changed, and in which something is changed by
//! an amount that is known. What came out goes into docs/experiments.json, which `cargo xtask accuracy` prints.

use super::build;
use super::place::{Place, VethPair, ip};
use super::process::{Server, json, output, shown};
use crate::{head, target_dir};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What came out.
pub(crate) const RESULTS: &str = "docs/experiments.json";
const USAGE: &str = "usage: cargo xtask bench experiments [--count N] [--only NAME] [--binary FILE], as root: N of each kind of same state (40); experiments --lab FOLDER adds what lab/known left";
/// Experiments at a time.
const AT_A_TIME: usize = 3;
/// A new link is up after this time.
const LINK_UP: Duration = Duration::from_secs(3);
/// Size of the file behind the loop device.
const DISK_BYTES: u64 = 256 << 20;

/// What is to come out.
enum Truth {
    /// Nothing was changed: neither better nor worse.
    Same,
    /// Something below what matters: neither, and the interval holds this change.
    Below(f64),
    /// This change of the figure, as a share of it.
    Change(&'static str, f64),
}

struct Experiment {
    name: &'static str,
    truth: Truth,
    /// Prepares the host; undone when the namespaces are gone.
    setup: &'static [&'static str],
    a: &'static str,
    b: &'static str,
    measure: &'static [&'static str],
}

const STREAM: &[&str] = &["net", "TARGET", "--duration", "1s", "--warmup", "500ms"];
const READS: &[&str] = &[
    "disk", "TARGET", "--operation", "read", "--pattern", "random", "--block", "8k", "--depth", "4",
    "--duration", "1s", "--repeats", "1", "--size", "64M", "--yes",
];
const NOTHING: &str = "true";
const RATE: &str = "tc qdisc replace dev veth0 root handle 1: tbf rate RATE burst 128k latency 20ms";

/// Goodput behind a bucket that counts frames: 1448 of 1514 bytes against 8948 of 9014.
const SMALL_FRAMES: f64 = (1448.0 / 1514.0) / (8948.0 / 9014.0) - 1.0;

fn same() -> [Experiment; 3] {
    let unchanged = |name, setup, measure| Experiment {
        name,
        truth: Truth::Same,
        setup,
        a: NOTHING,
        b: NOTHING,
        measure,
    };
    [
        unchanged("loopback, stream", &[], STREAM),
        unchanged("cable shaped to 500 Mbit/s, stream", &["500mbit"], STREAM),
        unchanged("file on a loop device, random reads", &[], READS),
    ]
}

fn changed() -> [Experiment; 2] {
    [
        Experiment {
            name: "shaper from 500 to 475 Mbit/s",
            truth: Truth::Change("worse", -0.05),
            setup: &["500mbit"],
            a: "500mbit",
            b: "475mbit",
            measure: STREAM,
        },
        Experiment {
            name: "MTU from 9000 to 1500 behind a shaper",
            truth: Truth::Change("worse", SMALL_FRAMES),
            setup: &["ip link set veth0 mtu 9000", "500mbit"],
            a: "ip link set veth0 mtu 9000",
            b: "ip link set veth0 mtu 1500",
            measure: STREAM,
        },
    ]
}

const TINY: Experiment = Experiment {
    name: "shaper from 500 to 495 Mbit/s",
    truth: Truth::Below(-0.01),
    setup: &["500mbit"],
    a: "500mbit",
    b: "495mbit",
    measure: STREAM,
};

/// What came of the repetitions of one experiment.
#[derive(Default)]
struct Tally {
    answers: [u32; 4],
    right: u32,
    interval_holds: u32,
    runs: u32,
    widths: Vec<f64>,
}

const ANSWERS: [&str; 4] = ["better", "worse", "same", "cannot-tell"];

pub(super) fn run(words: &[&str]) -> Result<()> {
    if let ["--lab", folder] = words {
        return from_lab(Path::new(folder));
    }
    let (mut count, mut binary, mut only) = (40, None, "");
    for option in words.chunks(2) {
        match option {
            ["--count", number] => {
                count = number.parse().with_context(|| format!("--count {number}: not a number"))?;
            }
            ["--only", part] => only = part,
            ["--binary", file] => binary = Some(PathBuf::from(file)),
            _ => bail!(USAGE),
        }
    }
    let fullwire = fs::canonicalize(match binary {
        Some(binary) => binary,
        None => build()?.fullwire,
    })
    .context("find the executable")?;
    let counted =
        |experiments: Vec<Experiment>, count: u32| experiments.into_iter().map(move |one| (one, count));
    let mut all: Vec<(Experiment, u32)> = counted(same().into(), count).collect();
    all.extend(counted(changed().into(), count.div_ceil(4)));
    all.push((TINY, count.div_ceil(5)));
    let names: Vec<&str> = all.iter().map(|(experiment, _)| experiment.name).collect();
    let rows = Mutex::new(kept(&names)?);
    let all: Vec<&(Experiment, u32)> = all.iter().filter(|(one, _)| one.name.contains(only)).collect();
    let next = AtomicUsize::new(0);
    // Several at a time: each is on its own path, and a host that measures is seldom idle.
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_A_TIME)
            .map(|_| {
                scope.spawn(|| -> Result<()> {
                    while let Some(&&(ref experiment, count)) = all.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        let row = repeated(experiment, count, &fullwire)?;
                        let place = names.iter().position(|name| *name == experiment.name);
                        let mut rows = rows.lock().expect("no thread panicked");
                        rows[place.context("an experiment of the list")?] = row;
                        keep(&rows)?;
                    }
                    Ok(())
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })
}

/// What is known of experiments that are not repeated now.
fn kept(names: &[&str]) -> Result<Vec<Value>> {
    let Ok(text) = fs::read_to_string(RESULTS) else { return Ok(vec![Value::Null; names.len()]) };
    let known: Value = serde_json::from_str(&text).with_context(|| format!("read {RESULTS}"))?;
    let rows = known["experiments"].as_array().cloned().unwrap_or_default();
    let row = |name: &&str| rows.iter().find(|row| row["name"] == **name).cloned().unwrap_or_default();
    Ok(names.iter().map(row).collect())
}

/// Adds what the scenarios of `lab/known` left, a folder for each: `truth.json`, and `proof-N.json` of each experiment.
fn from_lab(folder: &Path) -> Result<()> {
    let read = |path: &Path| -> Result<Value> {
        let text = fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("read {}", path.display()))
    };
    let known: Value = read(Path::new(RESULTS)).unwrap_or_default();
    let mut rows = known["experiments"].as_array().cloned().unwrap_or_default();
    for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let scenario = entry?.path();
        let Ok(truth) = read(&scenario.join("truth.json")) else { continue };
        let mut tally = Tally::default();
        for number in 1.. {
            let file = scenario.join(format!("proof-{number}.json"));
            if !file.exists() {
                break;
            }
            tally.add_known(&read(&file)?, &truth)?;
        }
        let name = truth["name"].as_str().context("a name in truth.json")?;
        rows.retain(|row| row["name"] != name);
        rows.push(tally.row(name, "changed"));
    }
    keep(&rows)
}

/// After each experiment: a long series that is cut off has not been for nothing.
fn keep(rows: &[Value]) -> Result<()> {
    let kernel = output(Command::new("uname").arg("-r"))?.trim().to_owned();
    let day = output(Command::new("date").args(["-u", "+%F"]))?.trim().to_owned();
    let rows: Vec<&Value> = rows.iter().filter(|row| !row.is_null()).collect();
    let note = "The states with a delay, a send buffer or a device queue ran in the lab (lab/known).";
    let results =
        json!({ "commit": head()?, "kernel": kernel, "date": day, "note": note, "experiments": rows });
    let text = serde_json::to_string_pretty(&results)? + "\n";
    fs::write(RESULTS, text).with_context(|| format!("write {RESULTS}"))
}

/// The host of one experiment, gone when it is dropped.
struct Scene {
    place: Place,
    target: String,
    store: PathBuf,
    _server: Option<Server>,
    _disk: Option<LoopDisk>,
    _cable: Option<VethPair>,
}

impl Scene {
    fn of(experiment: &Experiment, fullwire: &Path) -> Result<Self> {
        let name: String = experiment.name.chars().filter(char::is_ascii_alphanumeric).collect();
        let store = target_dir().join("experiments").join(format!("{name}.db"));
        fs::create_dir_all(store.parent().context("a folder for the runs")?)?;
        let _ = fs::remove_file(&store);
        if experiment.measure[0] == "disk" {
            let disk = LoopDisk::make()?;
            let target = disk.folder.display().to_string();
            return Ok(Self {
                place: Place::loopback(),
                target,
                store,
                _server: None,
                _disk: Some(disk),
                _cable: None,
            });
        }
        let made = Instant::now();
        let cable = if experiment.name.starts_with("loopback") { None } else { Some(VethPair::make()?) };
        let place = cable.as_ref().map_or_else(Place::loopback, VethPair::place);
        if experiment.setup.iter().any(|command| command.contains("mtu")) {
            let server = cable.as_ref().context("a cable")?.server();
            ip(&["-n", server, "link", "set", "veth0", "mtu", "9000"])?;
        }
        for command in experiment.setup {
            output(place.client("sh").args(["-c", &command_of(command)]))?;
        }
        let mut serve = place.server(fullwire);
        serve.args(["serve", "--open", "--listen", &format!("{}:0", place.address)]);
        let (server, line) = Server::listening(&mut serve)?;
        // The kernel tells that a new link is up after a second: a change of the host, in the middle of an experiment.
        std::thread::sleep(LINK_UP.saturating_sub(made.elapsed()));
        let target = line.split_whitespace().next_back().context("no address")?.to_owned();
        Ok(Self { place, target, store, _server: Some(server), _disk: None, _cable: cable })
    }
}

/// A bare rate stands for the shaper.
fn command_of(word: &str) -> String {
    if word.ends_with("mbit") && !word.contains(' ') { RATE.replace("RATE", word) } else { word.to_owned() }
}

fn repeated(experiment: &Experiment, count: u32, fullwire: &Path) -> Result<Value> {
    let scene = Scene::of(experiment, fullwire)?;
    let mut tally = Tally::default();
    for number in 1..=count {
        // Whoever else changes this host's settings meanwhile ends an experiment, as it should.
        let proof = once(experiment, &scene, fullwire).or_else(|error| {
            eprintln!("{}: {number} of {count} is repeated: {error:#}", experiment.name);
            once(experiment, &scene, fullwire)
        })?;
        let said = tally.add(&proof, experiment)?;
        eprintln!("{}: {number} of {count}: {said}", experiment.name);
    }
    let kind = match experiment.truth {
        Truth::Same => "same",
        Truth::Below(_) => "below",
        Truth::Change(..) => "changed",
    };
    Ok(tally.row(experiment.name, kind))
}

fn once(experiment: &Experiment, scene: &Scene, fullwire: &Path) -> Result<Value> {
    let mut command = scene.place.client(fullwire);
    command.args(["prove", "--a", &command_of(experiment.a), "--b", &command_of(experiment.b)]);
    command.args(["--yes", "--settle", "200ms", "--quiet", "--json", "--store"]).arg(&scene.store).arg("--");
    command.args(
        experiment.measure.iter().map(|word| if *word == "TARGET" { scene.target.as_str() } else { word }),
    );
    json(&mut command)
}

/// The answer, its place among the four, and the figure that it is of.
fn concluded(proof: &Value) -> Result<(&str, usize, &Value)> {
    let answer = proof["answer"].as_str().context("no answer")?;
    let place =
        ANSWERS.iter().position(|one| *one == answer).with_context(|| format!("the answer {answer}"))?;
    let compared = proof["comparisons"].as_array().context("no comparisons")?;
    // Where all runs were left out as unsteady there is no figure.
    Ok((answer, place, compared.iter().find(|one| one["primary"] == true).unwrap_or(&Value::Null)))
}

impl Tally {
    fn add(&mut self, proof: &Value, experiment: &Experiment) -> Result<String> {
        let (answer, place, figure) = concluded(proof)?;
        let (right, truth) = match &experiment.truth {
            Truth::Same => (place >= 2, (0.0, 0.0)),
            Truth::Below(change) => (place >= 2, (*change, *change)),
            Truth::Change(wanted, change) => (answer == *wanted, (*change, *change)),
        };
        let (low, high) = self.count(place, right, figure, truth);
        Ok(format!("{answer}, {low:?} to {high:?}, truth {truth:?}"))
    }

    /// An experiment in the lab, whose change another tool has measured.
    fn add_known(&mut self, proof: &Value, truth: &Value) -> Result<()> {
        let (answer, place, figure) = concluded(proof)?;
        let bound = |name: &str| truth[name].as_f64().with_context(|| format!("{name} in truth.json"));
        let mut range = (bound("low")?, bound("high")?);
        if truth["unit"] == "ns" {
            let median = figure["a"]["median"].as_f64().unwrap_or(f64::NAN);
            range = (range.0 / median, range.1 / median);
        }
        self.count(place, truth["answer"] == answer, figure, range);
        Ok(())
    }

    fn count(
        &mut self,
        place: usize,
        right: bool,
        figure: &Value,
        truth: (f64, f64),
    ) -> (Option<f64>, Option<f64>) {
        let (low, high) = (figure["low"].as_f64(), figure["high"].as_f64());
        let holds = low.zip(high).is_some_and(|(low, high)| low <= truth.1 && truth.0 <= high);
        self.answers[place] += 1;
        self.right += u32::from(right);
        self.interval_holds += u32::from(holds);
        self.runs += 1;
        self.widths.extend(low.zip(high).map(|(low, high)| high - low));
        (low, high)
    }

    fn row(mut self, name: &str, kind: &str) -> Value {
        self.widths.sort_by(f64::total_cmp);
        json!({
            "name": name, "kind": kind, "experiments": self.runs,
            "better": self.answers[0], "worse": self.answers[1],
            "no_difference": self.answers[2], "cannot_tell": self.answers[3],
            "right": self.right, "interval_holds": self.interval_holds,
            "interval_width_median": self.widths.get(self.widths.len() / 2),
        })
    }
}

/// A file system in a file behind a loop device, gone when this is dropped.
struct LoopDisk {
    folder: PathBuf,
    image: PathBuf,
}

impl LoopDisk {
    fn make() -> Result<Self> {
        let room = target_dir().join("experiments");
        let disk = Self { folder: room.join("mnt"), image: room.join("disk.img") };
        fs::create_dir_all(&disk.folder)?;
        File::create(&disk.image)
            .and_then(|file| file.set_len(DISK_BYTES))
            .context("make the file of the loop device")?;
        output(Command::new("mkfs.ext4").arg("-q").arg("-F").arg(&disk.image))?;
        output(Command::new("mount").args(["-o", "loop"]).arg(&disk.image).arg(&disk.folder))?;
        Ok(disk)
    }
}

impl Drop for LoopDisk {
    fn drop(&mut self) {
        let mut unmount = Command::new("umount");
        if let Err(error) = output(unmount.arg(&self.folder)) {
            eprintln!("{}: {error:#}", shown(&unmount));
        }
        let _ = fs::remove_file(&self.image);
    }
}
