//! What a command leaves behind: what tells that it took effect, and the files that it changes. Forms that many remedies
//! share are known here; a remedy with another form says it itself.

use super::condition::{no_first_word, no_line};
use super::sh;
use fullwire_model::assessment::{ShellCommand, Step};

/// A word of a command, or what joins words.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Operator(&'static str),
}

/// Fills in what the form of the step's command tells.
pub(super) fn fill(step: &mut Step) {
    let Some(run) = step.run.as_deref() else { return };
    let told = read_back(run);
    step.read_back = told.or_else(|| step.read_back.take());
    for file in edits(run).files {
        if !step.writes.contains(&file) {
            step.writes.push(file);
        }
    }
}

/// A command that succeeds once this one has taken effect.
pub fn read_back(run: &str) -> Option<ShellCommand> {
    let all = commands(run)?;
    // A look is made elsewhere: it would find nothing that is named from a folder.
    if all.iter().any(|command| words(command).first() == Some(&"cd")) {
        return None;
    }
    let told: Vec<ShellCommand> = all.iter().filter_map(|words| effect(words)).collect();
    Some(ShellCommand::joined(told, " && ")).filter(|told| !told.as_str().is_empty() && !told.is_refused())
}

/// What a command changes in files.
#[derive(Debug, Default)]
pub struct Edits {
    /// The files; with a slash at its end a directory in which a tool chooses them.
    pub files: Vec<String>,
    /// Lines that it writes.
    pub lines: Vec<String>,
    /// It does nothing else: whoever puts its files back need not run what takes it back.
    pub nothing_else: bool,
}

/// What a command changes in files, by its form.
pub fn edits(run: &str) -> Edits {
    let guarded = run.strip_prefix("test ! -f ").and_then(|rest| rest.split_once(" || "));
    let all = commands(guarded.map_or(run, |(_, edit)| edit)).unwrap_or_default();
    let files: Vec<Option<String>> = all.iter().map(|words| written(words)).collect();
    let is_edit = |file: &Option<String>| file.as_ref().is_some_and(|file| !file.ends_with('/'));
    let lines = all.iter().flat_map(|command| match &words(command)[..] {
        ["echo" | "printf", lines @ .., ">" | ">>", _] => lines.iter().map(|&line| line.to_owned()).collect(),
        _ => Vec::new(),
    });
    Edits {
        lines: lines.collect(),
        nothing_else: !files.is_empty() && files.iter().all(is_edit),
        files: files.into_iter().flatten().collect(),
    }
}

/// Programs of remedies whose work outlives a restart of the host, and sysctl, whose names mean the same thing after it: what
/// all others change now is in the kernel, under names that it gives again, or in a process.
const LASTING: [&str; 17] = [
    "dracut", "fstrim", "grubby", "initctl", "iscsiadm", "netplan", "nmcli", "sysctl", "tune2fs",
    "tuned-adm", "update-grub", "update-initramfs", "vmware-toolbox-cmd", "xfs_repair", "zfs", "zpool",
    "e2fsck",
];

/// What a command does is so after the next start of the host too, as far as its form tells.
pub fn lasts(run: &str) -> bool {
    let mut words = run.split(|c: char| !(c.is_ascii_alphanumeric() || "/._-".contains(c)));
    words.any(|word| LASTING.contains(&word) || word.starts_with("/etc/"))
}

/// What a command sets, where another one of its form would set it to another value.
pub fn setting(run: &str) -> Option<String> {
    let [command] = &commands(run)?[..] else { return None };
    let name = |assignment: &str| Some(assignment.split_once('=')?.0.to_owned());
    match words(command)[..] {
        ["sysctl", "-w", assignment] => name(assignment),
        ["echo" | "printf", .., ">", file] if is_of_kernel(file) => Some(file.to_owned()),
        ["ip", "link", "set", "dev", nic, "mtu", _] => Some(format!("mtu of {nic}")),
        ["ethtool", flag, nic, ..] => Some(format!("{flag} of {nic}")),
        ["iscsiadm", "-m", "node", "-T", target, "-o", "update", "-n", name, ..] => {
            Some(format!("{name} of {target}"))
        }
        ["zfs", "set", assignment, dataset] => Some(format!("{} of {dataset}", name(assignment)?)),
        ["systemctl", "enable" | "disable", unit] => Some(format!("{unit} at boot")),
        ["systemctl", "start" | "stop", unit] => Some(format!("{unit} now")),
        ["mount", "-o", options, _, point] if options.starts_with("remount,") => {
            Some(format!("options of {point}"))
        }
        _ => None,
    }
}

