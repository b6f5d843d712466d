//! Words of lines: those that tell of trouble beside the words of every log, those of a state, and those that report nothing.

use crate::page::each;
use fullwire_model::host::words::Words;
use std::sync::LazyLock;

/// What tells of it with less certainty, beside the words of trouble of every log; in lower case.
const ALSO: &[&str] = &[
    "time out¦not respond¦expected less¦blocked¦waited¦medium¦exceed¦out of memory¦invalid¦must be",
    "was retried¦too long¦took¦bad device¦not supported¦could not¦cannot¦sense key¦not complete¦watchdog",
    "no space¦not scheduled¦split-brain¦not accessible¦not ready¦long time¦bad checksum¦limit reached¦no valid",
    "removed from¦not called¦pause detected¦waitwarn¦outdated¦deteriorat¦damaged¦expel¦duplicate address",
    "long cp¦dump error¦bad crc¦err_disabled¦is low¦out of space¦out-of-sync¦diverge¦not eligible¦not heard",
    "to recover¦thermal shutdown¦thermal event¦temperature threshold¦loss of¦exhaust¦not permitted",
];

pub(super) static ALSO_WORDS: LazyLock<Words> = LazyLock::new(|| Words::new(each(ALSO)));

/// What a line of a tool's output says of a state; other words of trouble name there what is counted or can be set. In lower
/// case.
const STATES: &[&str] = &[
    "fail¦degrad¦offlin¦faulty¦faulted¦dead¦lost¦corrupt¦missing¦unrecover¦uncorrect¦critical¦panic",
    "split-brain¦no space¦not respond¦timed out¦unclean¦stale¦inconsist¦refused¦denied¦cannot¦could not",
    "unable¦not accessible¦down¦suspect¦mismatch¦disconnect¦is full¦required¦learn¦no such¦rejecting",
];

pub(super) static STATE_WORDS: LazyLock<Words> = LazyLock::new(|| Words::new(each(STATES)));

/// Lines with such words that report nothing.
const HARMLESS: &[&str] = &[
    "command line¦% /snap/¦% /media/¦% /cdrom¦devfs ¦fdescfs¦map auto_¦/dev/sr¦dev fd¦dev sr¦private strand flush not complete",
    "linux-x86_64 error:¦linux-aarch64 error:¦shutdown timeout set¦audit¦ 0 errors¦no error¦errors=remount",
    "err= 0¦success¦acpi¦perf: interrupt took too long¦error handler¦enabling error¦link up¦pages scanned",
    "failover¦fail-over mac¦ default ¦default_ps¦(default¦default:¦default value¦defaulting¦registered¦aer enabled¦statement: ¦ratelimit¦, 0 failed",
    "failed transactions: 0¦ioping statistics¦statement latencies¦kthr ¦fault tolerance:¦spun down",
    "batterytype:¦max error:¦lost due to rate-limiting¦resetting mtu for link¦global data mtu changed",
    "subscription for node down event¦smart error log version¦error register",
    "algorithm¦event waited on¦[10^9 bytes]¦errors corrected by¦error information (nvme¦command_timeout",
    "waited  ---¦without error¦could not set session¦ncq send/recv log not supported¦relearn will start",
    "my-013129¦fake tx hang¦mei_me ¦postfix/¦kubelet[¦show full¦spare threshold¦battery information",
    "stats_reset¦link status definitely up¦as a backup interface with a down link¦log: shutting down",
    "log:  shutting down¦database system was shut down in recovery¦invalid record length at",
    "hrtimer: interrupt took¦smart usage attribute:¦smart prefailure attribute:",
    "closing because: client unexpected eof¦closing because: server idle timeout",
    "closing because: server lifetime¦statistics¦raw_read_error_rate¦seek_error_rate¦hung_task_timeout_secs",
    "link is not ready¦helper command:",
    // A unit that nobody started (systemctl(1), list-units).
    " inactive dead ",
    // A port without a drive.
    "sata link down (sstatus 0",
    // Optics (`ethtool -m`): flags that are not set, and where they would be.
    ": off¦alarm threshold¦warning threshold  ¦warning threshold :",
    // Of SAS: resets and parity of the link, which each disk counts.
    "non-medium error¦error counter log",
    // Counts of statements.
    "com_show_errors¦com_reset",
    // What strangers try on every host of the internet.
    "sshd[¦pam_unix¦authentication failure¦sendmail[¦[error] [client",
    // Columns of vmstat elsewhere.
    "faults       cpu",
    // Modes of a link that ethtool lists, and the one that is right.
    "baset/¦basekr¦basecr¦basesr¦duplex: full",
    // SCSI disks say at their start which cache they have.
    "asking for cache data failed",
    // What an adapter or a platform cannot do, each driver says when it starts.
    "can't handle smp requests¦drive cache: write through¦failed to bind enclosure",
    "failed to get diagnostic page¦failed to get udev uid¦failed to get sysfs uid¦failed to get sgio uid",
    "failed to get unknown uid",
    // The line after it says why.
    "cannot allocate new log",
    // NVMe counts each command that it refused.
    "error information log entries",
    // A node that somebody stopped.
    "was shut down by sysadmin¦received fast shutdown request¦due to administrator command",
    "aborting any active transactions",
    // A server that starts after a crash says that it puts itself right.
    "automatic recovery in progress",
    // What a client may rely on, not what happened.
    "sql mode",
    // Firmware without an error log, and CPUs whose clock the hypervisor keeps.
    "erst: ¦cpufreq: ",
];

/// Interfaces that a hypervisor or a container's network makes: no cable is in them, and their speed is made up.
const MADE: &[&str] = &[
    "br-", "cali", "docker", "lxdbr", "ovs-", "qg-", "qr-", "tap", "tun", "vboxnet", "veth", "virbr", "vnet",
];

/// What reports nothing, whatever other words are beside it.
pub(super) static HARMLESS_WORDS: LazyLock<Words> = LazyLock::new(|| {
    let made = MADE.iter().map(|name| format!("(of settings for {name}"));
    Words::new(each(HARMLESS).map(str::to_owned).chain(made))
});
