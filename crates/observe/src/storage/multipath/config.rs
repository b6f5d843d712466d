//! `multipath.conf(5)`, and the settings in effect as `multipathd show config` prints them in the same form.

use crate::{Root, secrets};
use fullwire_model::Gap;
use fullwire_model::host::{MultipathConfig, MultipathDevice};
use std::collections::BTreeMap;

/// The daemon's own word first, the file last.
const IN_EFFECT: &[&str] =
    &["/sos_commands/multipath/multipathd_show_config", "/sos_commands/multipath/multipath_-t"];
const FILE: &str = "/etc/multipath.conf";
const DIRECTORY: &str = "/etc/multipath/conf.d";

/// Nesting of sections, and files of the directory.
const DEPTH_LIMIT: usize = 8;
const FILES_LIMIT: usize = 64;
const DEVICES_LIMIT: usize = 4096;
const MULTIPATHS_LIMIT: usize = 16_384;

/// Where distributions keep the initramfs of a kernel release: Red Hat and derivatives, Debian and derivatives, SUSE.
const IMAGES: &[&str] = &["/boot/initramfs-{}.img", "/boot/initrd.img-{}", "/boot/initrd-{}"];

/// sosreport's list of what the initramfs holds.
const IMAGE_LISTING: &str = "/sos_commands/boot/lsinitrd";

/// Reads the configuration; `None` where multipath was never set up.
pub(crate) fn read_config(root: &Root, release: &str, gaps: &mut Vec<Gap>) -> Option<Sections> {
    let mut sections = read_settings(root, gaps)?;
    sections.config.initramfs_differs = initramfs_differs(root, release);
    Some(sections)
}

/// All sections that set something for a map.
#[derive(Default)]
pub(crate) struct Sections {
    /// What a run keeps: defaults and overrides together, and the sections of products.
    pub(crate) config: MultipathConfig,
    pub(super) defaults: BTreeMap<String, String>,
    pub(super) overrides: BTreeMap<String, String>,
    /// Each `multipath` section, its `wwid` and `alias` among the settings.
    pub(super) multipaths: Vec<BTreeMap<String, String>>,
}

impl Sections {
    /// It holds multipath-tools' own sections of arrays too: what the daemon or `multipath -t` printed, not the file.
    pub(super) fn has_built_in(&self) -> bool {
        self.config.source != FILE
    }
}

/// The file was changed after the initramfs was made; in a sosreport: its copy there has another size.
fn initramfs_differs(root: &Root, release: &str) -> Option<bool> {
    if let Ok((listing, _)) = root.try_read(IMAGE_LISTING, 4 << 20) {
        let (own, _) = root.try_read(FILE, 1 << 20).ok()?;
        return copy_bytes(&listing).map(|copy| copy != own.len());
    }
    let image = IMAGES.iter().find_map(|image| root.modified_s(&image.replace("{}", release)))?;
    root.modified_s(FILE).map(|changed| changed > image)
}

/// The size of the copy in a listing as `ls -l` prints it.
fn copy_bytes(listing: &str) -> Option<usize> {
    let line = listing.lines().find(|line| line.trim_end().ends_with(" etc/multipath.conf"))?;
    line.split_whitespace().nth(4)?.parse().ok()
}

fn read_settings(root: &Root, gaps: &mut Vec<Gap>) -> Option<Sections> {
    for path in IN_EFFECT {
        if let Some(text) = root.read_optional(path, gaps).filter(|text| text.contains('{')) {
            let command = path.rsplit('/').next().unwrap_or(path).replace('_', " ");
            return Some(parse_sections(&text, command));
        }
    }
    let text = root.read_optional(FILE, gaps)?;
    let mut whole = text;
    for name in root.list(DIRECTORY).into_iter().filter(|name| is_conf(name)).take(FILES_LIMIT) {
        whole.push('\n');
        whole.extend(root.read_optional(&format!("{DIRECTORY}/{name}"), gaps));
    }
    Some(parse_sections(&whole, FILE.to_owned()))
}

/// The daemon reads these and no others.
fn is_conf(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|extension| extension == "conf")
}

/// Reads sections and their settings. Later settings win, those of `overrides` over all.
pub fn parse_config(text: &str) -> MultipathConfig {
    parse_sections(text, String::new()).config
}

