//! What is in an anonymised capture for whatever tells whose it is: names of hosts and users, addresses, serial
//! numbers. The same within one capture, meaningless outside it.
//!
//! Addresses, world-wide names and UUIDs are known by their form, names and serial numbers from lists.

mod address;
mod form;

use super::Root;
use super::notes::Recording;
use address::Addresses;
use fullwire_model::host::Host;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};

/// Names that identify no one.
const COMMON_NAMES: &[&str] = &[
    "localhost", "localdomain", "linux", "debian", "ubuntu", "oracle", "server", "none", "root", "grid",
    "postgres", "mysql", "mariadb", "mssql", "nobody", "admin", "user", "database",
];

/// Shorter names, and serial numbers, are words of other things too often to be replaced everywhere.
const SHORTEST_NAME: usize = 4;

/// Names are found by their first bytes.
const INDEX_BYTES: usize = 3;

/// Users below are the distribution's own, unless they live where persons do.
const FIRST_UID: u32 = 1000;
const NOBODY: u32 = 65_534;

/// What stands for what.
pub(crate) struct Pseudonyms {
    key: RandomState,
    addresses: Addresses,
    /// Names to replace wherever they are alone, by their first bytes, longest first.
    names: HashMap<[u8; INDEX_BYTES], Vec<(String, String)>>,
    /// Names, short and common ones too, to replace where a text is nothing else.
    whole: BTreeMap<String, String>,
}

/// Names that are known to be someone's.
#[derive(Debug, Default)]
struct Names {
    hosts: BTreeSet<String>,
    users: BTreeSet<String>,
    serials: BTreeSet<String>,
}

impl Pseudonyms {
    /// For what this host and its recording hold, with a key that is thrown away.
    pub(crate) fn of(root: &Root, host: &Host, hosts: BTreeSet<String>, recording: &Recording) -> Self {
        let mut names = Names { hosts, ..Names::default() };
        let domains: Vec<String> =
            names.hosts.iter().filter_map(|name| Some(name.split_once('.')?.1.to_owned())).collect();
        names.hosts.extend(domains.into_iter().filter(|domain| domain.contains('.')));
        names.users = users(root);
        names.serials = host.disks.iter().map(|disk| disk.serial.clone()).collect();
        let mut addresses = BTreeSet::new();
        let texts = recording.files.values().map(|(bytes, _)| String::from_utf8_lossy(bytes).into_owned());
        let answers = recording.notes.answers.iter().map(|(question, answer)| format!("{question} {answer}"));
        for text in texts.chain(answers).chain(recording.files.keys().cloned()) {
            names.users.extend(form::users(&text));
            form::addresses(&text, &mut addresses);
        }
        // A name that is a word of the kernel's own paths would be replaced where readers look for that word.
        let kernels: BTreeSet<&str> = recording
            .files
            .keys()
            .chain(recording.notes.lists.keys())
            .filter(|path| path.starts_with("/proc/") || path.starts_with("/sys/"))
            .flat_map(|path| path.split(|c: char| !c.is_alphanumeric()))
            .collect();
        Self::with(&names, &addresses, &kernels)
    }

    fn with(names: &Names, addresses: &BTreeSet<std::net::IpAddr>, kernels: &BTreeSet<&str>) -> Self {
        let key = RandomState::new();
        let mut pseudonyms = Self {
            addresses: Addresses::apart_from(addresses),
            names: HashMap::new(),
            whole: BTreeMap::new(),
            key,
        };
        for (kind, names) in [("host", &names.hosts), ("user", &names.users), ("serial", &names.serials)] {
            for name in names.iter().map(|name| name.trim()) {
                let stands_for = format!("{kind}-{:08x}", pseudonyms.hash(&(kind, name)) & 0xffff_ffff);
                let is_common = COMMON_NAMES.contains(&name.to_ascii_lowercase().as_str());
                if name.is_empty() || name == "localhost" || name == "(none)" {
                    continue;
                }
                if kind == "host" {
                    pseudonyms.whole.entry(name.to_owned()).or_insert_with(|| stands_for.clone());
                }
                let has_digit = name.contains(|c: char| c.is_ascii_digit());
                let shortest = if has_digit { INDEX_BYTES } else { SHORTEST_NAME };
                if name.len() >= shortest && !is_common && !kernels.contains(name) {
                    pseudonyms.insert(name, stands_for);
                }
            }
        }
        pseudonyms
    }