/// The interface that a command sets something of, by a name that the kernel forgets with it.
pub fn interface(run: &str) -> Option<String> {
    let [command] = &commands(run)?[..] else { return None };
    match words(command)[..] {
        ["tc", "qdisc" | "class", _, "dev", nic, ..]
        | ["ip", "link", "set", "dev", nic, ..]
        | ["ethtool", _, nic, ..] => Some(nic.to_owned()),
        _ => None,
    }
}

/// Where a command mounts something, or what it takes off: mount(8) and umount(8) follow whatever link is on the way. `None`: it
/// mounts what cannot be told from its text.
pub fn mount_points(run: &str) -> Option<Vec<String>> {
    let mut points = Vec::new();
    for part in tokens(run).split(|token| *token == END) {
        for command in part.split(|token| *token == AND) {
            match words(command)[..] {
                ["mount" | "umount", ..] if part.contains(&OTHER) => return None,
                ["mount" | "umount", .., point] => points.push(point.to_owned()),
                _ => {}
            }
        }
    }
    Some(points)
}

const AND: Token = Token::Operator("&&");
/// What ends a simple command in another way: a pipe, a semicolon, a group, the end of a line.
const END: Token = Token::Operator(";");
/// What only a shell can tell: a variable, a pattern, a quote that is not closed.
const OTHER: Token = Token::Operator("$");

/// The words of a command, without the quotes of `'` and the backslashes, and what joins or ends them.
fn tokens(run: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let mut word: Option<String> = None;
    let (mut quoted, mut escaped) = (false, false);
    let mut rest = run.chars().peekable();
    while let Some(c) = rest.next() {
        let plain = !quoted && !escaped;
        escaped = plain && c == '\\';
        let operator = match c {
            '\\' if escaped => continue,
            '\'' if quoted || plain => {
                quoted = !quoted;
                word.get_or_insert_default();
                continue;
            }
            c if !plain => {
                word.get_or_insert_default().push(c);
                continue;
            }
            '>' => Some(Token::Operator(if rest.next_if_eq(&'>').is_some() { ">>" } else { ">" })),
            '&' if rest.next_if_eq(&'&').is_some() => Some(AND),
            ';' | '|' | '\n' | '(' | ')' | '{' | '}' => Some(END),
            '&' | '$' | '`' | '"' | '*' | '?' | '<' | '~' | '#' => Some(OTHER),
            c if c.is_whitespace() => None,
            c => {
                word.get_or_insert_default().push(c);
                continue;
            }
        };
        all.extend(word.take().map(Token::Word));
        all.extend(operator);
    }
    all.extend(word.map(Token::Word));
    all.extend((quoted || escaped).then_some(OTHER));
    all
}

/// Simple commands that follow each other, `&&` between them; `None`: it is more than that.
fn commands(run: &str) -> Option<Vec<Vec<Token>>> {
    let tokens = tokens(run);
    let is_more = tokens.contains(&END) || tokens.contains(&OTHER);
    (!is_more).then(|| tokens.split(|token| *token == AND).map(<[Token]>::to_vec).collect())
}

fn word(token: &Token) -> &str {
    match token {
        Token::Word(word) => word,
        Token::Operator(operator) => operator,
    }
}

fn words(tokens: &[Token]) -> Vec<&str> {
    tokens.iter().map(word).collect()
}

