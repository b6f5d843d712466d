//! The page in a real headless Chromium: no error on the console, every chart drawn, in light and dark.

use crate::golden::page;
use crate::redo_day;
use crate::skips::{given, skipped};
use fullwire_present::{Report, html};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Names under which distributions install it.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// A browser that has not finished by then never will.
const PATIENCE: Duration = Duration::from_secs(60);

/// Put first in the page: keeps every error for the end.
const CATCH: &str = "<script nonce=test>window.caught = []; \
    addEventListener('error', (e) => caught.push(e.message)); \
    addEventListener('unhandledrejection', (e) => caught.push(String(e.reason))); \
    console.error = (...args) => caught.push(args.join(' '));</script>";

/// Put last: what the browser made of the page, as attributes that `--dump-dom` shows.
const PROBE: &str = "<script nonce=test>addEventListener('load', () => setTimeout(() => { \
    const painted = (c) => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.filter((v, i) => i % 4 === 3 && v > 0).length; \
    const charts = [...document.querySelectorAll('[data-chart]')]; \
    const details = document.querySelector('details[data-table]'); details.open = true; \
    setTimeout(() => { const set = document.body.dataset; \
    set.errors = JSON.stringify(caught); \
    set.dark = matchMedia('(prefers-color-scheme: dark)').matches; \
    set.page = getComputedStyle(document.body).backgroundColor; \
    set.charts = charts.length; \
    set.ready = charts.filter((c) => c.dataset.drawn === 'yes').length; \
    const quiet = (c) => c.dataset.lanes != null && !document.querySelector('#trouble + section table'); \
    set.painted = charts.filter((c) => painted(c.querySelector('canvas')) > (quiet(c) ? 0 : 2000)).length; \
    set.wide = charts.filter((c) => c.querySelector('canvas').getBoundingClientRect().width > c.clientWidth + 1).length; \
    set.rows = details.querySelectorAll('tr').length; \
    set.overflow = document.documentElement.scrollWidth > innerWidth; \
    set.probed = 'yes'; }, 50); }, 50));</script>";

/// What is open on the screen, on paper and afterwards, as attributes.
const PRINT: &str = "<script nonce=test>addEventListener('load', () => setTimeout(() => { \
    const folded = [...document.querySelectorAll('main details:not([data-table])')]; \
    const open = () => folded.filter((one) => one.open).length; \
    const line = () => getComputedStyle(document.documentElement).getPropertyValue('--line').trim(); \
    const set = document.body.dataset; set.screen = line(); set.folded = folded.length; set.before = open(); \
    dispatchEvent(new Event('beforeprint')); set.printed = open(); set.paper = line(); \
    dispatchEvent(new Event('afterprint')); set.after = open(); }, 50));</script>";

/// The page with these scripts of the test in its body, which its policy would not let run: they alone have the nonce.
fn with_scripts(page: &str, first: &str, last: &str) -> String {
    let (allowed, own) =
        ("script-src 'nonce-test'", page.replacen("script-src", "script-src 'nonce-test'", 1));
    assert!(own.contains(allowed), "the page has no policy for scripts");
    own.replace("<body>", &format!("<body>{first}")).replace("</body>", &format!("{last}</body>"))
}

fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path)
        .find_map(|dir| NAMES.iter().map(|name| dir.join(name)).find(|candidate| candidate.is_file()));
    if found.is_none() {
        skipped("needs chromium");
    }
    found
}

/// Runs the browser on a file, in its own profile.
fn browse(chromium: &Path, dir: &Path, page: &Path, dark: bool, arguments: &[String]) -> Output {
    browse_url(chromium, dir, &format!("file://{}", page.display()), dark, arguments)
}

