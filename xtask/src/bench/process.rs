//! Programs under measurement: servers that end with the benchmark, clients whose output is a document.

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// A program that runs until this is dropped.
pub(super) struct Server(Child);

impl Server {
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        let shown = shown(command);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Ok(Self(child.with_context(|| format!("start {shown}"))?))
    }

    /// Starts it and waits for the line of its output that says it listens.
    pub(super) fn listening(command: &mut Command) -> Result<(Self, String)> {
        let shown = shown(command);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut server = Self(child.with_context(|| format!("start {shown}"))?);
        let mut output = BufReader::new(server.0.stdout.take().context("the output is not piped")?);
        let mut line = String::new();
        while !line.contains("listening") {
            line.clear();
            if output.read_line(&mut line).with_context(|| format!("read what {shown} prints"))? == 0 {
                bail!("{shown} ended before it listened");
            }
        }
        // What it prints later must not fill the pipe and block it.
        std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        Ok((server, line.trim().to_owned()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a command prints, when it succeeds.
pub(super) fn output(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("start {shown}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        bail!(
            "{shown}: {}: {}{}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim(),
            text.trim()
        );
    }
    Ok(text)
}

/// A command's output as JSON. Some print a warning before it.
pub(crate) fn json(command: &mut Command) -> Result<Value> {
    let text = output(command)?;
    let begin = text.find('{').with_context(|| format!("{} printed no JSON", shown(command)))?;
    serde_json::from_str(&text[begin..]).with_context(|| format!("read what {} printed", shown(command)))
}

/// A command's output as JSON, and the time that its process spent in user mode from its start to its end, ns.
pub(super) fn json_and_user_ns(command: &mut Command) -> Result<(Value, f64)> {
    let before_ns = children_user_ns()?;
    let seen = json(command)?;
    Ok((seen, children_user_ns()? - before_ns))
}

/// What a command took.
pub(super) struct Spent {
    pub(super) elapsed_s: f64,
    pub(super) cpu_s: f64,
}

/// A command's output, and what it took from its start to its end.
pub(super) fn spent(command: &mut Command) -> Result<(Spent, String)> {
    let (before_s, begun) = (children_cpu_s()?, Instant::now());
    let text = output(command)?;
    let elapsed_s = begun.elapsed().as_secs_f64();
    Ok((Spent { elapsed_s, cpu_s: children_cpu_s()? - before_s }, text))
}

/// The CPU time that a command takes from its start to its end, in user mode and in the kernel, s.
pub(super) fn cpu_s(command: &mut Command) -> Result<f64> {
    let before_s = children_cpu_s()?;
    output(command)?;
    Ok(children_cpu_s()? - before_s)
}

fn children_cpu_s() -> Result<f64> {
    let used = getrusage(UsageWho::RUSAGE_CHILDREN).context("read the CPU time of programs that ended")?;
    let of = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(of(used.user_time()) + of(used.system_time()))
}

/// Of all children that have ended.
fn children_user_ns() -> Result<f64> {
    let user =
        getrusage(UsageWho::RUSAGE_CHILDREN).context("read the CPU time of programs that ended")?.user_time();
    Ok(user.tv_sec() as f64 * 1e9 + user.tv_usec() as f64 * 1e3)
}

/// The number at a JSON pointer.
pub(super) fn number(document: &Value, pointer: &str) -> Result<f64> {
    let value = document.pointer(pointer).and_then(Value::as_f64);
    value.with_context(|| format!("no number at {pointer}"))
}

/// Whether a peer is there; otherwise the reader learns what is not compared.
pub(super) fn installed(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok()
}

pub(super) fn shown(command: &Command) -> String {
    format!("{} {}", command.get_program().to_string_lossy(), crate::words(command))
}