pub(super) fn parse_sections(text: &str, source: String) -> Sections {
    let mut all = Sections::default();
    all.config.source = source;
    let mut sections: Vec<String> = Vec::new();
    for token in text.lines().flat_map(Tokens::of) {
        match token {
            Token::Open(name) => {
                let above = sections.last().map_or("", String::as_str);
                match (above, name.as_str()) {
                    ("devices", "device") if all.config.devices.len() < DEVICES_LIMIT => {
                        all.config.devices.push(MultipathDevice::default());
                    }
                    ("multipaths", "multipath") if all.multipaths.len() < MULTIPATHS_LIMIT => {
                        all.multipaths.push(BTreeMap::new());
                    }
                    _ => {}
                }
                if sections.len() < DEPTH_LIMIT {
                    sections.push(name);
                }
            }
            Token::Close => _ = sections.pop(),
            Token::Setting(key, value) => {
                match sections.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
                    ["defaults"] => _ = all.defaults.insert(key, value),
                    ["overrides"] => _ = all.overrides.insert(key, value),
                    ["devices", "device"] => device_setting(all.config.devices.last_mut(), key, value),
                    ["multipaths", "multipath"] => {
                        all.multipaths.last_mut().map(|own| own.insert(key, value));
                    }
                    _ => {} // blacklists, protocols: nothing that is judged
                }
            }
        }
    }
    all.config.settings.clone_from(&all.defaults);
    all.config.settings.extend(all.overrides.clone());
    all
}

fn device_setting(device: Option<&mut MultipathDevice>, key: String, value: String) {
    let Some(device) = device else { return };
    match key.as_str() {
        "vendor" => device.vendor = value,
        "product" => device.product = value,
        _ => _ = device.settings.insert(key, value),
    }
}

/// What a line contains.
enum Token {
    Open(String),
    Close,
    Setting(String, String),
}

/// A line is `name {`, `}`, `key value`, or several of them (`device { vendor "A" }`).
struct Tokens(Vec<String>);

impl Tokens {
    fn of(line: &str) -> Vec<Token> {
        let mut words = Self(words(line));
        let mut tokens = Vec::new();
        words.0.reverse();
        while let Some(word) = words.0.pop() {
            tokens.push(match word.as_str() {
                "}" => Token::Close,
                "{" => continue, // a section's brace on its own line: its name opened it
                _ => words.named(word),
            });
        }
        tokens
    }

    /// A section when a brace follows or nothing does, else a setting.
    fn named(&mut self, name: String) -> Token {
        match self.0.pop() {
            None => Token::Open(name),
            Some(next) if next == "{" => Token::Open(name),
            Some(value) => Token::Setting(name, secrets::text(&value).trim_matches('"').to_owned()),
        }
    }
}

/// Words and quoted strings up to a comment; braces are alone. A value runs to the end of its line, quoted or not.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() && !rest.starts_with(['#', '!']) {
        let end = match rest.chars().next() {
            Some('"') => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            Some('{' | '}') => 1,
            _ => rest.find([' ', '\t', '{', '}', '#']).unwrap_or(rest.len()).max(1),
        };
        words.push(rest[..end].to_owned());
        rest = rest[end..].trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_settings_and_overrides() {
        let text = "# comment\ndefaults {\n\tuser_friendly_names yes\n\tpath_selector \"service-time 0\" # why\n\tno_path_retry fail\n}\n\
                    devices {\n device {\n  vendor \"NETAPP\"\n  product \"LUN.*\"\n  no_path_retry queue\n }\n device { vendor \"IBM\" product \"2145\" }\n}\n\
                    blacklist {\n devnode \"^sd[a-z]\"\n}\noverrides {\n no_path_retry 24\n}\n";
        let config = parse_config(text);
        assert_eq!(config.settings["path_selector"], "service-time 0");
        assert_eq!(config.settings["no_path_retry"], "24");
        assert_eq!(config.settings.len(), 3);
        assert_eq!((config.devices.len(), config.devices[1].product.as_str()), (2, "2145"));
        assert_eq!(config.devices[0].settings["no_path_retry"], "queue");
    }

    #[test]
    fn the_copy_in_an_initramfs_is_found_by_its_line() {
        let listing = "drwxr-xr-x   1 root root 0 Jun 23 2020 etc\n\
                       -rw-r--r--   1 root     root          312 Jun 23  2020 etc/multipath.conf\n";
        assert_eq!(copy_bytes(listing), Some(312));
        assert_eq!(copy_bytes("-rw-r--r-- x"), None);
    }

    #[test]
    fn a_brace_on_its_own_line_and_braces_that_do_not_match() {
        let config = parse_config("defaults\n{\nfeatures 0\n}\n}\n}\n{ {\ndefaults {\nx \"open\n");
        assert_eq!(config.settings["features"], "0");
        assert_eq!(config.settings["x"], "open");
    }
}