/// A command that succeeds once this one has taken effect.
fn effect(tokens: &[Token]) -> Option<ShellCommand> {
    let read = match words(tokens)[..] {
        ["echo", value, ">", file] if is_of_kernel(file) => {
            return unlimited(value, file).or_else(|| shows(value, file));
        }
        ["printf", text, ">", file] => sh!("printf {} | cmp -s - {}", text, file),
        ["echo", line, ">" | ">>", file] => sh!("grep -qxF {} {}", line, file),
        ["rm", "-f", file] => sh!("test ! -e {}", file),
        ["sysctl", "-w", assignment] => {
            let (name, value) = assignment.split_once('=')?;
            sh!("test \"$(sysctl -n {} | tr '\\t' ' ')\" = {}", name, value)
        }
        ["ip", "link", "set", "dev", nic, "mtu", mtu] => {
            sh!("test \"$(cat /sys/class/net/{}/mtu)\" = {}", nic, mtu)
        }
        ["ip", "link", "set", "dev", nic, "up"] => sh!("ip -o link show dev {} up | grep -q .", nic),
        ["ip", "route", "del", prefix] => {
            sh!("shown=$(ip route show exact {}) && test -z \"$shown\"", prefix)
        }
        ["ip", family @ ("-4" | "-6"), "route", "del", prefix, ..] => {
            let family = if family == "-4" { sh!("-4") } else { sh!("-6") };
            sh!("shown=$(ip {} route show exact {}) && test -z \"$shown\"", family, prefix)
        }
        // Statuses of what is disabled, and of what is inactive (systemctl(1)): one that is not there is neither.
        ["systemctl", "enable", unit] => sh!("systemctl is-enabled -q {}", unit),
        ["systemctl", "disable", unit] => sh!("systemctl is-enabled -q {}; test $? = 1", unit),
        ["systemctl", "start", unit] => sh!("systemctl is-active -q {}", unit),
        ["systemctl", "stop", unit] => sh!("systemctl is-active -q {}; test $? = 3", unit),
        ["modprobe", module] => sh!("test -d /sys/module/{}", module),
        ["zfs", "set", assignment, dataset] => {
            let (name, value) = assignment.split_once('=')?;
            sh!("test \"$(zfs get -Hp -o value {} {})\" = {}", name, dataset, in_bytes(value))
        }
        ["netplan", "set", assignment] => {
            let (path, value) = assignment.split_once('=')?;
            let wanted = if value == "NULL" { "null" } else { value };
            sh!("netplan get {} | grep -qxF {}", path, wanted)
        }
        ["tuned-adm", "profile", name] => sh!("tuned-adm active | grep -qwF {}", name),
        ["tc", "qdisc", "replace", "dev", nic, "root", ref queue @ ..] => {
            sh!("tc qdisc show dev {} | grep -qE {}", nic, format!("^qdisc {} [^ ]+ root", kind_of(queue)?))
        }
        ["tc", "qdisc", "replace", "dev", nic, "parent", parent, ref queue @ ..] => {
            let kind = kind_of(queue)?;
            sh!("tc qdisc show dev {} | grep -qE {}", nic, format!("^qdisc {kind} .*parent {parent}( |$)"))
        }
        // What the kernel puts in its place has the handle 0.
        ["tc", "qdisc", "del", "dev", nic, "root"] => {
            sh!("tc qdisc show dev {} | grep -qE '^qdisc [^ ]+ 0: root'", nic)
        }
        ["tc", "qdisc", "del", "dev", nic, "parent", parent] => {
            let pattern = format!("^qdisc [^ ]+ [1-9a-f][^ ]*: parent {parent} ");
            no_line(&sh!("tc qdisc show dev {}", nic), &pattern)
        }
        ["iscsiadm", "-m", "node", "-T", target, "-o", "update", "-n", name, "-v", value] => {
            sh!("iscsiadm -m node -T {} | grep -qxF {}", target, format!("{name} = {value}"))
        }
        // `tcp: [1] 10.0.0.1:3260,1 iqn.2001-05.com.x:y`: a target has a session for each portal.
        ["iscsiadm", "-m", "node", "-T", target, "-p", portal, "--login"] => {
            sh!("iscsiadm -m session | grep -F {} | grep -qwF {}", format!(" {portal},"), target)
        }
        ["iscsiadm", "-m", "node", "-T", target, "--login"] => {
            sh!("iscsiadm -m session | grep -qwF {}", target)
        }
        ["dmsetup", "resume", map] => {
            sh!("dmsetup info -c --noheadings -o suspended {} | grep -qx Active", map)
        }
        ["tune2fs", "-e", "remount-ro", device] => {
            sh!("tune2fs -l {} | grep -q '^Errors behavior:.*Remount read-only'", device)
        }
        ["blockdev", "--setrw", device] => sh!("test \"$(blockdev --getro {})\" = 0", device),
        ["multipath", "-f", map] => no_first_word(&"dmsetup ls".into(), map),
        ["vmware-toolbox-cmd", "timesync", "disable"] => {
            sh!("vmware-toolbox-cmd timesync status | grep -qi disabled")
        }
        ["umount", point] => sh!("findmnt -n -M {} > /dev/null; test $? = 1", point),
        ["mount", point] => sh!("mountpoint -q {}", point),
        ["mount", "-o", options, ref place @ ..] if !place.is_empty() => {
            let point = place.last()?;
            let (remount, options): (Vec<&str>, Vec<&str>) =
                options.split(',').partition(|option| *option == "remount");
            let each: Vec<_> = options.iter().map(|option| mounted_with(option, point)).collect();
            // What it had before holds whether it is remounted or not: all of it is read back, or nothing.
            if !remount.is_empty() && each.contains(&None) {
                return None;
            }
            let mounted = (place.len() == 1).then(|| sh!("mountpoint -q {}", point));
            let all: Vec<ShellCommand> = mounted.into_iter().chain(each.into_iter().flatten()).collect();
            return (!all.is_empty()).then(|| ShellCommand::joined(all, " && "));
        }
        ["ethtool", flag, nic, ref settings @ ..] => return by_ethtool(flag, nic, settings),
        ["chmod", mode, path] if mode.bytes().all(|byte| byte.is_ascii_digit()) => {
            sh!("test \"$(stat -c %a {})\" = {}", path, mode.trim_start_matches('0'))
        }
        _ => return None,
    };
    Some(read)
}

