//! What an operating system refuses a server, by its words or its number: Linux with glibc or musl, the BSDs and macOS,
//! Windows.

use super::words::Words;
use std::sync::LazyLock;

/// One reason.
struct Refusal {
    /// The kind of line of a database that it makes.
    kind: &'static str,
    /// How systems call it, in the languages in which servers log.
    words: &'static [&'static str],
    /// The same words in anyone's line; else only a server's own count: tools and the kernel use them too.
    from_anyone: bool,
    /// Its numbers on Linux, the BSDs and macOS.
    unix: &'static [u32],
    /// Its numbers on Windows.
    windows: &'static [u32],
}

/// Sources: errno(3), Linux `asm-generic/errno.h`, glibc's `errlist.h` with its translations, musl `src/errno/__strerror.h`,
/// FreeBSD and macOS `sys/errno.h`, Microsoft `winerror.h`.
const REFUSALS: &[Refusal] = &[
    Refusal {
        kind: "disk-full",
        words: &[
            "o space left on device",
            "isk is full",
            "isk quota exceeded",
            "uota exceeded (",
            "not enough space on the disk",
            "kein Speicherplatz mehr",
            "Aucun espace disponible", // typos: as it is
            "No queda espacio",
            "Spazio esaurito",
            "Не осталось свободного места",
        ],
        from_anyone: true,
        // ENOSPC, EDQUOT of Linux and of the BSDs.
        unix: &[28, 122, 69],
        // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL, ERROR_DISK_QUOTA_EXCEEDED.
        windows: &[39, 112, 1295],
    },
    Refusal {
        kind: "open-files",
        words: &[
            "Too many open files",
            "out of file descriptors",
            "No file descriptors available",
            "Zu viele offene Dateien",
            "Trop de fichiers ouverts",
            "Demasiados archivos abiertos",
        ],
        from_anyone: true,
        // ENFILE, EMFILE.
        unix: &[23, 24],
        // ERROR_TOO_MANY_OPEN_FILES.
        windows: &[4],
    },
    Refusal {
        kind: "io-error",
        words: &[
            "Eingabe-/Ausgabefehler", "Erreur d'entrée/sortie", "Error de entrada/salida",
            "Errore di input/output",
        ],
        from_anyone: true,
        // EIO, ENXIO, ENODEV, EREMOTEIO.
        unix: &[5, 6, 19, 121],
        // NOT_READY, CRC, SEM_TIMEOUT, NO_SUCH_DEVICE, IO_DEVICE, DEVICE_NOT_CONNECTED; a share: BAD_NETPATH, UNEXP_NET_ERR,
        // NETNAME_DELETED.
        windows: &[21, 23, 53, 59, 64, 121, 433, 1117, 1167],
    },
    Refusal {
        kind: "io-error",
        words: &[
            "Input/output error",
            "I/O error",
            "I/O device error",
            "data error (cyclic redundancy check)",
        ],
        from_anyone: false,
        unix: &[],
        windows: &[],
    },
    Refusal {
        kind: "memory",
        words: &["Cannot allocate memory", "ut of memory", "nsufficient system resources exist"],
        from_anyone: false,
        // ENOMEM.
        unix: &[12],
        // NOT_ENOUGH_MEMORY, OUTOFMEMORY, NO_SYSTEM_RESOURCES, WORKING_SET_QUOTA, COMMITMENT_LIMIT.
        windows: &[8, 14, 1450, 1453, 1455],
    },
    Refusal {
        kind: "short-file",
        words: &["Reached the end of the file"],
        from_anyone: false,
        unix: &[],
        // HANDLE_EOF.
        windows: &[38],
    },
    Refusal {
        kind: "already-runs",
        words: &["being used by another process", "requested resource is in use"],
        from_anyone: false,
        unix: &[],
        // SHARING_VIOLATION, LOCK_VIOLATION, BUSY.
        windows: &[32, 33, 170],
    },
];

/// What stands before a number of errno.h.
const UNIX: [&str; 9] = [
    "Operating system error number ",
    "OS errno ",
    "errno: ",
    "errno = ",
    "errno ",
    "Errcode: ",
    "failed with error ",
    "WiredTiger (",
    "OS error: ",
];
/// What stands before a number of winerror.h: Oracle's OSD and PostgreSQL, SQL Server on any system.
const WINDOWS: [&str; 5] = [
    "O/S-Error: (OS ", "Operating system error ", "operating system error ", "system returned error ",
    "Windows error ",
];

