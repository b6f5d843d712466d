//! What the form of a line says, whatever words it has: that it is of a list, a field, a count of none, or a program's own step.

/// A module's parameter (modinfo(8)): it tells what may be set.
pub(super) fn is_parameter(rest: &str) -> bool {
    rest.starts_with("parm: ")
}

/// A file as `ls -l` lists it: of its name no word is one of trouble, though a link may lead where it should not.
pub(super) fn is_file(rest: &str) -> bool {
    let (mode, after) = rest.as_bytes().split_at(rest.len().min(10));
    let is_mode =
        |mode: &[u8; 10]| b"-dlbcps".contains(&mode[0]) && mode[1..].iter().all(|c| b"rwxsStT-".contains(c));
    mode.try_into().is_ok_and(is_mode) && after.first().is_some_and(|c| b" .+".contains(c))
}

/// Of a field of JSON its value: keys name what is set or counted. Of any other line the whole.
pub(super) fn value_of(lower: &str) -> &str {
    let field = lower.strip_prefix('"').and_then(|rest| rest.split_once("\":"));
    field.filter(|(key, _)| !key.contains([' ', '"'])).map_or(lower, |(_, value)| value)
}

/// A line without what it counts none of: of `0 input errors, 3 CRC` and `wr 2, corrupt 0` the other half.
pub(super) fn counted(lower: &str) -> String {
    /// A number and the name of what is counted; more words are a sentence, which may end with a number too.
    const WORDS: usize = 4;
    let none = |clause: &&str| {
        let said = clause.rsplit_once(": ").map_or(*clause, |(_, said)| said);
        let words: Vec<&str> = said.split_whitespace().collect();
        match words.as_slice() {
            ["0", rest @ ..] => rest.len() < WORDS,
            [_, "0"] => true,
            _ => false,
        }
    };
    lower.split(',').filter(|clause| !none(clause)).collect::<Vec<_>>().join(",")
}

/// How much a program itself makes of its line.
#[derive(PartialEq)]
pub(super) enum Level {
    /// What it does, step by step: nothing of it is trouble.
    Debug,
    /// What it reports in good order: only a known meaning counts, and no word.
    Info,
    /// Anything else.
    Any,
}

pub(super) fn level(line: &str) -> Level {
    let has = |marks: &[&str]| marks.iter().any(|mark| line.contains(mark));
    if has(&[" DEBUG ", "[DEBUG]", "|DBG|", "level=debug"]) {
        Level::Debug
    } else if has(&[" INFO ", "[INFO]", "|INFO|", "level=info"]) {
        Level::Info
    } else {
        Level::Any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_none_is_counted_of_is_left_out() {
        assert_eq!(counted("0 input errors, 7 crc errors"), " 7 crc errors");
        assert_eq!(counted("wr 2, corrupt 0"), "wr 2");
        assert_eq!(counted("the read failed at sector 0"), "the read failed at sector 0");
    }
}
