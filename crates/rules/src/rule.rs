//! A rule: its code, its title, its check, and the text that explains it.

use crate::judged::Facts;
use crate::outcome::Outcome;
use fullwire_model::assessment::{Advice, Finding, Layer, Severity};
use fullwire_model::packed::unpacked;
use fullwire_model::subject::Subject;
use std::sync::LazyLock;

/// One rule: what it is called, what it may say, and how it looks.
pub struct Rule {
    /// Stable, unique, kebab-case: public API.
    pub code: &'static str,
    /// One line: what is wrong when it fires.
    pub title: &'static str,
    /// Whose floor.
    pub layer: Layer,
    /// The worst that it says.
    pub severity: Severity,
    /// Looks at the facts of a run: one outcome for each thing it looked at, none when it does not apply here.
    pub check: fn(&Facts) -> Vec<Outcome>,
}

impl Rule {
    /// A finding of this rule with its full severity, to be filled by [`Finding`]'s fields or the helpers of
    /// [`crate::advice`].
    pub fn finding(&self, subject: impl Into<Subject>, message: impl Into<String>) -> Finding {
        let subject = subject.into();
        Finding {
            code: self.code.to_owned(),
            severity: self.severity,
            layer: self.layer,
            subject: subject.to_string(),
            subject_ref: subject,
            also: Vec::new(),
            message: message.into(),
            measured: None,
            limit: None,
            unit: None,
            evidence: Vec::new(),
            advice: Advice::default(),
            path: None,
            db_time_share: None,
            explains: Vec::new(),
        }
    }

    /// The doc comment of the rule's file, as Markdown; `build.rs` takes it out of the source.
    pub fn explanation(&self) -> &'static str {
        let found = EXPLANATIONS.binary_search_by_key(&self.code, |(code, ..)| code);
        let place = found.map_or(0..0, |place| EXPLANATIONS[place].1..EXPLANATIONS[place].2);
        TEXT.get(place).unwrap_or_default()
    }

    /// Its findings can explain why a measurement is low; `build.rs` sees it by what the source calls.
    pub fn limits(&self) -> bool {
        LIMITING.binary_search(&self.code).is_ok()
    }

    /// The paragraph below `# Source`.
    pub fn source(&self) -> String {
        let text = self.explanation();
        let after = text.split_once("# Source").map_or("", |(_, rest)| rest);
        after.split("\n# ").next().unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

include!(concat!(env!("OUT_DIR"), "/explanations.rs"));

/// The explanations one after the other, packed: 0.3 MB of text that few runs need.
static TEXT: LazyLock<String> =
    LazyLock::new(|| unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/explanations.xz"))));

/// Declares the rules of a subject: the module and its `RULE`, one line each.
macro_rules! rules {
    ($($name:ident,)*) => {
        $(mod $name;)*

        /// Every rule of this subject.
        pub(crate) const RULES: &[crate::Rule] = &[$($name::RULE),*];
    };
}