    fn insert(&mut self, name: &str, stands_for: String) {
        let Some(start) = name.as_bytes().first_chunk() else { return };
        let alike = self.names.entry(*start).or_default();
        if !alike.iter().any(|(known, _)| known == name) {
            alike.push((name.to_owned(), stands_for));
            alike.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        }
    }

    fn hash(&self, value: &impl std::hash::Hash) -> u64 {
        self.key.hash_one(value)
    }

    /// All that was recorded, in their terms: contents, and the paths and questions by which they are found.
    pub(crate) fn apply(&self, recording: &mut Recording) {
        let renamed = |(path, (bytes, cut)): (String, (Vec<u8>, bool))| {
            let text = self.file(&path, &String::from_utf8_lossy(&bytes));
            (self.text(&path), (text.into_bytes(), cut))
        };
        recording.files = std::mem::take(&mut recording.files).into_iter().map(renamed).collect();
        let notes = &mut recording.notes;
        let listed = |names: Vec<String>| -> Vec<String> {
            let mut names: Vec<String> = names.iter().map(|name| self.text(name)).collect();
            names.sort_unstable();
            names
        };
        let lists = std::mem::take(&mut notes.lists).into_iter();
        notes.lists = lists.map(|(path, names)| (self.text(&path), listed(names))).collect();
        let links = std::mem::take(&mut notes.links).into_iter();
        notes.links = links.map(|(path, target)| (self.text(&path), self.text(&target))).collect();
        notes.present = notes.present.iter().map(|path| self.text(path)).collect();
        for errors in [&mut notes.unreadable, &mut notes.unlistable] {
            let old = std::mem::take(errors).into_iter();
            *errors = old.map(|(path, errno)| (self.text(&path), errno)).collect();
        }
        let answers = std::mem::take(&mut notes.answers).into_iter();
        notes.answers = answers.map(|(question, answer)| (self.text(&question), self.json(answer))).collect();
    }

