//! The page of the estate, as a browser and Prometheus read it from the coordinator.

use super::place::Place;
use crate::browser;
use crate::ports::free_port;
use crate::servers::wait_for;
use crate::skips::given;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Head and body of the answer.
fn get(address: &str, path: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

#[test]
fn a_browser_finds_hosts_bad_paths_rounds_and_runs() {
    let mut place = given!(Place::new(2));
    place.all_agents();
    let round = crate::tool::json(&place.once(&["--duration", "1s", "--max-rate", "20MB"]));
    let round = round["mesh_id"].as_str().unwrap().to_owned();
    wait_for("every receipt is there", Duration::from_secs(60), || place.all_settled());
    // A path that did well five times and is bad since three hours.
    place.postgres.ask(
        "insert into fullwire.path (src, dst, network, kind, at, state, value, round_id)
         select 'db1', 'db2', 'data', 'stream', date_trunc('minute', now()) - n * interval '1 hour', 'measured',
             case when n > 3 then 1.1e9 else 1e8 end, 'r' from generate_series(1, 8) n;
         delete from fullwire.path where src = 'db1' and dst = 'db2' and kind = 'stream' and round_id <> 'r'",
    );
    let address = format!("127.0.0.1:{}", free_port());
    place.coordinate(&["--every", "99h", "--listen", &address]);
    wait_for("the page is there", Duration::from_secs(60), || TcpStream::connect(&address).is_ok());

    let status = place.status();
    let bad = &status["bad"][0];
    assert_eq!((bad["from"].as_str(), bad["to"].as_str()), (Some("db1"), Some("db2")), "{:#}", status["bad"]);
    assert_eq!(bad["why"], "9 % of what it was");
    let since: jiff::Timestamp = bad["since"].as_str().unwrap().parse().unwrap();
    let hours = jiff::Timestamp::now().duration_since(since).as_secs_f64() / 3600.0;
    assert!((2.9..3.2).contains(&hours), "{hours} h");

    let (head, page) = get(&address, "/");
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("text/html"), "{head}");
    assert!(page.contains("1 path is bad.") && page.contains("9 % of what it was"), "{page}");
    for (path, wanted) in
        [(format!("/round/{round}"), "fullwire mesh"), ("/estate.json".into(), "fullwire.estate/1")]
    {
        let (head, body) = get(&address, &path);
        assert!(head.starts_with("HTTP/1.1 200") && body.contains(wanted), "{path}: {head}");
    }
    let run = place.kept_runs().pop().unwrap();
    assert!(get(&address, &format!("/run/{run}")).1.contains("<html"));
    for (path, status) in
        [("/round/none", "404"), ("/run/none", "404"), ("/x", "404"), ("/run/%27;drop", "404")]
    {
        assert!(get(&address, path).0.starts_with(&format!("HTTP/1.1 {status}")), "{path}");
    }
    metrics(&address);
    look(&address);
    // The database goes away and comes back: the page says so, and is there again.
    place.postgres.kill();
    assert!(get(&address, "/").0.starts_with("HTTP/1.1 503"));
    place.postgres.run();
    wait_for("the page is there again", Duration::from_secs(60), || get(&address, "/").0.contains("200"));
}

/// By host and for bad paths alone, in a form that Prometheus takes.
fn metrics(address: &str) {
    let up = "fullwire_estate_host_up{host=\"db1\"} 1";
    wait_for("its hosts are heard", Duration::from_secs(60), || get(address, "/metrics").1.contains(up));
    let (_, metrics) = get(address, "/metrics");
    assert!(metrics.contains("fullwire_estate_paths_bad 1"), "{metrics}");
    let single = metrics.lines().filter(|line| line.starts_with("fullwire_estate_path_bad_since")).count();
    assert_eq!(single, 1, "{metrics}");
    let series = metrics.lines().filter(|line| line.contains("host=\"db1\"")).count();
    assert!(series < 12, "{series} series for a host");
    if crate::skips::installed("promtool") {
        let mut tool = Command::new("promtool");
        tool.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = tool.spawn().unwrap();
        child.stdin.take().unwrap().write_all(metrics.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", crate::tool::stdout(&output));
    }
}

/// In a real browser: no word on its console, nothing sticks out, the links lead to the round and the run.
fn look(address: &str) {
    let dom = given!(browser::dom_of(&format!("http://{address}/")));
    assert!(dom.contains("id=\"bad\"") && dom.contains("db2"), "{dom}");
    let cell = dom.split("<td>").find(|cell| cell.contains("/round/")).expect("a link to a round");
    let path = cell.split('"').nth(1).unwrap();
    let round = browser::dom_of(&format!("http://{address}{path}")).unwrap();
    assert!(round.contains("class=\"heat\""), "the heat map of the round");
}
