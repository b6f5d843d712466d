//! Commands of remedies. Names in them come from the host, from archives and from users of the host: a name is one word
//! of the shell or there is no command.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::ops::Deref;

/// What stands for a command that could not be written: it fails, and does nothing else.
const REFUSED: &str = "false";

/// A command, or a part of one, that root can paste into a POSIX shell as it is. Only literals and [`sh!`](crate::sh)
/// make one:
///
/// ```
/// use fullwire_model::{assessment::ShellCommand, sh};
/// let name = String::from("e;id");
/// let shown: ShellCommand = "ip link".into();
/// assert_eq!(&*sh!("ip link set dev {} mtu {}", name, 9000), "ip link set dev 'e;id' mtu 9000");
/// assert_eq!(&*sh!("{} | head", shown), "ip link | head");
/// ```
///
/// A string that was put together elsewhere does not become one:
///
/// ```compile_fail
/// let name = "e;id";
/// let command: fullwire_model::assessment::ShellCommand = format!("ethtool -g {name}").into();
/// ```
///
/// ```compile_fail
/// let name = String::from("e;id");
/// let command: fullwire_model::assessment::ShellCommand = name.as_str().into();
/// ```
///
/// Nor does a name become a part of sed's script that could be more than a name (a slash may be one of a path: what divides
/// such a script is a `|`):
///
/// ```
/// use fullwire_model::assessment::ShellCommand;
/// assert_eq!(&*ShellCommand::sed("/^{} /d", &["eth0"]), "'/^eth0 /d'");
/// assert!(["a|eid>M;#", "a\nb", "a*", "a]"].iter().all(|name| ShellCommand::sed("/^{} /d", &[name]).is_refused()));
/// ```
///
/// Nor does a template that puts a value between quotes, where quoting it would end them, or names one in its text:
///
/// ```compile_fail
/// let command = fullwire_model::sh!("echo 'on {}'", String::from("e;id"));
/// ```
///
/// ```compile_fail
/// let name = "e;id";
/// let command = fullwire_model::sh!("ethtool -g {name}");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShellCommand {
    text: Cow<'static, str>,
    refused: bool,
}

impl ShellCommand {
    /// The text, for a shell.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Nobody may run it: a value cannot be written as a harmless word, for it has control characters or an option's dash
    /// (the text is a command that fails then), or it was read from a document, which may be anyone's.
    pub fn is_refused(&self) -> bool {
        self.refused
    }

    /// Nothing: a part of a command that is left out.
    pub const fn empty() -> Self {
        Self { text: Cow::Borrowed(""), refused: false }
    }

    /// A script of sed, as one word. sed is an interpreter of its own, for which the quotes of the shell are nothing: there is
    /// no command with a name that has anything in it but letters, digits and a few signs that mean nothing to sed. A dot of a
    /// name stands for a dot or a slash, as in the keys of sysctl.d(5).
    pub fn sed(template: &'static str, names: &[&str]) -> Self {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@=+,\"{} ".contains(c);
        let mut names = names.iter();
        let (mut script, mut refused) = (String::new(), false);
        for (at, part) in template.split("{}").enumerate() {
            if at > 0 {
                let name = names.next().copied().unwrap_or_default();
                refused |= !name.chars().all(plain);
                script.push_str(&name.replace('.', "[./]"));
            }
            script.push_str(part);
        }
        let mut whole = Filling { text: String::new(), refused };
        whole.word(&script);
        whole.done()
    }

    /// Parts with a text between them.
    pub fn joined(parts: impl IntoIterator<Item = Self>, between: &'static str) -> Self {
        let mut whole = Filling { text: String::new(), refused: false };
        for (at, part) in parts.into_iter().enumerate() {
            if at > 0 {
                whole.text.push_str(between);
            }
            part.put(&mut whole);
        }
        whole.done()
    }

    /// What [`sh!`](crate::sh) does: each `{}` of the template is the next value.
    #[doc(hidden)]
    pub fn fill(template: &'static str, values: &[&dyn Argument]) -> Self {
        let mut whole = Filling { text: String::new(), refused: false };
        let mut values = values.iter();
        let mut rest = template;
        while let Some(at) = rest.find(['{', '}']) {
            whole.text.push_str(&rest[..at]);
            let doubled = rest[at..].starts_with("{{") || rest[at..].starts_with("}}");
            if doubled {
                whole.text.push_str(&rest[at..=at]);
            } else if let Some(value) = values.next() {
                value.put(&mut whole);
            }
            rest = &rest[at + 2..];
        }
        whole.text.push_str(rest);
        whole.done()
    }
}

/// A command that is being put together.
#[derive(Debug)]
pub struct Filling {
    text: String,
    refused: bool,
}

impl Filling {
    /// A value as one word, or as a part of one.
    pub fn word(&mut self, value: &str) {
        let begins_a_word = self.text.is_empty() || self.text.ends_with(char::is_whitespace);
        let is_option = begins_a_word && value.starts_with('-');
        if is_option || value.chars().any(super::name::is_harmful) {
            self.refused = true;
        }
        self.text.push_str(&quote(value));
    }

