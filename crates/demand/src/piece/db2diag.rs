//! Db2's diagnostic log (`db2diag.log`), whose entries have several lines, as lines of text: `STAMP - LEVEL MESSAGE`.
//!
//! Source: IBM Db2, "Interpreting diagnostic log file entries".

/// The lines of an entry that say what happened.
const WORDS: [&str; 5] = ["FUNCTION:", "MESSAGE :", "CALLED  :", "RETCODE :", "DATA #1 :"];

/// The text of such a log; `None`: it is none.
pub(super) fn as_text(text: &str) -> Option<String> {
    let mut entries = String::new();
    text.lines().find_map(head)?;
    for line in text.lines() {
        if let Some((stamp, level)) = head(line) {
            entries.extend(["\n", &stamp, " - ", level, " db2"]);
        } else if let Some(words) = WORDS.iter().find_map(|name| line.trim_start().strip_prefix(name)) {
            entries += ": ";
            entries += words.trim().trim_start_matches("DB2 UDB, ");
        }
    }
    (!entries.is_empty()).then(|| entries.trim_start().to_owned() + "\n")
}

/// `2026-11-12-03.14.10.123456+060 I12345E512           LEVEL: Severe`: the time as other logs write it, and how bad it is.
fn head(line: &str) -> Option<(String, &'static str)> {
    let (stamp, rest) = line.split_once(' ')?;
    let mut parts = stamp.splitn(4, '-');
    let [year, month, day, time] = [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
    let mut clock = time.splitn(4, '.');
    let [hour, minute, second] = [clock.next()?, clock.next()?, clock.next()?];
    let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let level = rest.split_once("LEVEL: ")?.1;
    let level = match level.split_whitespace().next()? {
        "Critical" | "Severe" | "Error" => "ERROR:",
        "Warning" => "WARNING:",
        _ => "INFO",
    };
    [year, month, day, hour, minute, second]
        .iter()
        .all(is_number)
        .then(|| (format!("{year}-{month}-{day}T{hour}:{minute}:{second}"), level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_line() {
        let log = "2026-11-27-04.05.06.700000+060 I4711E88          LEVEL: Severe\nPID     : 7          PROC : db2sysc 0\n\
                   FUNCTION: DB2 UDB, buffer pool services, sqlbRead, probe:1\nMESSAGE : ZRC=0x8604000A=SQLB_EIO \"I/O error\"\n\n\
                   2026-11-27-04.05.07.700000+060 I4712E88          LEVEL: Event\nFUNCTION: DB2 UDB, x, y, probe:2\n";
        assert_eq!(
            as_text(log).as_deref(),
            Some(
                "2026-11-27T04:05:06 - ERROR: db2: buffer pool services, sqlbRead, probe:1: ZRC=0x8604000A=SQLB_EIO \"I/O error\"\n\
                 2026-11-27T04:05:07 - INFO db2: x, y, probe:2\n"
            )
        );
        assert_eq!(as_text("2026-11-27 04:05:06 LEVEL: Severe\nMESSAGE : x\n"), None);
    }
}