/// What follows the place of a queueing discipline: a handle, if it has one, its kind, and the kind's own words (tc(8)).
fn kind_of<'a>(queue: &[&'a str]) -> Option<&'a str> {
    match queue {
        ["handle", _, kind, ..] | [kind, ..] => Some(kind),
        [] => None,
    }
}

/// `16K` as `zfs get -p` shows it.
fn in_bytes(value: &str) -> String {
    let shifts = [('K', 10), ('M', 20), ('G', 30)];
    let parsed = shifts
        .iter()
        .find_map(|(unit, shift)| Some(value.strip_suffix(*unit)?.parse::<u64>().ok()? << shift));
    parsed.map_or_else(|| value.to_owned(), |bytes| bytes.to_string())
}

fn is_of_kernel(file: &str) -> bool {
    ["/sys/", "/proc/"].iter().any(|place| file.starts_with(place))
}

/// The kernel shows the value as it was written, as the first of more words (`layer3+4 1`), or in brackets among the
/// others (`[none] mq-deadline`). What it shows in another form is not known here: masks, limits of a device.
fn shows(value: &str, file: &str) -> Option<ShellCommand> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+.".contains(c);
    let as_written = value.chars().all(plain) && !value.is_empty() && !file.ends_with("_cpus");
    let triggers = ["issue_lip", "scan", "delete", "rescan"].iter().any(|name| file.ends_with(name));
    if !as_written || triggers {
        return None;
    }
    let pattern = value.replace('.', "\\.").replace('+', "\\+");
    Some(sh!("grep -qE {} {}", format!("^{pattern}( |$)|\\[{pattern}\\]"), file))
}

/// A limit of io.max that is lifted (`8:0 rbps=max`): the kernel leaves out what has none (cgroup-v2.rst).
fn unlimited(value: &str, file: &str) -> Option<ShellCommand> {
    let (device, word) = value.strip_suffix("=max")?.split_once(' ')?;
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == ':');
    let known = plain(device) && plain(word);
    known.then(|| sh!("grep -qE {} {}; test $? = 1", format!("^{device} .*{word}=[0-9]"), file))
}

