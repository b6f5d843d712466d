//! Every rule there is.

use crate::rule::Rule;
use crate::{database, host, network, storage, unexplained};

/// Every rule there is.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let layers = network::RULES.iter().chain(&storage::RULES).chain(&host::RULES).chain(&database::RULES);
    layers.copied().flatten()
}

/// The rule of a code; also of the one finding that no rule makes.
pub fn rule(code: &str) -> Option<&'static Rule> {
    rules().chain(std::iter::once(&unexplained::RULE)).find(|rule| rule.code == code)
}