    /// A JSON value with its strings and the names of its fields.
    pub(crate) fn json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.content(&text)),
            Value::Array(values) => values.into_iter().map(|value| self.json(value)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(name, value)| (self.text(&name), self.json(value))).collect()
            }
            other => other,
        }
    }

    fn file(&self, path: &str, text: &str) -> String {
        // The tag by which clouds are recognised; anyone else's inventory number.
        let is_tag = path.ends_with("_asset_tag")
            && !["OracleCloud.com", "7783-7084-3265-9085-8269-3286-77"].contains(&text.trim());
        if is_tag || path.ends_with("_serial") || path.ends_with("/serial") {
            let serial = text.trim();
            return if serial.is_empty() { text.to_owned() } else { self.serial(serial) + "\n" };
        }
        if path.ends_with("/vpd_pg80") {
            // A head of four bytes, whose last one may look like a letter of the serial number.
            let head: String = text.chars().take(4).collect();
            let serial: String = text.chars().skip(4).filter(|c| !c.is_control()).collect();
            return head + &self.serial(serial.trim());
        }
        self.content(text)
    }

    fn serial(&self, serial: &str) -> String {
        format!("serial-{:08x}", self.hash(&("serial", serial)) & 0xffff_ffff)
    }

    /// A text that may be one name and nothing else.
    fn content(&self, text: &str) -> String {
        match self.whole.get_key_value(text.trim()) {
            Some((name, stands_for)) => text.replace(name.as_str(), stands_for),
            None => self.text(text),
        }
    }

    /// Each place at which a word begins is looked at once.
    fn text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let mut before = None;
        while let Some(first) = rest.chars().next() {
            let begins = !before.is_some_and(char::is_alphanumeric);
            let found = if begins { self.at(&out, rest) } else { None };
            let (length, replacement) = found.unwrap_or_else(|| {
                let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
                (word.max(first.len_utf8()), None)
            });
            let (taken, after) = rest.split_at(length);
            out.push_str(replacement.as_deref().unwrap_or(taken));
            before = taken.chars().next_back();
            rest = after;
        }
        out
    }

    /// What begins here, and what stands for it.
    fn at(&self, before: &str, rest: &str) -> Option<(usize, Option<String>)> {
        if let Some(name) = form::user_behind(before, rest).filter(|name| !COMMON_NAMES.contains(name)) {
            let stands_for = format!("user-{:08x}", self.hash(&("user", name)) & 0xffff_ffff);
            return Some((name.len(), Some(stands_for)));
        }
        let named = rest.as_bytes().first_chunk().and_then(|start| self.names.get(start));
        let named = named.into_iter().flatten().find(|(name, _)| {
            rest.strip_prefix(name.as_str())
                .is_some_and(|after| !after.chars().next().is_some_and(char::is_alphanumeric))
        });
        if let Some((name, stands_for)) = named {
            return Some((name.len(), Some(stands_for.clone())));
        }
        if let Some((length, found)) = form::at(before, rest) {
            return Some((length, Some(self.of_form(&found, &rest[length..]))));
        }
        None
    }

    fn of_form(&self, found: &form::Found, after: &str) -> String {
        use form::Found;
        match *found {
            Found::Address(address) => self.addresses.of(address, form::prefix_length(after)).to_string(),
            Found::Pairs(text) => self.hex_like(text, 2),
            Found::WorldWide(word) => {
                let mark = ["0x", "enx"].into_iter().find(|mark| word.starts_with(mark)).unwrap_or("");
                format!("{mark}{}", self.hex_like(&word[mark.len()..], 1))
            }
            Found::Uuid(text) => self.hex_like(text, 0),
            Found::Qualified(text) => {
                let kind = &text[..3];
                let number = self.hash(&("qualified", text)) & 0xffff_ffff;
                match kind {
                    "iqn" => format!("iqn.2000-01.anonymous:{number:08x}"),
                    "nqn" => format!("nqn.2000-01.anonymous:{number:08x}"),
                    _ => format!("nvme.{number:08x}"),
                }
            }
        }
    }

    /// Other digits at the same places, after the first few, which tell the kind. A name of 32 digits is the same
    /// with the 3 before it by which SCSI tools mark it.
    fn hex_like(&self, text: &str, kept: usize) -> String {
        let digits: String =
            text.chars().filter(char::is_ascii_hexdigit).collect::<String>().to_ascii_lowercase();
        let marked = digits.len() == 33 && digits.starts_with('3');
        let hashed = if marked { &digits[1..] } else { digits.as_str() };
        let kept = kept + usize::from(marked);
        let mut stream = (0_u32..).flat_map(|block| {
            let block = self.hash(&("digits", hashed, block));
            (0..16).map(move |at| char::from_digit((block >> (4 * at) & 15) as u32, 16).unwrap_or('0'))
        });
        let is_mac = digits.len() == 12 && kept == 2;
        let mut seen = 0;
        text.chars()
            .map(|c| {
                if !c.is_ascii_hexdigit() {
                    return c;
                }
                seen += 1;
                match seen {
                    // A locally administered address: no maker's.
                    1 if is_mac => '0',
                    2 if is_mac => '2',
                    at if at <= kept => c,
                    _ => stream.next().unwrap_or('0'),
                }
            })
            .collect()
    }
}

