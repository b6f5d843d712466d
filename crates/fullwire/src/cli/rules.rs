use super::value;
use crate::complete;
use clap::Args;
use clap_complete::engine::ArgValueCandidates;
use fullwire_model::assessment::Layer;

/// `fullwire explain`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire explain bond-slave-down
  fullwire explain one-cpu receive-window          a kind of ceiling and a finding
  fullwire explain not-driven                      a verdict")]
pub(crate) struct ExplainArgs {
    /// Codes of findings, kinds of ceilings, verdicts and other words of the output
    #[arg(required = true, value_name = "CODE", add = ArgValueCandidates::new(complete::explained))]
    pub(crate) codes: Vec<String>,
}

/// `fullwire rules`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  fullwire rules --only storage
  fullwire rules mtu                               rules with this word in code or title")]
pub(crate) struct RulesArgs {
    /// Only rules with all these words in their code or title
    #[arg(value_name = "WORD")]
    pub(crate) words: Vec<String>,
    /// Only this layer: network, storage, host, database (may be repeated)
    #[arg(long, value_name = "AREA", value_parser = value::layer, add = ArgValueCandidates::new(complete::layers))]
    pub(crate) only: Vec<Layer>,
    /// Print as a Markdown page
    #[arg(long, conflicts_with_all = ["only", "words"])]
    pub(crate) markdown: bool,
}
