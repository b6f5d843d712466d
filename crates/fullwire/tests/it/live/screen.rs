//! The screen in a real terminal (tmux), driven by real keys.

use crate::servers::wait_for;
use crate::skips::skipped;
use crate::tool::{Desk, PROGRAM, Running};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Drawing the first look may take a while on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Its own tmux server with one window.
struct Tmux {
    desk: Desk,
    socket: String,
}

impl Tmux {
    /// Runs the program in a window of this size; next to it lies what the terminal was before and after.
    fn run(arguments: &str, size: (u16, u16), environment: &str) -> Self {
        Self::on(Desk::new(), arguments, size, environment)
    }

    fn on(desk: Desk, arguments: &str, (width, height): (u16, u16), environment: &str) -> Self {
        let socket = format!("fullwire-{}-{:p}", std::process::id(), &raw const desk);
        let script = format!(
            "stty -a > before\nsh -c 'echo $$ > pid; exec env LANG=C.UTF-8 {environment} {PROGRAM} {arguments}'\n\
             echo $? > status\nstty -a > after\necho RETURNED\nsleep 60\n"
        );
        std::fs::write(desk.work.path().join("script"), script).unwrap();
        let tmux = Self { desk, socket };
        let made = tmux.tmux(&[
            "new-session",
            "-d",
            "-x",
            &width.to_string(),
            "-y",
            &height.to_string(),
            "sh",
            "./script",
        ]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        tmux
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.args(["-L", &self.socket, "-f", "/dev/null"]).args(arguments);
        command.current_dir(self.desk.work.path()).output().expect("tmux is needed (see ./test)")
    }

    fn keys(&self, keys: &[&str]) {
        let sent = self.tmux(&[&["send-keys"], keys].concat());
        assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p"]).stdout).into_owned()
    }

    /// Waits until the window shows something.
    fn shows(&self, wanted: impl Fn(&str) -> bool, what: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let text = self.text();
            if wanted(&text) {
                return text;
            }
            assert!(Instant::now() < deadline, "{what} is not shown:\n{text}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default().trim().to_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.desk.work.path().join(name)
    }

    /// The program has ended and the terminal is as it was.
    fn is_restored(&self, status: &str) {
        self.shows(|text| text.contains("RETURNED"), "the end");
        assert_eq!(self.file("before"), self.file("after"), "the terminal's settings");
        assert_eq!(self.file("status"), status);
        let cursor = self.tmux(&["display-message", "-p", "#{alternate_on} #{cursor_flag}"]);
        assert_eq!(String::from_utf8_lossy(&cursor.stdout).trim(), "0 1", "normal screen, cursor shown");
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

fn has_figures(text: &str) -> bool {
    text.contains("storage") && text.contains("LIVE") && text.contains("self ")
}

#[test]
fn keys_work_and_quitting_restores_the_terminal() {
    let tmux = Tmux::run("watch --interval 200ms", (80, 24), "");
    let text = tmux.shows(has_figures, "the first look");
    assert!(text.lines().count() <= 24 && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    tmux.keys(&["?"]);
    tmux.shows(|text| text.contains("one sample back in time"), "the help");
    tmux.keys(&["?"]);
    tmux.shows(|text| !text.contains("one sample back in time"), "the screen again");
    tmux.keys(&["Left"]);
    tmux.shows(|text| text.contains("PAUSED"), "the pause");
    tmux.keys(&["Space"]);
    tmux.shows(|text| !text.contains("PAUSED"), "the newest look");
    tmux.keys(&["/", "n", "o", "s", "u", "c", "h", "Enter"]);
    tmux.shows(|text| text.contains("/nosuch") && !text.contains("lo "), "the filter");
    tmux.keys(&["Escape"]);
    tmux.shows(|text| text.contains("lo "), "all rows");
    tmux.keys(&["q"]);
    tmux.is_restored("0");
}

#[test]
fn a_small_window_without_colour_is_enough() {
    let tmux = Tmux::run("watch --interval 200ms", (40, 10), "NO_COLOR=1");
    tmux.shows(|text| text.contains("storage") && text.contains("LIVE"), "the first look");
    let coloured = tmux.tmux(&["capture-pane", "-p", "-e"]);
    let text = String::from_utf8_lossy(&coloured.stdout).into_owned();
    // 39 and 49 are the terminal's own colours.
    let colours = (30_i32..=38).chain(90..=97).filter(|code| text.contains(&format!("[{code}")));
    assert_eq!(colours.count(), 0, "no colour: {text:?}");
    tmux.keys(&["C-c"]);
    tmux.is_restored("0");
}

#[test]
fn a_signal_restores_the_terminal_and_stopping_hands_it_back() {
    let tmux = Tmux::run("watch --interval 200ms", (80, 24), "");
    tmux.shows(has_figures, "the first look");
    let pid = tmux.file("pid");
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    tmux.is_restored("0");
}

#[test]
fn a_terminal_that_is_gone_ends_the_program() {
    let tmux = Tmux::run("watch --interval 200ms", (80, 24), "");
    tmux.shows(has_figures, "the first look");
    let process = PathBuf::from(format!("/proc/{}", tmux.file("pid")));
    assert!(process.exists());
    tmux.tmux(&["kill-server"]);
    let deadline = Instant::now() + Duration::from_secs(5);
    // A zombie that no one waits for has ended too.
    let runs = || std::fs::read_to_string(process.join("stat")).is_ok_and(|stat| !stat.contains(") Z "));
    while runs() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!runs(), "it runs on without a terminal");
}

#[test]
fn a_recording_is_stepped_through() {
    let desk = Desk::new();
    let recorded = desk.run(&["record", "--for", "1500ms", "--interval", "200ms", "-o", "a.fwr"]);
    assert!(recorded.status.success());
    let tmux = Tmux::on(desk, "replay a.fwr", (100, 30), "");
    tmux.shows(|text| text.contains("REPLAY 2/") && text.contains("cpu "), "the first sample with rates");
    tmux.keys(&["Right", "Right"]);
    tmux.shows(|text| text.contains("REPLAY 4/"), "the fourth sample");
    tmux.keys(&["Left"]);
    tmux.shows(|text| text.contains("REPLAY 3/"), "the third sample");
    tmux.keys(&["q"]);
    tmux.is_restored("0");
}

#[test]
fn another_tools_file_lies_on_the_screen_on_the_same_axis() {
    let desk = Desk::new();
    let mut record = desk.command();
    let mut record = Running(
        record
            .args(["record", "--for", "7s", "--interval", "200ms", "-o", "a.fwr"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let file = desk.work.path().join("a.fwr");
    wait_for("the recording begins", PATIENCE, || std::fs::metadata(&file).is_ok_and(|file| file.len() > 0));
    // iostat tells whole seconds, cut off: its file seems to begin up to a second before it does.
    std::thread::sleep(Duration::from_secs(2));
    let iostat = Command::new("iostat")
        .args(["-cty", "1", "4"])
        .env("LC_ALL", "C")
        .env("S_TIME_FORMAT", "ISO")
        .stdout(std::fs::File::create(desk.work.path().join("iostat.txt")).unwrap())
        .status();
    let Ok(iostat) = iostat else {
        skipped("needs iostat");
        return;
    };
    assert!(iostat.success() && record.0.wait().unwrap().success());
    let tmux = Tmux::on(desk, "replay a.fwr --with iostat.txt --at=-3s", (100, 30), "");
    let text = tmux.shows(|text| text.contains("beside: iostat.txt (iostat)"), "the file");
    let row = text.lines().find(|line| line.starts_with("all idle")).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(row.matches('%').count(), 2, "the file's figure and ours: {row}");
    assert!(row.contains(['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']), "curves: {row}");
    // Before the file begins there is nothing of it.
    tmux.keys(&["[", "Left"]);
    tmux.shows(|text| text.contains("REPLAY 1/"), "the first sample");
    let text = tmux.shows(|text| text.lines().any(|line| line.starts_with("all idle")), "the row");
    let row = text.lines().find(|line| line.starts_with("all idle")).unwrap();
    assert!(row.matches('%').count() <= 1, "{row}");
    tmux.keys(&["q"]);
    tmux.is_restored("0");
}
