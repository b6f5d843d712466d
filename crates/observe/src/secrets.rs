//! The one place that knows what a secret looks like. What the live host is read for and what a capture keeps goes
//! through here alike.

mod spoken;

/// Put in the place of a secret.
pub(crate) const HIDDEN: &str = "***";

/// A name with one of these in it has its value hidden.
const IN_NAMES: &[&str] = &[
    "password", "passwd", "passphrase", "secret", "token", "apikey", "api_key", "api-key", "access_key",
    "accesskey", "account_key", "accountkey", "connauthhash", "private_key", "ssl_key", "fastopen_key",
    "credential", "pwd",
];

/// Names that are one of these, or end in one after a dot, a hyphen or an underscore.
const LAST_WORDS: &[&str] = &["pass", "pw", "chap", "auth", "psk", "community"];

/// Names that are one of these and nothing else: longer ones with them are the kernel's.
const WHOLE_NAMES: &[&str] = &["key", "netroot"];

/// What signs an address; with a colon they are other things (the chain that a hang manager prints, a bus of disks).
const SIGNATURES: &[&str] = &["sig", "signature", "sas", "accountsas"];

/// Whether a setting of this name holds a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.trim_start_matches('-').to_ascii_lowercase();
    let last = last_word(&name);
    let ends_in_pass = |word: &str| word.ends_with("pass") && word != "bypass" && word != "compass";
    IN_NAMES.iter().any(|part| name.contains(part))
        || LAST_WORDS.contains(&last)
        || ends_in_pass(last)
        || last.ends_with("pw")
        || WHOLE_NAMES.contains(&name.as_str())
}

fn last_word(name: &str) -> &str {
    name.rsplit(['.', '-', '_']).next().unwrap_or(name)
}

/// Text without the values of `name=value` and `name: value` whose name is a secret's, without what stands between the colon and
/// the `@` of an address, and without what programs and statements take as a password. A value ends at a blank, or at its closing
/// quote.
pub(crate) fn text(text: &str) -> String {
    hide(&spoken::without(text), false)
}

/// The same for lists of mount options, in which a comma ends a value and two are one that belongs to it.
pub(crate) fn mount_options(text: &str) -> String {
    hide(&spoken::without(text), true)
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
    let (mut rest, mut word) = (text, Word::default());
    while let Some(at) = rest.find(['=', ':']) {
        let (before, after) = rest.split_at(at + 1);
        let place = text.len() - after.len();
        word = word.around(text, place - 1);
        out.push_str(before);
        rest = after;
        let named = before[..at].trim_end_matches([' ', '\t', '"', '\'', '\\']);
        let name = named.rsplit(|c: char| !is_name_char(c)).next().unwrap_or_default();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\\']).len();
        let (skipped, value) = rest.split_at(blanks);
        let length = |may: bool| if may { value_length(value, commas) } else { 0 };
        let is_quoted = value.starts_with(['"', '\'']);
        let signs =
            before.ends_with('=') && SIGNATURES.iter().any(|one| last_word(name).eq_ignore_ascii_case(one));
        let (length, kept) = if signs || is_secret_name(name) && !is_sense_key(named) {
            (length(true), ["", ""])
        } else if name.eq_ignore_ascii_case("userid") {
            let length = length(is_quoted || word.slash > place);
            oracle_login(&value[..length]).map_or((0, ["", ""]), |kept| (length, kept))
        } else if is_user(name) {
            // Mounts of FTP and of Windows name both (curlftpfs(1), mount.cifs(8)).
            let parts = |c: char| c == '%' || commas && c == ':';
            let is_pair = word.percent > place || commas && word.colon > place;
            let length = length(is_quoted || is_pair);
            let secret = value[..length].find(parts).filter(|at| !value[at + 1..].starts_with(HIDDEN));
            secret.map_or((0, ["", ""]), |at| (length, [&value[..=at], ""]))
        } else {
            (0, ["", ""])
        };
        if length > 0 {
            out.extend([skipped, kept[0], HIDDEN, kept[1]]);
            rest = &value[length..];
        } else if before.ends_with(':') && word.is_address(place) {
            // user:password@host, scheme://user:password@host
            out.push_str(HIDDEN);
            rest = &text[word.at..];
        }
    }
    out.push_str(rest);
    out
}

/// `mount.cifs` takes `user=NAME%PASSWORD`, curlftpfs `user=NAME:PASSWORD`.
fn is_user(name: &str) -> bool {
    ["user", "username", "proxy_user"].iter().any(|one| name.eq_ignore_ascii_case(one))
}

/// A word, looked through once however many colons are in it. Places are in the whole text; 0: not there.
#[derive(Default)]
struct Word {
    end: usize,
    /// Behind the first `//`, or the `#` of `sshfs#user:password@host`.
    authority: usize,
    /// The last ones of the word.
    at: usize,
    slash: usize,
    percent: usize,
    colon: usize,
}

impl Word {
    /// The word around a place at or behind this one.
    fn around(self, text: &str, place: usize) -> Self {
        if place < self.end {
            return self;
        }
        let ends = |c: char| c.is_whitespace() || matches!(c, '\0' | '"' | '\'');
        let start = text[self.end..place].rfind(ends).map_or(self.end, |last| self.end + last + 1);
        let start = (start..=place).find(|&start| text.is_char_boundary(start)).unwrap_or(place);
        let end = text[place..].find(ends).map_or(text.len(), |end| place + end);
        let word = &text[start..end];
        let last = |c| word.rfind(c).map_or(0, |found| start + found);
        let authority = [word.find("//").map(|at| at + 2), word.find('#').map(|at| at + 1)];
        let authority = authority.into_iter().flatten().min().map_or(0, |behind| start + behind);
        Self { end, authority, at: last('@'), slash: last('/'), percent: last('%'), colon: last(':') }
    }

    /// A password may begin here: behind the colon of an address, before its `@`.
    fn is_address(&self, place: usize) -> bool {
        self.authority > 0 && self.authority < place && self.at > place
    }
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
    if value.starts_with(HIDDEN) {
        return HIDDEN.len();
    }
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

/// What stays of `user/anything@service` as Oracle's clients take it: all between the first slash and the last `@` is the password.
fn oracle_login(word: &str) -> Option<[&str; 2]> {
    let slash = word.find('/')?;
    let service = word.rfind('@').filter(|at| *at > slash).map_or("", |at| &word[at..]);
    Some([&word[..=slash], service])
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
        for (line, kept) in [
            ("user=u:hunter2,rw", "user=u:***,rw"),
            ("proxy_user=u:hunter2", "proxy_user=u:***"),
            ("account_key=hunter2,sas=hunter2", "account_key=***,sas=***"),
        ] {
            assert_eq!(mount_options(line), kept);
        }
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