    fn done(self) -> ShellCommand {
        let text = if self.refused { Cow::Borrowed(REFUSED) } else { Cow::Owned(self.text) };
        ShellCommand { text, refused: self.refused }
    }
}

/// What [`sh!`](crate::sh) takes: values, each of which becomes a word, and parts of commands.
pub trait Argument {
    /// Adds it.
    fn put(&self, whole: &mut Filling);
}

impl Argument for ShellCommand {
    fn put(&self, whole: &mut Filling) {
        whole.refused |= self.refused;
        whole.text.push_str(&self.text);
    }
}

impl Argument for str {
    fn put(&self, whole: &mut Filling) {
        whole.word(self);
    }
}

impl Argument for String {
    fn put(&self, whole: &mut Filling) {
        whole.word(self);
    }
}

impl Argument for Cow<'_, str> {
    fn put(&self, whole: &mut Filling) {
        whole.word(self);
    }
}

impl<T: Argument + ?Sized> Argument for &T {
    fn put(&self, whole: &mut Filling) {
        (**self).put(whole);
    }
}

/// Numbers and addresses need no quotes, and a minus is no option.
macro_rules! plain {
    ($($kind:ty)*) => { $(
        impl Argument for $kind {
            fn put(&self, whole: &mut Filling) {
                whole.text.push_str(&self.to_string());
            }
        }
    )* };
}
plain! { u8 u16 u32 u64 usize i32 i64 IpAddr }

impl From<&'static str> for ShellCommand {
    fn from(text: &'static str) -> Self {
        Self { text: Cow::Borrowed(text), refused: false }
    }
}

impl Deref for ShellCommand {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl AsRef<str> for ShellCommand {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for ShellCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq<str> for ShellCommand {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}

impl PartialEq<&str> for ShellCommand {
    fn eq(&self, other: &&str) -> bool {
        self.text == *other
    }
}

impl Serialize for ShellCommand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// Shown, and never run.
impl<'de> Deserialize<'de> for ShellCommand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self { text: Cow::Owned(String::deserialize(deserializer)?), refused: true })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ShellCommand {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ShellCommand".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

/// The text as one word of a POSIX shell: between single quotes nothing has a meaning but the quote itself (POSIX.1-2024,
/// XCU 2.2.2). A crate for this one rule would be one more to trust with what root runs.
pub fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:@%+=,-".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A command of a shell. Each value is one word of it, in quotes if it needs them; a `ShellCommand` is put in as it is.
#[macro_export]
macro_rules! sh {
    ($template:literal $(, $value:expr)* $(,)?) => {{
        const { $crate::assessment::check_template($template, <[&str]>::len(&[$(stringify!($value)),*])) };
        $crate::assessment::ShellCommand::fill($template, &[$(&$value as &dyn $crate::assessment::Argument),*])
    }};
}

/// Deepest nesting of quotes and parentheses in a template.
const DEEPEST: usize = 16;

/// Fails to compile where a template has a placeholder other than `{}`, more or fewer than values, or one between quotes.
#[doc(hidden)]
pub const fn check_template(template: &str, values: usize) {
    let text = template.as_bytes();
    // What is open: a quote, or the parenthesis of a subshell, in which the shell reads anew.
    let mut open = [b' '; DEEPEST];
    let (mut depth, mut at, mut placeholders) = (0, 0, 0);
    while at < text.len() {
        let next = if at + 1 < text.len() { text[at + 1] } else { 0 };
        let inner = open[depth];
        match text[at] {
            b'{' | b'}' if next == text[at] => at += 1,
            b'{' => {
                assert!(next == b'}', "a placeholder has a name or a format");
                assert!(inner != b'"' && inner != b'\'', "a placeholder between quotes");
                placeholders += 1;
                at += 1;
            }
            b'}' => panic!("a brace that closes nothing"),
            b'\'' if inner == b'\'' => depth -= 1,
            _ if inner == b'\'' => {}
            b'\\' => at += 1,
            b'"' if inner == b'"' => depth -= 1,
            b'$' if next == b'(' => {
                depth += 1;
                open[depth] = b'(';
                at += 1;
            }
            _ if inner == b'"' => {}
            c @ (b'\'' | b'"' | b'(') => {
                depth += 1;
                open[depth] = c;
            }
            b')' if inner == b'(' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    assert!(placeholders == values, "as many values as placeholders");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_no_word_makes_no_command() {
        for value in ["a\nb", "\x1b[2J", "a\u{202e}b", "-rf", "\t"] {
            let command = sh!("umount {}", value);
            assert!(command.is_refused(), "{value:?}");
            assert_eq!(command, "false");
            assert!(sh!("{} && sync", command).is_refused(), "a part that is refused");
        }
        assert_eq!(sh!("nice {}", -5), "nice -5");
        assert_eq!(sh!("echo x{} > /proc/{}", "-1", 7_u32), "echo x-1 > /proc/7");
    }

    #[test]
    fn braces_and_parts_are_put_in_as_they_are() {
        assert_eq!(sh!("awk '{{print $1}}' {}", "/u 1"), "awk '{print $1}' '/u 1'");
        let parts = ["a b", "c"].map(|name| sh!("echo {}", name));
        assert_eq!(ShellCommand::joined(parts, "; "), "echo 'a b'; echo c");
    }
}
