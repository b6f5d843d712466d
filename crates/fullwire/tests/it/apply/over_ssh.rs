//! `fullwire apply` by someone who came in over ssh, on a terminal of a real sshd: the change is on the interface that carries
//! the connection.

use crate::mesh::cluster::Cluster;
use crate::skips::given;
use crate::tool::{changing, listen, stderr, stdout};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The question that the watchdog waits for.
const STAYS: &str = "keep the change?";
const QUESTION: &str = "[y/N]";
/// Beyond the minute that the watchdog waits.
const PATIENCE: Duration = Duration::from_secs(100);

/// A host with a shaper on the interface of its ssh, and the run that found it.
struct Shaped {
    cluster: Cluster,
    /// Where the remedy writes down what there was, if nothing was there before.
    saved: Option<&'static Path>,
}

impl Drop for Shaped {
    fn drop(&mut self) {
        self.saved.map(std::fs::remove_file);
    }
}

impl Shaped {
    fn new(name: &str) -> Option<Self> {
        changing();
        let cluster = Cluster::start(name, 1)?;
        cluster.run(1, "tc qdisc add dev eth0 root tbf rate 80mbit burst 64k latency 50ms");
        let saved = Path::new("/root/fullwire-tc-eth0.txt");
        let shaped = Self { cluster, saved: (!saved.exists()).then_some(saved) };
        let mut responder = shaped.program(0);
        responder.args(["serve", "--open"]);
        let _responder = listen(responder);
        let words = ["net", "10.77.0.250", "--duration", "1s", "--fail-on", "never"];
        let measured = shaped.program(1).args(words).output().unwrap();
        assert!(stdout(&measured).contains("qdisc-shaper"), "{}{}", stdout(&measured), stderr(&measured));
        Some(shaped)
    }

    /// The program in the namespace of a host.
    fn program(&self, host: usize) -> Command {
        let mut command = self.cluster.desk.program("ip");
        command
            .args(["netns", "exec", &self.cluster.namespace(host)])
            .arg(self.cluster.command().get_program());
        command
    }

    fn is_shaped(&self) -> bool {
        let tc = ["netns", "exec", &self.cluster.namespace(1), "tc", "qdisc", "show", "dev", "eth0"];
        let output = Command::new("ip").args(tc).output().unwrap();
        stdout(&output).contains(" tbf ")
    }

    /// `fullwire apply` of the shaper in a session of its own, up to the question whether the host can still be reached.
    fn applied(&self) -> Session {
        let program = self.cluster.command().get_program().to_string_lossy().into_owned();
        let typed = format!(
            "XDG_STATE_HOME={} {program} apply last --finding qdisc-shaper --yes --window",
            self.cluster.desk.state().display()
        );
        let mut session = Session::open(self.cluster.ssh().args(["-tt", "root@10.77.0.1", &typed]));
        session.answer_until(STAYS);
        assert!(!self.is_shaped(), "it is in effect while it is asked: {}", session.text);
        session
    }

    fn is_taken_back(&self) {
        let begin = Instant::now();
        // A journal of what was all taken back is no longer needed.
        let is_told = |journal: &str| journal.is_empty() || journal.contains(r#""event":"undone""#);
        while !self.is_shaped() || !is_told(&self.journal()) {
            assert!(begin.elapsed() < PATIENCE, "{}", self.journal());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn journal(&self) -> String {
        let folder = self.cluster.desk.state().join("fullwire/journal");
        let files = std::fs::read_dir(folder).into_iter().flatten().map(|file| file.unwrap().path());
        files.map(|file| std::fs::read_to_string(file).unwrap_or_default()).collect()
    }
}

/// A terminal at the far end; what it shows arrives here.
struct Session {
    child: Child,
    stdin: ChildStdin,
    shown: Receiver<String>,
    text: String,
    /// So much of the text was answered.
    answered: usize,
}

impl Session {
    fn open(ssh: &mut Command) -> Self {
        let mut child =
            ssh.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, shown) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = stdout.read(&mut bytes) {
                if sender.send(String::from_utf8_lossy(&bytes[..length]).into_owned()).is_err() {
                    break;
                }
            }
        });
        Self { child, stdin, shown, text: String::new(), answered: 0 }
    }

    /// Says yes to every question until the one that is wanted, which is left to the caller.
    fn answer_until(&mut self, wanted: &str) {
        loop {
            let open = &self.text[self.answered..];
            if let Some(end) = open.find(QUESTION).map(|at| at + QUESTION.len()) {
                let is_wanted = open[..end].contains(wanted);
                self.answered += end;
                if is_wanted {
                    return;
                }
                // Twice: what is typed before a question is no answer to it.
                self.say("y\ny");
                continue;
            }
            let more = self.shown.recv_timeout(PATIENCE);
            self.text += &more.unwrap_or_else(|_| panic!("no question of \"{wanted}\": {}", self.text));
        }
    }

    fn say(&mut self, word: &str) {
        writeln!(self.stdin, "{word}").unwrap();
    }

    /// All that is shown until it ends.
    fn end(mut self) -> String {
        loop {
            match self.shown.recv_timeout(PATIENCE) {
                Ok(more) => self.text += &more,
                Err(RecvTimeoutError::Disconnected) => return self.text.clone(),
                Err(RecvTimeoutError::Timeout) => panic!("it does not end: {}", self.text),
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn who_can_still_read_keeps_the_change_and_whose_session_ends_does_not() {
    let host = given!(Shaped::new("keep"));
    let mut session = host.applied();
    session.say("y");
    // What sets the shaper anew is for a person to find.
    session.answer_until("Done, or not needed?");
    session.say("y");
    let text = session.end();
    assert!(!host.is_shaped(), "{text}");
    assert!(host.journal().contains(r#""event":"done""#), "{}", host.journal());
    let undone = host.program(1).args(["apply", "--undo", "--yes"]).output().unwrap();
    assert!(host.is_shaped(), "undo puts back what was there: {}{}", stdout(&undone), stderr(&undone));

    drop(host.applied());
    host.is_taken_back();
}

/// The cable is cut: nobody hangs up, and the question stays open.
#[test]
fn whoever_is_cut_off_finds_the_host_as_it_was() {
    let host = given!(Shaped::new("cut"));
    let _session = host.applied();
    host.cluster.run(0, "ip link set eth0 down");
    host.is_taken_back();
}