/// Of opposites the kernel lists only the one that is not usual (`proc_pid_mounts(5)`).
fn mounted_with(option: &str, point: &str) -> Option<ShellCommand> {
    let options = sh!("findmnt -n -o OPTIONS {} | tr , '\\n'", point);
    let listed = |option: &str| sh!("{} | grep -qxF {}", options, option);
    let absent = |option: &str| no_line(&options, &format!("^{option}$"));
    match option {
        "rw" | "ro" | "nosuid" | "nodev" | "noexec" | "nosymfollow" | "noatime" | "relatime"
        | "nodiratime" | "lazytime" | "discard" | "sync" | "dirsync" | "mand" => Some(listed(option)),
        _ if option.starts_with("size=") => {
            Some(sh!("findmnt -n -b -o SIZE -M {} | grep -qwF {}", point, in_bytes(&option[5..])))
        }
        "strictatime" => Some(no_line(&options, "^(noatime|relatime)$")),
        "nodiscard" => Some(absent("discard")),
        "async" => Some(absent("sync")),
        "barrier" => Some(absent("nobarrier")),
        "barrier=1" => Some(absent("barrier=0")),
        "ac" => Some(absent("noac")),
        "hard" | "soft" | "tcp" => Some(listed(if option == "tcp" { "proto=tcp" } else { option })),
        // nfs(5): other mounts of a server decide as well. Not rsize and wsize: the server's own limit lowers them.
        _ if ["vers=", "nconnect=", "sec=", "proto=", "timeo=", "retrans=", "acregmin=", "acdirmin="]
            .iter()
            .any(|name| option.starts_with(name)) =>
        {
            Some(listed(option))
        }
        _ => None,
    }
}

/// What `ethtool` shows of what it set.
fn by_ethtool(flag: &str, nic: &str, settings: &[&str]) -> Option<ShellCommand> {
    // Speed and duplex are not shown until the link is back.
    if let ("-s", [.., "autoneg", switch]) = (flag, settings) {
        return Some(sh!("ethtool {} | grep -qE {}", nic, format!("Auto-negotiation: {switch}")));
    }
    let pairs: Vec<(&str, &str)> = settings.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    if pairs.is_empty() || !settings.len().is_multiple_of(2) {
        return None;
    }
    let each = pairs.into_iter().map(|(name, value)| {
        let name = name.to_ascii_lowercase();
        let line = |name: &str| format!("^{name}:[[:space:]]+{value}( |$)");
        Some(match flag {
            // The maxima stand before the values in use.
            "-G" => sh!("ethtool -g {} | sed '1,/^Current/d' | grep -qiE {}", nic, line(&name)),
            "-L" => sh!("ethtool -l {} | sed '1,/^Current/d' | grep -qiE {}", nic, line(&name)),
            // `Adaptive RX: on  TX: off`
            "-C" if name.starts_with("adaptive-") => {
                sh!("ethtool -c {} | grep -qiE {}", nic, format!("^Adaptive .*{}: +{value}( |$)", &name[9..]))
            }
            "-C" => sh!("ethtool -c {} | grep -qiE {}", nic, line(&name)),
            "-A" => sh!("ethtool -a {} | grep -qiE {}", nic, line(&name)),
            // `off [requested on]` is neither: the driver turns it on once what it depends on is on (ethtool(8)).
            "-K" => {
                let line = format!("^{}:[[:space:]]+{value}( \\[fixed\\])?$", feature(&name)?);
                sh!("ethtool -k {} | grep -qE {}", nic, line)
            }
            _ => return None,
        })
    });
    Some(ShellCommand::joined(each.collect::<Option<Vec<_>>>()?, " && "))
}

/// The long name of an offload (ethtool(8), `-K`).
fn feature(short: &str) -> Option<&'static str> {
    Some(match short {
        "rx" => "rx-checksumming",
        "tx" => "tx-checksumming",
        "sg" => "scatter-gather",
        "tso" => "tcp-segmentation-offload",
        "gso" => "generic-segmentation-offload",
        "gro" => "generic-receive-offload",
        "lro" => "large-receive-offload",
        _ => return None,
    })
}

