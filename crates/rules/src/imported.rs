//! Results that other tools measured: rules name the probe and the kernel that a measurement here is read from, which
//! no file of another tool is.

use fullwire_model::assessment::{Assessment, Finding};
use fullwire_model::{PathName, Run};
use std::collections::BTreeMap;

/// Names the tool and its file as the source of what is concluded from imported results.
pub(crate) fn name_files(run: &Run, assessment: &mut Assessment) {
    let net = run.net.iter().map(|result| (result.target.as_str(), result.imported_from.as_str()));
    let disk = run.disk.iter().map(|result| (result.target.as_str(), result.imported_from.as_str()));
    let mut origins: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (target, origin) in net.chain(disk).filter(|(_, origin)| !origin.is_empty()) {
        let all = origins.entry(target).or_default();
        if !all.contains(&origin) {
            all.push(origin);
        }
    }
    let origins: BTreeMap<&str, String> =
        origins.into_iter().map(|(target, all)| (target, all.join("; "))).collect();
    for finding in &mut assessment.findings {
        let Some(origin) = paths(finding).find_map(|path| origins.get(path)) else { continue };
        for evidence in &mut finding.evidence {
            origin.clone_into(&mut evidence.source);
        }
    }
    for ceiling in &mut assessment.ceilings {
        let Some(origin) = origins.get(ceiling.path.as_str()) else { continue };
        for input in ceiling.derivation.inputs.iter_mut().filter(|input| is_of_probe(&input.source)) {
            origin.clone_into(&mut input.source);
        }
    }
}

fn paths(finding: &Finding) -> impl Iterator<Item = &str> {
    let explained = finding.explains.iter().map(|explanation| explanation.path.as_str());
    explained.chain(finding.path.as_ref().map(PathName::as_str)).chain([finding.subject.as_str()])
}

/// Words of rules for what a probe of ours reads; options and settings that the user stated keep theirs.
fn is_of_probe(source: &str) -> bool {
    source == "probe" || source.starts_with("TCP_INFO") || source.starts_with("SO_")
}

#[cfg(test)]
mod tests {
    use crate::assess;
    use fullwire_model::{Run, fixture};

    #[test]
    fn what_a_file_tells_names_the_file() {
        let fixtures = [
            include_str!("../fixtures/packet-loss.json"),
            include_str!("../fixtures/receive-window.json"),
            include_str!("../fixtures/result-unsteady.json"),
        ];
        for text in fixtures {
            let mut run = fixture::run(text, "fires/plain");
            let measured = |run: &Run| {
                let evidence = assess(run).findings.into_iter().flat_map(|finding| finding.evidence);
                evidence.map(|evidence| evidence.source).collect::<Vec<_>>()
            };
            let by_probe = measured(&run);
            run.net.iter_mut().for_each(|result| result.imported_from = "iperf3, night.json".into());
            run.disk.iter_mut().for_each(|result| result.imported_from = "fio, night.json".into());
            let by_file = measured(&run);
            let told = |sources: &[String], word: &str| sources.iter().any(|source| source.contains(word));
            assert!(told(&by_probe, "TCP_INFO") || told(&by_probe, "probe"), "{by_probe:?}");
            assert!(told(&by_file, "night.json"), "{by_file:?}");
            assert!(!told(&by_file, "TCP_INFO") && !told(&by_file, "probe"), "{by_file:?}");
        }
    }
}
