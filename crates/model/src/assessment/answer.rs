//! What the user asked, answered in one sentence and one figure.

use crate::PathName;
use crate::quantity::Unit;
use fullwire_record::record;

/// One question with its answer: the same on a terminal, in a page, in JSON, in the history and in exports.
#[record]
pub struct Answer {
    /// What was asked.
    pub question: UserQuestion,
    /// The peer, the storage target or the host that it is about.
    pub subject: PathName,
    /// The answer in a word.
    pub answer: Reply,
    /// The figure that it rests on; `None`: there is none.
    pub figure: Option<f64>,
    /// What the figure is held against: what is required or promised, in the same unit.
    pub limit: Option<f64>,
    /// The unit of both.
    pub unit: Option<Unit>,
    /// What the figure is where neither question nor unit says it: `CPU`, of which it is the share, `required`; else empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub of: String,
    /// The code of what limits the figure; empty: nothing is known to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub limited_by: String,
    /// The measurement, the report or the option that it rests on.
    pub basis: String,
    /// The answer as a person reads it.
    pub text: String,
}

/// What a user wants to know.
#[record(Default, Hash)]
pub enum UserQuestion {
    /// Was it measured to its end?
    Complete,
    /// Is the path enough for what the database needs?
    Enough,
    /// Does the path carry what was promised (`--expect`, `--expect-disk`)?
    Kept,
    /// What does one commit cost, and how many does one log writer make?
    Commit,
    /// How many single-block reads a second, at which latency?
    Reads,
    /// What does a scan get?
    Scan,
    /// What does a copy carry?
    Copy,
    /// What does a connection carry?
    Stream,
    /// What does the path reach, where nothing else was asked of it?
    Rate,
    /// What does a synchronous message cost?
    Message,
    /// How long is a round trip?
    RoundTrip,
    /// How many datagrams arrive, or how many blocks are exchanged?
    Datagrams,
    /// How large a packet passes?
    PathMtu,
    /// Where does more (buffers, depth, block size) stop to bring anything?
    Growth,
    /// How many files are made, or what has bonnie++'s table?
    Files,
    /// What does SYNC transport add to a commit?
    CommitDelay,
    /// How long does it take to close a gap of redo?
    Gap,
    /// What must a path carry for the redo?
    Need,
    /// What did the database wait for?
    Waits,
    /// What trouble do a recording, a log or results of other tools show?
    Trouble,
    /// Is the host in order?
    Healthy,
    /// Is it better than before (`diff`, `prove`)?
    Better,
    /// What would have to be given to say more?
    #[default]
    More,
}

/// An answer in a word.
#[record(Default, Hash)]
pub enum Reply {
    /// The path carries what is needed.
    Enough,
    /// The path carries less.
    NotEnough,
    /// The promise is met.
    Kept,
    /// Less was measured than was promised.
    Missed,
    /// More was measured than was promised, by more than a tenth.
    Exceeded,
    /// Nothing critical and no warning.
    Healthy,
    /// Something critical, or a warning.
    Unhealthy,
    /// A figure is the answer.
    Measured,
    /// The measurement broke, or could not be made.
    Broken,
    /// Better than before.
    Better,
    /// Worse than before.
    Worse,
    /// No difference that matters.
    Same,
    /// The two did not measure the same thing.
    NotComparable,
    /// It cannot be said; the text names what would settle it.
    #[default]
    Unknown,
}