/// What only a server writes.
const OF_SERVERS: [&str; 11] = [
    "could not ", "[ERROR]", "ERROR:  ", "FATAL:  ", "PANIC:  ", "WiredTiger", "O/S-Error",
    "Operating system error", "operating system error", "system returned error", "InnoDB",
];

/// Of most lines none of these is a part.
static MARKS: LazyLock<Words> = LazyLock::new(|| {
    let words = REFUSALS.iter().flat_map(|one| one.words);
    Words::new(words.chain(&UNIX).chain(&WINDOWS).chain([&OF_ORACLE]))
});

/// The kind of line of a database that what the system refused makes; `None`: the line tells of none that is known.
pub(super) fn refused(line: &str) -> Option<&'static str> {
    if !MARKS.is_any_in(line) {
        return None;
    }
    let is_servers = OF_SERVERS.iter().any(|mark| line.contains(mark)) || number_of_oracle(line).is_some();
    let says = |one: &&Refusal| {
        (one.from_anyone || is_servers) && one.words.iter().any(|words| line.contains(words))
    };
    let numbered = || {
        let windows = line.contains(":\\");
        let own = |marks: &[&str]| marks.iter().find_map(|mark| number(line, mark));
        let (of, number) = match own(&WINDOWS) {
            Some(number) => (true, number),
            None => (windows, own(&UNIX).or_else(|| number_of_oracle(line))?),
        };
        REFUSALS.iter().find(|one| if of { one.windows } else { one.unix }.contains(&number))
    };
    // A number is one thing; words may be of the line around it.
    numbered().or_else(|| REFUSALS.iter().find(says)).map(|one| one.kind)
}

/// `Linux-x86_64 Error: 28: No space left on device`, `IBM AIX RISC System/6000 Error: 28: ...`: what the system answered to
/// what Oracle reports in the line before.
pub fn is_of_oracle(line: &str) -> bool {
    !line.contains("ORA-") && (line.contains("O/S-Error: (OS ") || number_of_oracle(line).is_some())
}

/// What stands before a number that Oracle passes on.
const OF_ORACLE: &str = " Error: ";

fn number_of_oracle(line: &str) -> Option<u32> {
    let is_named = ["Linux-", "IBM AIX", "SVR4", "Solaris", "HPUX"].iter().any(|name| line.contains(name));
    number(line, OF_ORACLE).filter(|_| is_named)
}

/// The number right behind these words.
fn number(line: &str, behind: &str) -> Option<u32> {
    let (_, rest) = line.split_once(behind)?;
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same reason in the words and numbers of each system.
    #[test]
    fn one_reason_has_many_words_and_numbers() {
        for (kind, line) in [
            ("io-error", "PANIC:  could not fdatasync file \"00000001\": I/O error"),
            ("io-error", "FATAL:  could not read from file: Input/output error"),
            ("io-error", "[ERROR] InnoDB: Operating system error number 5 in a file operation."),
            ("io-error", "The operating system returned error 1117(x) to SQL Server during a read"),
            ("io-error", "ORA-27070: async read failed O/S-Error: (OS 23) x"),
            ("disk-full", "mysqld: Disk is full writing './b' (Errcode: 28)"),
            ("disk-full", "[ERROR] InnoDB: Operating system error number 112 in D:\\data\\ibdata1"),
            ("disk-full", "O/S-Error: (OS 112) There is no room"),
            ("disk-full", "WiredTiger (28) [7:8], file: write error"),
            ("disk-full", "[ERROR] x (Errcode: 122 \"Disk quota exceeded\")"),
            ("disk-full", "ORA-27072: File I/O error (Linux-x86_64 Error: 28: x)"),
            ("memory", "WiredTiger (12) [7:8], file: write error"),
            ("memory", "Operating system error 1453(x) on file"),
            ("short-file", "operating system error 38(Reached the end of the file.)"),
            ("already-runs", "operating system error 170(x)"),
            ("open-files", "accept: No file descriptors available"),
        ] {
            assert_eq!(refused(line), Some(kind), "{line}");
        }
        for line in [
            "blk_update_request: I/O error, dev sdq, sector 8",
            "Out of memory: Killed process 812 (x)",
            "EXT4-fs error (device sdq1): error 28",
            "see https://x/errno",
            "ORA-00028: your session has been killed",
        ] {
            assert_eq!(refused(line), None, "{line}");
        }
        assert!(is_of_oracle("Linux-x86_64 Error: 5: Input/output error"));
        assert!(!is_of_oracle("Linux version 6.1"));
    }
}
