//! The one place that knows what a secret looks like. What the live host is read for and what a capture keeps goes
//! through here alike.

/// Put in the place of a secret.
pub(crate) const HIDDEN: &str = "***";

/// A name with one of these in it has its value hidden.
const IN_NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "access_key",
    "accesskey",
    "private_key",
    "ssl_key",
    "fastopen_key",
    "credential",
    "pwd",
];

/// Names that are one of these, or end in one after a dot, a hyphen or an underscore.
const LAST_WORDS: &[&str] = &["pass", "pw", "chap", "auth", "psk", "community"];

/// Names that are one of these and nothing else: longer ones with them are the kernel's.
const WHOLE_NAMES: &[&str] = &["key", "netroot"];

/// Whether a setting of this name holds a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.trim_start_matches('-').to_ascii_lowercase();
    let last = name.rsplit(['.', '-', '_']).next().unwrap_or(&name);
    let ends_in_pass = |word: &str| word.ends_with("pass") && word != "bypass" && word != "compass";
    IN_NAMES.iter().any(|part| name.contains(part))
        || LAST_WORDS.contains(&last)
        || ends_in_pass(last)
        || last.ends_with("pw")
        || WHOLE_NAMES.contains(&name.as_str())
}

/// Text without the values of `name=value` and `name: value` whose name is a secret's, and without what stands
/// between the colon and the `@` of an address. A value ends at a blank, or at its closing quote.
pub(crate) fn text(text: &str) -> String {
    hide(text, false)
}

/// The same for lists of mount options, in which a comma ends a value and two are one that belongs to it.
pub(crate) fn mount_options(text: &str) -> String {
    hide(text, true)
}

/// The kernel's command line: `netroot` names users and passwords by position.
pub(crate) fn kernel_command_line(line: &str) -> String {
    text(line)
}

fn hide(text: &str, commas: bool) -> String {
    if !text.contains(['=', ':']) {
        return text.to_owned(); // most files
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['=', ':']) {
        let (before, after) = rest.split_at(at + 1);
        out.push_str(before);
        rest = after;
        let named = before[..at].trim_end_matches([' ', '\t']);
        let name = named.rsplit(|c: char| !is_name_char(c)).next().unwrap_or_default();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let value = &rest[blanks..];
        let length = value_length(value, commas);
        if length == 0 {
            continue;
        }
        let is_login = name.eq_ignore_ascii_case("userid") && value[..length].contains('/');
        if is_secret_name(name) && !is_sense_key(named) {
            out.push_str(&rest[..blanks]);
            out.push_str(HIDDEN);
            rest = &value[length..];
        } else if is_login {
            out.push_str(&rest[..blanks]);
            out.push_str(&oracle_login(&value[..length]));
            rest = &value[length..];
        } else if let Some(end) = login_end(&out, rest) {
            // user:password@host, scheme://user:password@host
            out.push_str(HIDDEN);
            rest = &rest[end..];
        }
    }
    out.push_str(rest);
    out
}

/// `Sense Key : Medium Error`: what a SCSI device answers.
fn is_sense_key(named: &str) -> bool {
    named.to_ascii_lowercase().ends_with("sense key")
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Bytes of the value at the start of a text.
fn value_length(value: &str, commas: bool) -> usize {
    if let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let end = value[1..].find([quote, '\n', '\0']).map(|at| at + 1);
        return end.map_or(value.len(), |at| if value[at..].starts_with(quote) { at + 1 } else { at });
    }
    let mut characters = value.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let ends = c.is_whitespace() || c == '\0';
        if ends || (commas && c == ',' && characters.next_if(|(_, next)| *next == ',').is_none()) {
            return at;
        }
    }
    value.len()
}

/// Where the password of `user:password@` ends, when the colon before `rest` is in such a login behind `//`.
fn login_end(before: &str, rest: &str) -> Option<usize> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '\0' | '"' | '\'');
    let word = before.rsplit(ends).next().unwrap_or_default();
    let in_url = word.contains("://") && before.ends_with(':');
    let end = rest.find(ends).unwrap_or(rest.len());
    in_url.then(|| rest[..end].rfind('@'))?
}

/// `user/anything@service` as Oracle's clients take it: all between the first slash and the last `@` is the password.
fn oracle_login(word: &str) -> String {
    let Some((user, rest)) = word.split_once('/') else { return word.to_owned() };
    let service = rest.rsplit_once('@').map_or(String::new(), |(_, service)| format!("@{service}"));
    format!("{user}/{HIDDEN}{service}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_secret_names_are_hidden_to_their_end() {
        for line in [
            "password=hunter2",
            "password=hun;hunter2)x",
            "password = \"a hunter2\" b",
            "--dbpass=hunter2",
            "-DdbPwd=hunter2",
            "DB_PASS=hunter2",
            "MYSQL_PWD=hunter2",
            "rootpw=hunter2",
            "rd.iscsi.password=hunter2",
            "netroot=iscsi:user:hunter2@10.0.0.1::3260::iqn.x",
            "inst.ks=https://u:hunter2@h/ks",
            "inst.ks=https://u:hun:te@hunter2@h/ks",
            "postgres://u:hunter2@h:5432/db",
            "userid=system/hunter2",
            "userid=system/hunter2/hunter2@//h/s",
            "snmp_community: hunter2",
            "wsrep_sst_auth=root:hunter2",
            "api_token: \"hunter2\"",
            "é password=hunter2",
        ] {
            let kept = text(line);
            assert!(!kept.contains("hunter2") && kept.contains(HIDDEN), "{line}: {kept}");
            assert_eq!(text(&kept), kept, "hiding twice changes nothing");
        }
        assert_eq!(mount_options("rw,password=a,,b,vers=3 0 0"), "rw,password=***,vers=3 0 0");
        assert_eq!(text("inst.ks=https://u:pw@h/ks quiet"), "inst.ks=https://u:***@h/ks quiet");
    }

    #[test]
    fn harmless_text_is_not_touched() {
        for line in [
            "MemTotal: 16 kB\nKeyed: 4\n",
            "innodb_flush_method=O_DIRECT",
            "f:/a /a nfs4 rw,sec=sys,clientaddr=10.0.0.1 0 0",
            "sd 0:0:0:0: [sda] Write cache: enabled",
            "state=active passive=1 bypass=0",
            "mds@10.0.0.1:6789:/",
            "https://host:8080/x",
        ] {
            assert_eq!(text(line), line);
            assert_eq!(mount_options(line), line);
        }
    }
}
