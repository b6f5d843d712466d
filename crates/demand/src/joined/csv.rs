//! Logs in CSV as the same server's text log.

use crate::page;
use std::borrow::Cow;

/// A log of PostgreSQL in CSV as its text log has it (PostgreSQL documentation, Using CSV-Format Log Output: the time first, the
/// process fourth, the level twelfth, the message two behind it).
pub(super) fn as_text(text: &str) -> Cow<'_, str> {
    const LEVELS: [&str; 6] = [",LOG,", ",WARNING,", ",ERROR,", ",FATAL,", ",PANIC,", ",NOTICE,"];
    const COLUMNS: usize = 23;
    if !LEVELS.iter().any(|level| text.contains(level)) {
        return Cow::Borrowed(text);
    }
    let told = |line: &str| {
        let fields = page::fields(line, ',');
        let (level, message) = (fields.get(11)?, fields.get(13)?);
        (fields.len() >= COLUMNS && LEVELS.contains(&&*format!(",{level},")))
            .then(|| format!("{} [{}] {level}:  {message}", fields[0], fields[3]))
    };
    text.lines().map(|line| told(line).unwrap_or_else(|| line.to_owned()) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::super::joined;

    #[test]
    fn a_csv_log_of_postgres_reads_as_its_text_log() {
        let line = "2026-11-26 10:00:01.812 UTC,\"app\",\"shop\",812,\"10.9.7.2:5\",6a.1,7,\"\",2026-11-26 09:00:00 UTC,3/4,0,LOG,00000,\
                    \"the \"\"log\"\", it says\",,,,,,,,,\"\",\"client backend\",,0\n";
        assert_eq!(joined(line), ["2026-11-26 10:00:01.812 UTC [812] LOG:  the \"log\", it says"]);
        let other = "1,2,LOG,4,5\n";
        assert_eq!(joined(other), ["1,2,LOG,4,5"]);
    }
}
