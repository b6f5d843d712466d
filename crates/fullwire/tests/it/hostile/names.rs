//! An adapter with a name that is a command, a template, an element and a sequence for a terminal, from the kernel to every output: a
//! live host, its kept runs, its recording, its capture, and what is made of them. What can be run is run.

use crate::skips::{installed, is_root, skipped};
use crate::tool::{Desk, PROGRAM, stderr, stdout};
use std::process::Stdio;

/// All that an adapter's name may have (`dev_valid_name`, net/core/dev.c): no slash, no colon, no space, 15 bytes.
const NAME: &str = "z\\033[2J;id>M<b>{{";
/// By this a name is found, once markup is read as text.
const FOUND: &str = "id>M";

/// A pair of adapters in two namespaces, a responder at the far one, and every command that shows something of the near one.
const HOST: &str = r#"
near=$(printf "$NAME")
ip link set lo up
ip link add "$near" type veth peer name far
ip link set far netns $FAR
ip addr add 10.77.0.1/24 dev "$near"
ip link set "$near" up
far() { nsenter -t $FAR -n "$@"; }
far ip link set lo up
far ip addr add 10.77.0.2/24 dev far
far ip link set far up mtu 1400
tc qdisc add dev "$near" root tbf rate 100mbit burst 32k latency 10ms
nsenter -t $FAR -n fullwire serve --open --listen 10.77.0.2:5599 > responder 2>&1 &
trap "kill $!" EXIT
for try in 1 2 3 4 5 6 7 8 9 10; do grep -q listening responder && break; sleep 0.2; done
mkdir out
fullwire check --window 0s --fail-on never > out/check
fullwire check --window 0s --fail-on never --json --html out/page.html > out/check.json
fullwire net 10.77.0.2:5599 --duration 1s --fail-on never -v > out/net
fullwire show last > out/show
fullwire report last -o out/report.html
for kind in openmetrics nagios checkmk zabbix junit sarif otlp-json csv; do fullwire export --$kind > out/$kind || true; done
fullwire script last > out/script
fullwire script last --format ansible > out/playbook
fullwire apply last > out/apply 2>&1 || true
fullwire capture -o capture.tar.zst
fullwire check --root capture.tar.zst --fail-on never --no-store > out/capture
first=$(fullwire history --json | grep -o '"run_id": *"[0-9a-z]*"' | head -n 1 | grep -o '[0-9a-z]*"$' | tr -d '"')
(sleep 1.2; ip link set "$near" down; sleep 1; ip link set "$near" up mtu 1300) &
fullwire record --for 4s --interval 500ms -o recording.fwr
fullwire watch --count 2 --interval 300ms > out/watch
fullwire watch --count 2 --interval 300ms --json > out/watch.json
fullwire replay recording.fwr --judge > out/judge
fullwire report recording.fwr -o out/recording.html
fullwire net 10.77.0.2:5599 --duration 1s --fail-on never > out/net-again
fullwire diff $first last > out/diff
fullwire diff $first last --html out/diff.html > /dev/null
fullwire serve --open --listen 127.0.0.1:5598 --metrics-listen 127.0.0.1:5597 > scraped 2>&1 &
trap "kill $(jobs -p | tr '\n' ' ')" EXIT
for try in 1 2 3 4 5 6 7 8 9 10; do grep -q metrics scraped && break; sleep 0.2; done
for accept in text/plain application/openmetrics-text; do
    exec 3<>/dev/tcp/127.0.0.1/5597
    printf 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:5597\r\nAccept: %s\r\n\r\n' $accept >&3
    cat <&3 > out/scrape-${accept%%/*}
done
sh out/script > ran 2>&1 || true
if command -v ansible-playbook > /dev/null; then
    ansible-playbook -i here, -c local -e ansible_python_interpreter=/usr/bin/python3 out/playbook > played 2>&1 || true
fi
"#;

#[test]
fn an_adapter_s_name_does_nothing_from_the_kernel_to_every_output() {
    if !is_root() || !installed("unshare") || !installed("tc") {
        return skipped("needs root, unshare and tc");
    }
    let desk = Desk::new();
    std::os::unix::fs::symlink(PROGRAM, desk.work.path().join("fullwire")).unwrap();
    let path = format!("{}:/usr/sbin:/usr/bin:/sbin:/bin", desk.work.path().display());
    let mut far = desk.program("unshare").args(["-n", "sleep", "300"]).stdin(Stdio::null()).spawn().unwrap();
    // Its namespace is there once it is another than ours.
    let place = |of: &str| std::fs::read_link(format!("/proc/{of}/ns/net")).unwrap();
    while place(&far.id().to_string()) == place("self") {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let output = desk
        .program("timeout")
        .args(["120", "unshare", "-n", "bash", "-eu", "-c", HOST])
        .env("PATH", path)
        .env("NAME", NAME)
        .env("FAR", far.id().to_string())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    far.kill().unwrap();
    far.wait().unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let mut counts = Vec::new();
    for entry in std::fs::read_dir(desk.work.path().join("out")).unwrap().flatten() {
        let kind = entry.file_name().into_string().unwrap();
        let text = std::fs::read_to_string(entry.path()).unwrap();
        assert!(!text.contains('\u{1b}'), "{kind} controls the terminal");
        let is_markup = kind.contains(".html") || kind == "junit";
        assert!(!is_markup || !text.contains("M<b>"), "{kind} has an element of the name");
        let arrived = text.replace("&gt;", ">").replace("\\u003e", ">").matches(FOUND).count();
        counts.push((kind, arrived));
    }
    counts.sort();
    println!("{counts:?}");
    let missing: Vec<_> = counts.iter().filter(|(_, count)| *count == 0).collect();
    assert!(missing.is_empty(), "the name was never in {missing:?}");
    assert!(counts.len() >= 20, "{counts:?}");
    let left: Vec<_> =
        std::fs::read_dir(desk.work.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with('M')), "the name was run: {left:?}");
    for ran in ["ran", "played"] {
        let text = std::fs::read_to_string(desk.work.path().join(ran)).unwrap_or_else(|_| FOUND.to_owned());
        assert!(text.contains("id") && !text.contains('\u{1b}'), "{ran}: {text}");
    }
}
