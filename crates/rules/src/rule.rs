//! A rule: its code, its title, its check, and the text that explains it.

use crate::judged::Facts;
use crate::outcome::Outcome;
use crate::threshold::Threshold;
use fullwire_model::assessment::{Finding, Layer, Mechanism, Severity};
use fullwire_model::subject::{Kind, Subject};

/// One rule: what it is called, what it may say, and how it looks. [`rule!`] declares it.
pub struct Rule {
    /// Stable, unique, kebab-case: public API.
    pub code: &'static str,
    /// One line: what is wrong when it fires.
    pub title: &'static str,
    /// Whose floor.
    pub layer: Layer,
    /// The worst that it says.
    pub severity: Severity,
    /// The kinds of things that it judges: no finding is about another.
    pub on: &'static [Kind],
    /// How what it finds can limit a figure; empty: it explains none.
    pub limits: &'static [Mechanism],
    /// Looks at the facts of a run: one outcome for each thing it looked at, none when it does not apply here.
    pub check: fn(&Facts) -> Vec<Outcome>,
    /// The lines of its doc comment, each with the blank that follows `///`; its headings follow one another without blank lines.
    pub text: &'static [&'static str],
    /// The numbers that it compares with.
    pub thresholds: &'static [Threshold],
}

impl Rule {
    /// A finding of this rule with its full severity, to be filled by [`Finding`]'s fields or the helpers of
    /// [`crate::advice`].
    pub fn finding(&self, subject: impl Into<Subject>, message: impl Into<String>) -> Finding {
        Finding::new(self.code, self.severity, self.layer, subject.into(), message)
    }

    /// What `fullwire explain` prints, as Markdown: the declaration's doc comment and its thresholds.
    pub fn explanation(&self) -> String {
        let lines = self.text.iter().map(|line| line.strip_prefix(' ').unwrap_or(line));
        let mut text = lines.collect::<Vec<_>>().join("\n").replace("\n# ", "\n\n# ");
        if !self.thresholds.is_empty() {
            let listed: Vec<String> = self.thresholds.iter().map(ToString::to_string).collect();
            text = format!("{text}\n\n# Thresholds\n{}", listed.join("\n"));
        }
        text
    }

    /// The paragraph below `# Source`.
    pub fn source(&self) -> String {
        let text = self.explanation();
        let after = text.split_once("# Source").map_or("", |(_, rest)| rest);
        after.split("\n# ").next().unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// A finding of the file's rule with its full severity: what it is about, and its message as of `format!`.
macro_rules! finding {
    ($subject:expr, $($said:tt)+) => {
        RULE.finding($subject, format!($($said)+))
    };
}

/// Declares the rules of a subject: the module and its `RULE`, one line each.
macro_rules! rules {
    ($($name:ident,)*) => {
        $(mod $name;)*

        /// Every rule of this subject.
        pub(crate) const RULES: &[crate::Rule] = &[$($name::RULE),*];
    };
}

/// Declares a file's `RULE`: the doc comment that explains it, code, title, layer, highest severity, what it judges, what
/// it can limit, where it applies (`when: |run| …`; without, everywhere), and the numbers that it compares with, each with
/// what it is and where it comes from. The check is the function `check` unless another is named, or what compares a kernel
/// setting (`setting: { … }`) or watches a server's counter (`counter: { … }`). The file has the prelude.
macro_rules! rule {
    (
        $(#[doc = $text:literal])+
        code: $code:literal,
        title: $title:literal,
        layer: $layer:ident, severity: $severity:ident, on: [$($kind:ident),+], $($rest:tt)*
    ) => {
        #[allow(unused_imports)]
        use crate::prelude::*;

        rule! { @limits { [$($text),+], $code, $title, $layer, $severity, [$($kind),+] } $($rest)* }
    };
    (@limits $head:tt limits: $limits:tt, $($rest:tt)*) => { rule! { @when $head $limits $($rest)* } };
    (@limits $head:tt $($rest:tt)*) => { rule! { @when $head [] $($rest)* } };
    (@when $head:tt $limits:tt when: $when:expr, $($rest:tt)*) => {
        const APPLIES: fn(&crate::Facts) -> bool = $when;
        rule! { @check $head $limits [APPLIES] $($rest)* }
    };
    (@when $head:tt $limits:tt $($rest:tt)*) => { rule! { @check $head $limits [] $($rest)* } };
    (@check $head:tt $limits:tt $when:tt check: $check:expr, $($rest:tt)*) => {
        rule! { @rule $head $limits $when $check, $($rest)* }
    };
    (@check $head:tt $limits:tt $when:tt setting: { $($field:tt)* }, $($rest:tt)*) => {
        const SETTING: Setting = Setting { $($field)* ..setting::USUAL };
        rule! { @rule $head $limits $when |run| setting::check(run, &RULE, &SETTING), $($rest)* }
    };
    (@check $head:tt $limits:tt $when:tt counter: $fields:tt, $($rest:tt)*) => {
        const COUNTER: Counter = Counter $fields;
        rule! { @rule $head $limits $when |run| live::grows(run, &RULE, &COUNTER), $($rest)* }
    };
    (@check $head:tt $limits:tt $when:tt $($rest:tt)*) => { rule! { @rule $head $limits $when check, $($rest)* } };
    (@rule $head:tt $limits:tt [$applies:ident] $check:expr, $($numbers:tt)*) => {
        rule! { @rule $head $limits [] |run| {
            let check: fn(&crate::Facts) -> Vec<crate::Outcome> = $check;
            if $applies(run) { check(run) } else { Vec::new() }
        }, $($numbers)* }
    };
    (
        @rule { [$($text:literal),+], $code:literal, $title:literal, $layer:ident, $severity:ident, [$($kind:ident),+] }
        [$($mechanism:ident),*] [] $check:expr, $($numbers:tt)*
    ) => {
        $(#[doc = $text])+
        pub(crate) const RULE: crate::Rule = crate::Rule {
            code: $code,
            title: $title,
            layer: fullwire_model::assessment::Layer::$layer,
            severity: fullwire_model::assessment::Severity::$severity,
            on: &[$(fullwire_model::subject::Kind::$kind),+],
            limits: &[$(fullwire_model::assessment::Mechanism::$mechanism),*],
            check: $check,
            text: &[$($text),+],
            thresholds: THRESHOLDS,
        };

        thresholds! { $($numbers)* }
    };
}
