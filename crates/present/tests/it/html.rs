//! The page as text: what is in it, and what cannot get into it.

use crate::demo;
use fullwire_model::Run;
use fullwire_model::assessment::Assessment;
use fullwire_model::specimen::specimen;
use fullwire_present::{Report, html};

fn page() -> String {
    html::page(&Report::new(&demo::run(), &specimen(8)))
}

#[test]
fn a_page_weighs_less_than_a_megabyte_and_asks_for_nothing() {
    let page = page();
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    for reference in ["src=\"", "href=\"http", "url(", "@import", "import(", "fetch(", "XMLHttpRequest"] {
        let (_, after) = page.split_once("<body>").unwrap();
        assert!(!after.contains(reference), "{reference}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn names_from_outside_cannot_become_markup_or_script() {
    let evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&";
    let (mut run, mut assessment): (Run, Assessment) = (demo::run(), specimen(8));
    run.host.hostname = evil.into();
    run.tag = Some(evil.into());
    run.net[0].target = evil.into();
    run.peers[0].target = evil.into();
    assessment.paths[0].subject = evil.into();
    assessment.findings[0].message = evil.into();
    assessment.findings[0].advice.steps[0].run = Some(evil.into());
    assessment.findings[0].advice.steps[0].text = evil.into();
    let page = html::page(&Report::new(&run, &assessment));
    assert!(!page.contains("<script>alert") && !page.contains("<img"), "unescaped");
    assert_eq!(page.matches("<script").count(), 3, "uPlot, the data and the drawing");
    assert_eq!(page.matches("</script>").count(), 3);
}

#[test]
fn a_run_with_every_field_filled_and_an_empty_one_make_a_page() {
    let (run, assessment): (Run, Assessment) = (specimen(7), specimen(8));
    assert!(html::page(&Report::new(&run, &assessment)).ends_with("</html>"));
    let empty = html::page(&Report::new(&Run::default(), &Assessment::default()));
    assert!(empty.contains("No findings; 0 checks passed, 0 could not be decided."));
}