fn browse_url(chromium: &Path, dir: &Path, url: &str, dark: bool, arguments: &[String]) -> Output {
    let profile = dir.join(if dark { "dark" } else { "light" });
    let mut child = Command::new(chromium)
        .args([
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-sync",
        ])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=4000", "--hide-scrollbars"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)))
        .args(arguments)
        .arg(url)
        .stdout(Stdio::from(std::fs::File::create(dir.join("stdout")).unwrap()))
        .stderr(Stdio::from(std::fs::File::create(dir.join("stderr")).unwrap()))
        .spawn()
        .unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("chromium did not finish within {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let read = |name: &str| std::fs::read(dir.join(name)).unwrap();
    Output { status, stdout: read("stdout"), stderr: read("stderr") }
}

/// An attribute of the body in the dumped page.
fn attribute(dom: &str, name: &str) -> String {
    let (_, body) = dom.split_once("<body").unwrap();
    let (_, after) = body.split_once(&format!("data-{name}=\"")).unwrap_or_else(|| panic!("no data-{name}"));
    after.split('"').next().unwrap().replace("&quot;", "\"")
}

fn check(page: &str, least_charts: u32, dark: bool, width: u32) {
    let chromium = given!(chromium());
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report.html");
    std::fs::write(&file, with_scripts(page, CATCH, PROBE)).unwrap();
    let size = format!("--window-size={width},1400");
    let output = browse(&chromium, dir.path(), &file, dark, &["--dump-dom".into(), size]);
    let (dom, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && dom.contains("data-probed"), "{log}");
    assert_eq!(attribute(&dom, "errors"), "[]");
    let spoken: Vec<&str> = log.lines().filter(|line| line.contains(":CONSOLE")).collect();
    assert!(spoken.is_empty(), "{spoken:#?}");
    assert_eq!(attribute(&dom, "dark"), dark.to_string());
    assert_eq!(attribute(&dom, "page") == "rgb(246, 247, 249)", !dark);
    let charts = attribute(&dom, "charts");
    assert!(charts.parse::<u32>().unwrap() >= least_charts, "{charts} charts");
    assert_eq!([attribute(&dom, "ready"), attribute(&dom, "painted")], [charts.clone(), charts]);
    assert_eq!(
        [attribute(&dom, "wide"), attribute(&dom, "overflow")],
        ["0", "false"],
        "something sticks out"
    );
    assert!(attribute(&dom, "rows").parse::<u32>().unwrap() > 2, "the values of a chart open as a table");
}

/// The page of a database's needs.
fn redo_page() -> String {
    let run = redo_day::run();
    let assessment = fullwire_rules::assess(&run);
    html::page(&Report::new(&run, &assessment)).to_string()
}

/// The page of a recording of this host, a few seconds long.
fn recording_page() -> String {
    let desk = crate::tool::Desk::new();
    assert!(desk.run(&["record", "--for", "4s", "--interval", "200ms", "-o", "a.fwr"]).status.success());
    assert!(desk.run(&["report", "a.fwr", "-o", "a.html"]).status.success());
    std::fs::read_to_string(desk.work.path().join("a.html")).unwrap()
}

/// Presses the buttons of the zoom and drags over a chart, and keeps what is shown after each as attributes.
const ZOOM: &str = "<script nonce=test>addEventListener('load', () => setTimeout(() => { \
    const set = document.body.dataset; \
    const press = (step) => document.querySelector(`[data-step=${step}]`).click(); \
    const shown = () => set.to - set.from; \
    set.whole = shown(); press('in'); set.half = shown(); press('on'); set.later = set.from; \
    press('out'); set.wider = shown(); press('whole'); set.again = shown(); \
    const over = document.querySelectorAll('[data-chart] .u-over')[2]; \
    const box = over.getBoundingClientRect(); \
    const at = (kind, part) => over.dispatchEvent(new MouseEvent(kind, { bubbles: true, button: 0, movementX: 9, \
      clientX: box.left + box.width * part, clientY: box.top + 20 })); \
    at('mousemove', 0.2); at('mousedown', 0.2); at('mousemove', 0.6); \
    document.dispatchEvent(new MouseEvent('mousemove', { bubbles: true, movementX: 9, clientX: box.left + box.width * 0.6, clientY: box.top + 20 })); \
    document.dispatchEvent(new MouseEvent('mouseup', { bubbles: true, button: 0, clientX: box.left + box.width * 0.6, clientY: box.top + 20 })); \
    setTimeout(() => { set.dragged = shown(); set.said = document.getElementById('at').textContent; set.zoomed = 'yes'; }, 100); \
    }, 100));</script>";

#[test]
fn a_recording_is_drawn_in_light_and_dark_and_narrow() {
    let page = recording_page();
    check(&page, 6, false, 1280);
    check(&page, 6, true, 1280);
    check(&page, 6, false, 560);
}

#[test]
fn all_charts_of_a_recording_zoom_together() {
    let chromium = given!(chromium());
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("recording.html");
    let page = recording_page();
    std::fs::write(&file, with_scripts(&page, CATCH, ZOOM)).unwrap();
    let output = browse(&chromium, dir.path(), &file, false, &["--dump-dom".into()]);
    let dom = String::from_utf8_lossy(&output.stdout);
    assert_eq!(attribute(&dom, "zoomed"), "yes");
    let [whole, half, wider, again, dragged] = ["whole", "half", "wider", "again", "dragged"]
        .map(|name| attribute(&dom, name).parse::<f64>().unwrap());
    assert!(
        whole >= 3.0 && half < whole && wider > half && dragged < whole,
        "{whole} {half} {wider} {dragged}"
    );
    assert!((again - whole).abs() < 0.01, "{again} of {whole}");
    assert!(attribute(&dom, "said").contains(" to "), "what is shown is said");
}

/// A picture is more than one colour, and as large as the window.
#[test]
fn screenshots_show_a_page() {
    let chromium = given!(chromium());
    let dir = tempfile::tempdir().unwrap();
    let wanted = [
        ("report-light.png", page("receive-window"), false),
        ("report-dark.png", page("receive-window"), true),
        ("storage-light.png", page("io-limit"), false),
        ("redo-light.png", redo_page(), false),
        ("recording-light.png", recording_page(), false),
        ("recording-dark.png", recording_page(), true),
    ];
    for (name, page, dark) in wanted {
        let (picture, file) = (dir.path().join(name), dir.path().join(name).with_extension("html"));
        std::fs::write(&file, page).unwrap();
        let arguments = [format!("--screenshot={}", picture.display()), "--window-size=1180,4200".into()];
        browse(&chromium, dir.path(), &file, dark, &arguments);
        let bytes = std::fs::read(&picture).unwrap();
        assert!(bytes.starts_with(b"\x89PNG"), "{name} is no picture");
        assert_eq!(bytes[16..24], [0, 0, 0x04, 0x9c, 0, 0, 0x10, 0x68], "1180 × 4200");
        assert!(bytes.len() > 100_000, "{name} has {} bytes: an empty page", bytes.len());
        // To be looked at, and for the README.
        if let Some(kept) = std::env::var_os("FULLWIRE_KEEP_SCREENSHOTS") {
            std::fs::copy(&picture, Path::new(&kept).join(name)).unwrap();
            std::fs::copy(&file, Path::new(&kept).join(name).with_extension("html")).unwrap();
        }
    }
}

/// What is closed on a screen is open on paper, and closed again afterwards; curves of a dark screen are
/// drawn again for paper.
#[test]
fn the_page_prints_what_is_folded_on_a_screen() {
    let chromium = given!(chromium());
    let dir = tempfile::tempdir().unwrap();
    let (file, paper) = (dir.path().join("report.html"), dir.path().join("report.pdf"));
    let page = page("io-limit");
    std::fs::write(&file, with_scripts(&page, "", PRINT)).unwrap();
    let output = browse(&chromium, dir.path(), &file, true, &["--dump-dom".into()]);
    let dom = String::from_utf8_lossy(&output.stdout);
    let [folded, before, printed, after] =
        ["folded", "before", "printed", "after"].map(|name| attribute(&dom, name).parse::<u32>().unwrap());
    assert!(folded > before, "nothing is folded: {folded}");
    assert_eq!((printed, after), (folded, before));
    assert_eq!(
        [attribute(&dom, "screen"), attribute(&dom, "paper")],
        ["#28303c", "#e2e6ec"],
        "light on paper"
    );
    browse(&chromium, dir.path(), &file, true, &[format!("--print-to-pdf={}", paper.display())]);
    let bytes = std::fs::read(&paper).unwrap();
    assert!(bytes.starts_with(b"%PDF") && bytes.len() > 20_000, "{} bytes", bytes.len());
    if let Some(kept) = std::env::var_os("FULLWIRE_KEEP_SCREENSHOTS") {
        std::fs::copy(&paper, Path::new(&kept).join("report.pdf")).unwrap();
    }
}

#[test]
fn every_chart_is_drawn_in_light() {
    check(&page("receive-window"), 8, false, 1280);
}

#[test]
fn every_chart_is_drawn_in_dark() {
    check(&page("receive-window"), 8, true, 1280);
}

#[test]
fn a_narrow_window_cuts_nothing_off() {
    check(&page("receive-window"), 8, false, 560);
}

#[test]
fn redo_reports_and_imports_are_drawn_over_their_days() {
    check(&redo_page(), 6, false, 1280);
}

/// What the browser made of a page that a server gives, after a look at its console; `None`: no browser here.
#[cfg(feature = "estate")]
pub(crate) fn dom_of(url: &str) -> Option<String> {
    let chromium = chromium()?;
    let dir = tempfile::tempdir().unwrap();
    let output = browse_url(
        &chromium,
        dir.path(),
        url,
        false,
        &["--dump-dom".into(), "--window-size=1280,1400".into()],
    );
    let (dom, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{log}");
    let spoken: Vec<&str> = log.lines().filter(|line| line.contains(":CONSOLE")).collect();
    assert!(spoken.is_empty(), "{spoken:#?}");
    Some(dom.into_owned())
}

/// What a name that was not escaped could bring along. Each marks the page if it runs.
const INJECTED: &str = "<script>document.body.dataset.script = 1</script>\
    <img src=x onerror='document.body.dataset.handler = 1'>\
    <svg onload='document.body.dataset.handler = 1'></svg>\
    <style>body { background: rgb(1, 2, 3) !important }</style>\
    <p id=styled style='color: rgb(1, 2, 3)'>x</p>\
    <img id=sent src='http://127.0.0.1:9/?stolen'>";

/// Put last: what of it took effect.
const WITNESS: &str = "<script nonce=test>addEventListener('load', () => setTimeout(() => { \
    const set = document.body.dataset, colour = (e, name) => getComputedStyle(e)[name]; \
    set.ran = [set.script, set.handler].filter(Boolean).length; \
    set.styled = [colour(document.body, 'backgroundColor'), colour(styled, 'color')].filter((c) => c === 'rgb(1, 2, 3)').length; \
    set.drawn = document.querySelectorAll('[data-drawn=yes]').length; }, 200));</script>";

/// The page's policy is the second wall behind the escaping: what slipped in neither runs, nor styles, nor sends.
#[test]
fn markup_that_slipped_into_a_page_does_nothing() {
    let chromium = given!(chromium());
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("injected.html");
    let witness = |page: &str| {
        std::fs::write(&file, page).unwrap();
        let output = browse(&chromium, dir.path(), &file, false, &["--dump-dom".into()]);
        let dom = String::from_utf8_lossy(&output.stdout).into_owned();
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        let counts = ["ran", "styled", "drawn"].map(|name| attribute(&dom, name).parse::<u32>().unwrap());
        (counts, log)
    };
    let page = with_scripts(&page("receive-window"), INJECTED, WITNESS);
    let ([ran, styled, drawn], log) = witness(&page);
    assert_eq!([ran, styled], [0, 0], "{log}");
    assert!(drawn > 0, "the page's own scripts run");
    assert!(log.contains("Content Security Policy") && log.contains("127.0.0.1:9"), "{log}");
    // The same without the policy: the injection itself works.
    let (before, after) = page.split_once("<meta http-equiv").unwrap();
    let open = format!("{before}{}", after.split_once('>').unwrap().1);
    let ([ran, styled, _], log) = witness(&open);
    assert_eq!([ran, styled], [2, 2], "{log}");
}
