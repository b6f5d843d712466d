//! Counts of what should not be: a line `811233 discards`, a row `Tail Drop Pkts | 4412313`, a column `CRC`.

use super::column::Field;
use super::figure::{pairs, words_of};
use super::{Judgement, clean};
use crate::page::each;
use std::collections::BTreeMap;

/// What is counted and should not happen, in lower case.
const COUNTED: &[&str] = &[
    "drop¦discard¦crc¦error¦credit loss¦blocked with no¦overrun¦symbol¦sync loss¦link fail¦retrans¦reject¦loss of¦invalid word",
];
/// Frames that ask the other end to wait are flow control, and work as they should (IEEE 802.3, annex 31B; 802.1Qbb).
const ASKED: &[&str] = &["pause¦pfc¦xoff¦xon¦ppp¦no drop¦nodrop¦non medium¦non-medium"];
/// What no retry brings back: one is enough to be told.
const LOST: &[&str] = &["uncorrect¦unrecover¦media err¦medium err¦hard err"];
/// What is carried: of how many each count is a part.
const CARRIED: &[&str] = &["frame¦packet¦pkts"];
/// Fewer are usual; as a share of the frames or packets beside them too (own choice).
const FEWEST: u64 = 1000;
const SMALLEST_SHARE: f64 = 1e-6;

/// What is counted, in lower case, and of which thing.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Count {
    number: u64,
    what: String,
    thing: String,
    /// No retry brings it back.
    is_lost: bool,
    /// It should not happen; otherwise it is what is carried.
    is_trouble: bool,
}

fn has(text: &str, list: &'static [&'static str]) -> bool {
    each(list).any(|word| text.contains(word))
}

/// A column of this name counts what should not be.
pub(super) fn is_counted(name: &str) -> bool {
    let what = words_of(name).join(" ");
    has(&what, COUNTED) || has(&what, LOST)
}

impl Count {
    /// `None`: it counts something else.
    fn of(count: u64, what: String, thing: &str) -> Option<Self> {
        let (is_lost, is_trouble) = (has(&what, LOST), has(&what, COUNTED));
        let is_own = is_lost || is_trouble || has(&what, CARRIED);
        is_own.then(|| Self { number: count, what, thing: clean(thing), is_lost, is_trouble })
    }
}

/// The counters of a row or a record.
pub(super) fn of_fields(thing: &str, fields: &[Field]) -> Vec<Count> {
    let own = fields.iter().filter(|field| field.is_figure()).filter_map(Field::count);
    own.filter_map(|(count, what)| Count::of(count, what, thing)).collect()
}

/// The counters that lines have.
pub(super) fn of_lines(text: &str) -> Vec<Count> {
    const WORDS: usize = 8;
    let clause = |clause: &str| {
        let words: Vec<&str> = clause.split_whitespace().collect();
        let named = |words: &[&str]| {
            let is_name = !words.is_empty() && words.len() <= WORDS;
            is_name.then(|| words.join(" ").trim_end_matches([':', '=', ' ']).to_lowercase())
        };
        let (first, last) = (words.first()?.parse(), words.last()?.parse());
        let (count, what) = match (first, last) {
            (Ok(count), _) => (count, named(&words[1..])?),
            (_, Ok(count)) => (count, named(&words[..words.len() - 1])?),
            _ => return None,
        };
        let is_own = !what.contains(|c: char| c.is_ascii_digit());
        Count::of(count, what, "").filter(|_| is_own)
    };
    let counting = text.lines().filter(|line| line.contains(|c: char| c.is_ascii_digit()));
    let lines = counting.flat_map(|line| {
        // Behind a name in a table of several columns its first figure.
        let cells: Vec<&str> = line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let of_table = (cells.len() > 1).then(|| format!("{} {}", cells[0], cells[1]));
        let whole = of_table.unwrap_or_else(|| line.replace('_', " "));
        pairs(&whole).iter().flat_map(|pair| pair.split(',')).filter_map(clause).collect::<Vec<_>>()
    });
    lines.collect()
}

/// Adds what is counted too often; where something else is bad, that tells more.
pub(super) fn judge(counts: &[Count], all: &mut Judgement) {
    let mut carried: BTreeMap<&str, u64> = BTreeMap::new();
    for one in counts.iter().filter(|one| !one.is_trouble && has(&one.what, CARRIED)) {
        let most = carried.entry(&one.thing).or_default();
        *most = one.number.max(*most);
    }
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let is_many = |one: &Count| {
        let of = carried.get(&*one.thing).copied().unwrap_or(0);
        one.number >= FEWEST && (of == 0 || one.number as f64 / of as f64 >= SMALLEST_SHARE)
    };
    let own: Vec<&Count> =
        counts.iter().filter(|one| (one.is_trouble || one.is_lost) && !has(&one.what, ASKED)).collect();
    for one in &own {
        all.takes(&one.what, None);
    }
    all.things += usize::from(!own.is_empty() && all.things == 0);
    let mut bad: Vec<&Count> =
        own.into_iter().filter(|one| is_many(one) || one.number > 0 && one.is_lost).collect();
    bad.sort_by_key(|one| std::cmp::Reverse(one.number));
    if all.bad.is_empty() {
        let of = |thing: &str| if thing.is_empty() { String::new() } else { format!(" ({thing})") };
        all.bad.extend(
            bad.into_iter().map(|one| {
                format!("counted: is={}; what={}{}", one.number, clean(&one.what), of(&one.thing))
            }),
        );
    }
}
