//! `fullwire redo` over files: one headroom everywhere, and the error of the reader that knew the file.

use crate::tool::{Desk, stderr, stdout};
use std::path::Path;

fn specimen() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demand/tests/specimens/awr-10g.txt");
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_headroom_of_the_user_counts_for_reports_too() {
    let desk = Desk::new();
    let file = specimen();
    let redo = desk.json(&["redo", &file, "--headroom", "10", "--json"]);
    let number = |name: &str| redo[name].as_f64().unwrap_or_else(|| panic!("no {name}: {redo}"));
    let peak = number("peak_bytes_per_s");
    assert!((number("required_bytes_per_s") / peak - 1.1).abs() < 1e-9, "{redo}");
    assert!((number("required_maa_bytes_per_s") * 0.7 / peak - 1.0).abs() < 1e-9, "{redo}");
    assert_eq!(redo["peak_is_lower_bound"], true);
    // One table shows what is required of the path.
    let text = stdout(&desk.run(&["redo", &file, "--headroom", "10"]));
    let required: Vec<&str> = text.lines().filter(|line| line.contains("required of the path")).collect();
    assert_eq!(required.len(), 1, "{text}");
    assert!(required[0].contains("1.54 MB/s"), "{text}");
    assert!(text.contains("redo, highest mean") && !text.contains("redo at its peak"), "{text}");
}

#[test]
fn the_reader_that_knew_the_file_says_what_is_wrong() {
    let desk = Desk::new();
    for (text, expected) in [
        ("ASH Report For PROD/prod1\n", "an ASH report"),
        ("SEQUENCE#,NAME\n1,x\n", "neither size nor rate"),
        ("Hello world\n", "neither a report nor a listing"),
    ] {
        let file = desk.work.path().join("file.txt");
        std::fs::write(&file, text).unwrap();
        let output = desk.run(&["redo", file.to_str().unwrap()]);
        assert!(
            !output.status.success() && stderr(&output).contains(expected),
            "{text}: {}",
            stderr(&output)
        );
    }
}