/// Users who are persons, of the host's own list.
fn users(root: &Root) -> BTreeSet<String> {
    let Ok((text, _)) = root.try_read("/etc/passwd", 1 << 20) else { return BTreeSet::new() };
    let user = |line: &str| {
        let fields: Vec<&str> = line.split(':').collect();
        let (name, uid, home) = (fields.first()?, fields.get(2)?.parse::<u32>().ok()?, fields.get(5)?);
        let is_person = (FIRST_UID..NOBODY).contains(&uid) || home.starts_with("/home/");
        is_person.then(|| (*name).to_owned())
    };
    text.lines().filter_map(user).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(hosts: &[&str], users: &[&str], serials: &[&str]) -> Pseudonyms {
        let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let names = Names { hosts: set(hosts), users: set(users), serials: set(serials) };
        Pseudonyms::with(&names, &BTreeSet::new(), &BTreeSet::from(["node1", "cache"]))
    }

    #[test]
    fn names_are_replaced_alike_within_one_capture() {
        let pseudonyms =
            of(&["dbhost01", "dbhost01.example.com", "vm", "node1", "db1"], &["alice"], &["S4EVNX0M1234"]);
        let text = pseudonyms
            .text("dbhost01 dbhost01.example.com:/x dbhost01-b:/y vm.swappiness db1_data node1/cpu0");
        for name in ["dbhost01", "example", "db1"] {
            assert!(!text.contains(name), "{name}: {text}");
        }
        assert!(text.contains(" vm.swappiness") && text.ends_with("node1/cpu0"), "{text}");
        assert_eq!(pseudonyms.text("dbhost01"), pseudonyms.text("dbhost01"));
        // A short name is replaced where it is alone, as in /etc/hostname.
        assert!(pseudonyms.content("vm\n").starts_with("host-"));
        assert!(pseudonyms.content("node1\n").starts_with("host-"));
        let text = pseudonyms
            .text("/home/alice/x /home/bob/y //s/x username=max,uid=1 ata-SAMSUNG_S4EVNX0M1234-part1 alices");
        for name in ["alice/", "bob", "max", "S4EVNX0M1234"] {
            assert!(!text.contains(name), "{name}: {text}");
        }
        assert!(text.contains("/home/user-") && text.ends_with("-part1 alices"), "{text}");
    }

    #[test]
    fn what_is_known_by_its_form_is_replaced() {
        let pseudonyms = of(&[], &[], &[]);
        for (text, gone) in [
            ("addr=192.168.7.9,clientaddr=10.1.2.3", "192.168.7.9"),
            ("10.1.2.3:3260,1", "10.1.2.3"),
            ("ip-10.1.2.3:3260-iscsi-iqn.2001-04.com.example:disk7-lun-1", "example"),
            ("[2001:db8::77]:3260", "db8::77"),
            ("fe80::ff:fe12:3456%eth0", "fe12:3456"),
            ("::ffff:10.1.2.3", "10.1.2.3"),
            ("Permanent HW addr: 52:54:00:12:34:56", "12:34:56"),
            ("enx525400123456", "525400123456"),
            ("0x5006016041e0a1b2", "41e0a1b2"),
            ("50:06:01:60:41:e0:a1:b2", "41:e0:a1:b2"),
            ("naa.600601601234567890abcdef12345678", "1234567890abcdef"),
            ("mpath-3600601601234567890abcdef12345678", "1234567890abcdef"),
            ("UUID=0fc63daf-8483-4772-8e79-3d69d8477de4", "8483-4772"),
            ("nqn.2014-08.org.nvmexpress:uuid:0fc63daf-8483", "0fc63daf"),
            ("nvme.8086-50484d42373432363030-494e54454c-00000001", "50484d42"),
        ] {
            let kept = pseudonyms.text(text);
            assert!(!kept.contains(gone), "{text}: {kept}");
            assert_eq!(pseudonyms.text(text), kept);
        }
        let naa = pseudonyms.text("naa.600601601234567890abcdef12345678");
        let mpath = pseudonyms.text("mpath-3600601601234567890abcdef12345678");
        assert_eq!(
            naa.strip_prefix("naa.").map(|wwn| format!("mpath-3{wwn}")),
            Some(mpath),
            "one disk stays one"
        );
    }

    #[test]
    fn a_serial_number_behind_a_length_that_is_a_letter_is_replaced() {
        let pseudonyms = of(&[], &[], &["S4EVNX0M1234"]);
        let page = pseudonyms.file("/sys/block/sda/device/vpd_pg80", "\0\u{80}\u{0}0  S4EVNX0M1234");
        assert_eq!(page, format!("\0\u{80}\u{0}0{}", pseudonyms.text("S4EVNX0M1234")));
    }

    #[test]
    fn what_tells_nothing_stays() {
        let pseudonyms = of(&["vm"], &[], &[]);
        for text in [
            "127.0.0.1:22 0.0.0.0 255.255.255.0 ::1 :: 224.0.0.251",
            "00:00:00:00:00:00 ff:ff:ff:ff:ff:ff",
            "0000:3b:00.0 0:0:0:5 253:12 11:01:52",
            "4.18.0-553.el8_10.x86_64",
            "cpu 18446744073709551615 1234567890123456 0",
            "/sys/devices/system/node/node0/meminfo",
            "é ü 中文",
        ] {
            assert_eq!(pseudonyms.text(text), text);
        }
    }
}
