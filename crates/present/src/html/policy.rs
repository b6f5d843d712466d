//! What a page may do: run the scripts and use the styles that it was made with, and nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// The content security policy of a page with these styles and scripts. A browser runs only what has one of the hashes,
/// so that markup which slipped in through a name could neither run nor send anything (CSP Level 3, 6.7.3). Attributes
/// with styles or event handlers have no hash: pages have none.
pub(super) fn policy(styles: &[&str], scripts: &[&str]) -> String {
    format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        sources(styles),
        sources(scripts)
    )
}

fn sources(texts: &[&str]) -> String {
    if texts.is_empty() {
        return "'none'".into();
    }
    let hashes: Vec<String> =
        texts.iter().map(|text| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))).collect();
    hashes.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_names_the_hash_of_each_script_and_style() {
        // echo -n 'doSomething();' | openssl sha256 -binary | openssl base64
        let policy = policy(&[], &["doSomething();"]);
        assert!(
            policy.contains("script-src 'sha256-RFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc='"),
            "{policy}"
        );
        assert!(policy.contains("style-src 'none'") && !policy.contains("unsafe"), "{policy}");
    }
}