/// The file that a command changes, other than those of the kernel; a directory where the tool chooses the file.
fn written(tokens: &[Token]) -> Option<String> {
    let file = match words(tokens)[..] {
        ["echo" | "printf", .., ">" | ">>", file]
        | ["rm", "-f", file]
        | ["touch", file]
        | ["sed", "-i", .., file] => file,
        ["netplan", "set", _] => "/etc/netplan/",
        _ => return None,
    };
    (file.starts_with("/etc/") && !file.contains("/../")).then(|| file.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fullwire_model::assessment::{Phase, quote};

    fn step(run: ShellCommand) -> Step {
        let mut step = Step { run: Some(run), ..Step::by_hand(Phase::Now, "") };
        fill(&mut step);
        step
    }

    #[test]
    fn mount_points_are_found_between_all_operators() {
        let undo = "findmnt -n -M '/d;a' > /dev/null; test $? = 1 || umount '/d;a' && mount -t ext4 -o ro /dev/sdb '/d;a'";
        assert_eq!(mount_points(undo).unwrap(), ["/d;a", "/d;a"]);
        assert_eq!(mount_points(r"umount /it\'s | cat").unwrap(), [r"/it's"]);
        assert_eq!(mount_points("echo \"$x\" > /sys/x; sync").unwrap(), Vec::<String>::new());
        assert_eq!(mount_points("sync; umount \"$point\""), None);
        assert_eq!(mount_points("sync\numount /d").unwrap(), ["/d"]);
        assert!(edits("echo a > /etc/a\nreboot").files.is_empty(), "it is more than a file");
    }

    fn read_back(run: ShellCommand) -> String {
        step(run).read_back.map_or_else(String::new, |read| read.to_string())
    }

    #[test]
    fn each_form_has_its_own_look() {
        assert_eq!(
            read_back(sh!("echo {} > /sys/block/sda/queue/scheduler", "none")),
            "grep -qE '^none( |$)|\\[none\\]' /sys/block/sda/queue/scheduler"
        );
        assert_eq!(
            read_back(sh!("ip link set dev {} mtu {}", "bond0.100", 9000)),
            "test \"$(cat /sys/class/net/bond0.100/mtu)\" = 9000"
        );
        assert_eq!(
            read_back(sh!("ethtool -G {} rx 4096", "eth0")),
            "ethtool -g eth0 | sed '1,/^Current/d' | grep -qiE '^rx:[[:space:]]+4096( |$)'"
        );
        assert_eq!(
            read_back(sh!("mount -o {} {} {}", "remount,rw,noatime", "/dev/sdb", "/u 1")),
            "findmnt -n -o OPTIONS '/u 1' | tr , '\\n' | grep -qxF rw && \
             findmnt -n -o OPTIONS '/u 1' | tr , '\\n' | grep -qxF noatime"
        );
    }

    /// What a remount says again was so before: it tells nothing of what is new.
    #[test]
    fn a_remount_is_read_back_whole_or_not_at_all() {
        let back = read_back(sh!("mount -o {} {} {}", "remount,rw,strictatime", "/dev/sdb", "/u01"));
        let holds = |shown: &str| {
            let whole = format!("findmnt() {{ echo '{shown}'; }}; {back}");
            std::process::Command::new("sh").args(["-c", &whole]).status().expect("sh").success()
        };
        assert!(holds("rw,nosuid") && !holds("rw,noatime") && !holds("rw,relatime"), "{back}");
        let size = sh!("mount -o {} {} {}", "remount,rw,nosuid,size=8G", "tmpfs", "/dev/shm");
        assert!(read_back(size).ends_with("findmnt -n -b -o SIZE -M /dev/shm | grep -qwF 8589934592"));
        assert_eq!(read_back(sh!("mount -o {} {} {}", "remount,rw,x=1", "a", "/b")), "");
    }

    /// Two undo commands of remedies, and what a second one of them finds.
    #[test]
    fn what_is_deleted_is_seen_to_be_gone() {
        let shown = |look: &str, shown: &str| {
            let whole = format!("tc() {{ printf '{shown}'; }}; {look}");
            std::process::Command::new("sh").args(["-c", &whole]).status().expect("sh").success()
        };
        let root = read_back(sh!("tc qdisc del dev {} root", "eth0"));
        assert!(shown(&root, "qdisc mq 0: root\\nqdisc fq_codel 0: parent :1 limit 10240p\\n"));
        assert!(
            !shown(&root, "qdisc fq 8003: root refcnt 2\\nqdisc x 0: parent 8003:\\n") && !shown(&root, "")
        );
        // What a kind is given beside its name is not its name: a shaper that was put back is seen to be back.
        let shaper = sh!(
            "tc qdisc replace dev {} root tbf rate 100000000bit burst 65536b limit {}b",
            "eth0",
            1_048_576
        );
        let shaper = read_back(shaper);
        assert!(
            shown(&shaper, "qdisc tbf 83a4: root refcnt 3 rate 100Mbit burst 64Kb lat 78.6ms\\n"),
            "{shaper}"
        );
        assert!(!shown(&shaper, "qdisc fq 8003: root refcnt 2\\n"), "{shaper}");
        let offload = read_back(sh!("ethtool -K {} gso off", "eth0"));
        let offload = |end: &str| {
            let whole = format!("ethtool() {{ echo 'generic-segmentation-offload: off{end}'; }}; {offload}");
            std::process::Command::new("sh").args(["-c", &whole]).status().expect("sh").success()
        };
        assert!(offload("") && offload(" [fixed]") && !offload(" [requested on]"));
        let numbered =
            read_back(sh!("tc qdisc replace dev {} root handle {} pfifo limit {}", "eth0", "3:", 20));
        assert!(shown(&numbered, "qdisc pfifo 3: root refcnt 2 limit 20p\\n"), "{numbered}");
        let leaf = read_back(sh!("tc qdisc replace dev {} parent {} pfifo limit {}", "eth0", "1:1", 9));
        assert!(shown(&leaf, "qdisc pfifo 10: parent 1:1 limit 9p\\n"), "{leaf}");
        assert!(!shown(&leaf, "qdisc fq_codel 10: parent 1:1 limit 9p\\n"), "{leaf}");
        let leaf = read_back(sh!("tc qdisc del dev {} parent {}", "eth0", "1:1"));
        assert!(
            shown(&leaf, "qdisc tbf 1: root\\nqdisc pfifo 0: parent 1:1 limit 9p\\n") && !shown(&leaf, "")
        );
        assert!(!shown(&leaf, "qdisc tbf 1: root\\nqdisc netem 10: parent 1:1 limit 9\\n"));
        let unit = |run: &str| (setting(run), super::read_back(run).map(|look| look.to_string()));
        let (enabled, disabled) =
            (unit("systemctl enable fstrim.timer"), unit("systemctl disable fstrim.timer"));
        assert!(enabled.0 == disabled.0 && enabled.0.is_some() && enabled.1 != disabled.1);
    }

    /// A look that cannot succeed would have a good change taken back.
    #[test]
    fn what_the_kernel_shows_otherwise_is_not_read_back() {
        for run in [
            sh!("echo {} > /sys/class/net/eth0/queues/rx-0/rps_cpus", "ff"),
            sh!("echo 1 > /sys/class/fc_host/host1/issue_lip"),
            sh!("for f in /sys/a/*; do echo 1 > $f; done"),
            sh!("ethtool -s {} speed 1000", "eth0"),
        ] {
            assert_eq!(read_back(run), "");
        }
    }

    #[test]
    fn files_below_etc_are_kept_before() {
        let file = "/etc/sysctl.d/99-z-fullwire.conf";
        let kept =
            step(sh!("touch {} && sed -i {} {} && echo {} >> {}", file, "\\|^a[ =]|d", file, "a = 1", file));
        assert_eq!(kept.writes, [file]);
        assert_eq!(kept.read_back.as_deref(), Some(format!("grep -qxF {} {file}", quote("a = 1")).as_str()));
        assert_eq!(step(sh!("netplan set {}", "ethernets.eth0.mtu=9000")).writes, ["/etc/netplan/"]);
        assert!(step(sh!("echo 1 > /sys/block/sda/queue/nomerges")).writes.is_empty());
    }

    /// The looks are what a shell takes, on real files.
    #[test]
    fn a_value_is_found_as_the_kernel_shows_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let holds = |shown: &str, value: &str| {
            let file = folder.path().join("value");
            std::fs::write(&file, shown).expect("a file");
            let look = shows(value, "/sys/value")
                .expect("a look")
                .replace("/sys/value", file.to_str().expect("a path"));
            std::process::Command::new("sh").args(["-c", &look]).status().expect("sh").success()
        };
        assert!(
            holds("4096\n", "4096")
                && holds("layer3+4 1\n", "layer3+4")
                && holds("none [mq-deadline]\n", "mq-deadline")
        );
        assert!(
            !holds("409\n", "4096")
                && !holds("layer2+3 2\n", "layer2")
                && !holds("[none] mq-deadline\n", "mq-deadline")
        );
        assert!(holds("max 100000\n", "max"));
    }
}
