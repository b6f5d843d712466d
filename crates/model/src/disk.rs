//! The storage probe: what is asked and what comes out.

pub mod array;

use crate::latency::Latency;
use crate::quantity::block_label;
use crate::{Gap, GapReason, ProbeId};
use fullwire_record::record;
use serde::{Deserialize, Serialize};

/// What an I/O does.
#[record(Default, Hash)]
pub enum Operation {
    /// Reads.
    #[default]
    Read,
    /// Writes.
    Write,
    /// Both.
    Mixed,
    /// Reads a block and overwrites another with it, in turn, as dd and cp do: half of the bytes each way.
    Copy,
}

/// Where the next I/O goes.
#[record(Default, Hash)]
pub enum Pattern {
    /// One after the other.
    #[default]
    Sequential,
    /// Anywhere.
    Random,
    /// Another tool's output does not say.
    Unknown,
}

impl Pattern {
    /// `random read`; where the order is not known, `read`.
    pub fn of(self, operation: &str) -> String {
        match self {
            Self::Sequential => format!("sequential {operation}"),
            Self::Random => format!("random {operation}"),
            Self::Unknown => operation.to_owned(),
        }
    }
}

/// System calls to use do the I/O.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// `io_uring` where the kernel gives it, else plain calls.
    #[default]
    Auto,
    /// Submission and completion rings.
    IoUring,
    /// One pread or pwrite per I/O.
    Plain,
}

/// How a write is made durable.
#[record(Default, Hash)]
pub enum Sync {
    /// Not at all.
    #[default]
    None,
    /// `O_DSYNC`.
    Dsync,
    /// `O_SYNC`.
    Osync,
    /// `fdatasync` after each write.
    Fdatasync,
    /// `fsync` after each write.
    Fsync,
}

/// When I/Os of an open loop arrive.
#[record(Default)]
pub enum Arrivals {
    /// Independent of each other, as from many users.
    #[default]
    Poisson,
    /// Evenly spaced.
    Constant,
}

/// One measurement of a plan.
#[record]
pub struct DiskStep {
    /// Number of the probe in the run; steps that run at the same time have the same.
    #[serde(skip_serializing_if = "ProbeId::is_none")]
    pub probe: ProbeId,
    /// The profile it belongs to (`ora-lgwr`), or `custom`.
    pub profile: String,
    /// What an I/O does.
    pub operation: Operation,
    /// Share of reads in a mixed step, 0 to 1.
    pub read_share: f64,
    /// Where I/Os go.
    pub pattern: Pattern,
    /// Bytes of one I/O.
    pub block_bytes: u64,
    /// I/Os in flight per thread.
    pub queue_depth: u32,
    /// Threads.
    pub threads: u32,
    /// System calls to use.
    pub engine: Engine,
    /// `O_DIRECT`.
    pub direct: bool,
    /// How writes are made durable.
    pub sync: Sync,
    /// Ends after this time, ns; 0: by bytes.
    pub duration_ns: u64,
    /// Ends after this many bytes; 0: by time.
    pub duration_bytes: u64,
    /// Arrivals per second, latency from the intended start; 0: closed loop.
    pub rate_per_s: f64,
    /// Bytes of the target that are used; 0: all.
    pub working_set_bytes: u64,
    /// Length of an interval in the result, ns.
    pub interval_ns: u64,
    /// Repeated this often.
    pub repeats: u32,
    /// How an open loop's I/Os arrive.
    pub arrivals: Arrivals,
    /// Runs at the same time as the next step.
    pub with_next: bool,
    /// One flush after this many writes of a thread; 0 or 1: after each.
    pub flush_every: u32,
    /// Starts the write-back of each buffered write immediately, as PostgreSQL's checkpointer does (plain engine).
    pub start_writeback: bool,
}

/// A storage probe to be made.
#[record]
pub struct DiskPlan {
    /// Directory, file or block device, as the user wrote it.
    pub target: String,
    /// In this order.
    pub steps: Vec<DiskStep>,
    /// Size of the private file; 0: chosen.
    pub size_bytes: u64,
    /// Writes at most this, layout included; 0: no limit.
    pub max_bytes: u64,
    /// The identity that the user typed to allow the destruction of a device's content.
    pub destroy: Option<String>,
    /// Laying the file out ends after this time, ns, and the working set is what was written by then; 0: no limit.
    pub layout_limit_ns: u64,
    /// Length of the span without load in which other processes' I/O is seen, ns; 0: not looked at.
    pub idle_ns: u64,
    /// What the steps sweep over (`block`, `depth`, `threads`, `working-set`); empty: no sweep.
    pub sweep: Vec<String>,
    /// Small-file tests, a directory only.
    pub small_files: Vec<SmallFilesPlan>,
    /// bonnie++'s table, a directory only: bytes of its file; 0: none.
    pub bonnie_bytes: u64,
    /// Small files of bonnie++'s table; 0: as many as bonnie++ makes.
    pub bonnie_files: u64,
}

/// Files to be created, looked at and deleted.
#[record(Eq, Hash)]
pub struct SmallFilesPlan {
    /// In the order of creation, or at random.
    pub pattern: Pattern,
    /// How many.
    pub files: u64,
    /// Bytes of the smallest.
    pub min_bytes: u64,
    /// Bytes of the largest.
    pub max_bytes: u64,
    /// Threads, each with its own files.
    pub threads: u32,
}

impl SmallFilesPlan {
    /// `small files sequential`, `small files random 8 threads`.
    pub fn label(&self) -> String {
        let order = if self.pattern == Pattern::Random { "random" } else { "sequential" };
        let size = match (self.min_bytes, self.max_bytes) {
            (_, 0) => " empty".to_owned(),
            (min, max) if min == max => format!(" {}", block_label(max)),
            (min, max) => format!(" {} to {}", block_label(min), block_label(max)),
        };
        let threads = if self.threads > 1 { format!(" {} threads", self.threads) } else { String::new() };
        format!("small files {order}{size}{threads}")
    }
}

/// What came out of a storage probe (`fullwire.disk/1` without the judgement).
#[record]
pub struct DiskResult {
    /// As the user wrote it.
    pub target: String,
    /// The tool and the file that it was imported from (`fio, night.json`); empty: measured here.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub imported_from: String,
    /// `directory`, `file` or `device`.
    pub target_kind: String,
    /// Type of the file system that holds it (`ext4`, `nfs4`); empty for a device.
    pub file_system: String,
    /// Where it is mounted.
    pub mount_point: String,
    /// The block device under it (`dm-3`), as `MAJOR:MINOR` and kernel name; empty for NFS and tmpfs.
    pub device: String,
    /// `MAJOR:MINOR` of that device.
    pub device_number: String,
    /// Each measurement.
    pub steps: Vec<DiskStepResult>,
    /// What a sweep found.
    pub sweep: Option<Sweep>,
    /// Bytes written to create the file.
    pub layout_bytes: u64,
    /// Time that took, s.
    pub layout_s: f64,
    /// What the generator does against a null target, I/Os per second on one thread.
    pub generator_io_per_s: Option<f64>,
    /// What must be said before a number is believed: caches, copy-on-write, no direct I/O.
    pub caveats: Vec<Caveat>,
    /// Bytes of the target that were used: of the private file, or the file or device that was read.
    pub working_set_bytes: u64,
    /// Steps that were not measured, and why.
    pub gaps: Vec<Gap>,
    /// Small-file tests.
    pub small_files: Vec<SmallFilesResult>,
    /// bonnie++'s table.
    pub bonnie: Option<Bonnie>,
    /// Calls that the device or server failed, as the probe met them.
    pub io_errors: Vec<String>,
    /// The kernel function in which a call that did not return still sleeps (`rpc_wait_bit_killable`); empty: all returned, or the kernel does not show it.
    pub wait_channel: String,
    /// NFS over TCP: the shortest of a few handshakes with the server's port, ns. Its kernel answers them without any
    /// disk, so this is the distance alone.
    pub server_rtt_ns: Option<u64>,
}

impl DiskResult {
    /// The call that did not return, as noted by the probe; `None`: every call did.
    pub fn unanswered(&self) -> Option<&Gap> {
        self.gaps.iter().find(|gap| gap.reason == GapReason::Timeout)
    }
}

/// Something that was done many times, and how fast.
#[record]
pub struct Timed {
    /// How often; bytes, where the thing is a byte.
    pub count: u64,
    /// Time it took, s.
    pub seconds: f64,
    /// A second; `None`: below half a second, which bonnie++ rightly calls too short to say.
    pub per_s: Option<f64>,
    /// CPU time over the time it took; above 1 with several threads.
    pub cpu_share: Option<f64>,
    /// The longest single call, ns.
    pub latency_max_ns: u64,
}

/// Small files created, looked at and deleted.
#[record]
pub struct SmallFilesResult {
    /// What was requested.
    pub plan: SmallFilesPlan,
    /// Files created.
    pub create: Timed,
    /// Files read: stat, and read if they are not empty.
    pub read: Timed,
    /// Files deleted.
    pub delete: Timed,
}

/// bonnie++'s table: buffered I/O on one file of twice the memory, in KiB per second.
#[record]
pub struct Bonnie {
    /// Name of the host.
    pub machine: String,
    /// Bytes of the file.
    pub size_bytes: u64,
    /// Bytes of memory; below half the file, the page cache answers.
    pub memory_bytes: u64,
    /// Written byte by byte.
    pub output_char: Timed,
    /// Written in blocks.
    pub output_block: Timed,
    /// Read, changed and written back in blocks.
    pub rewrite: Timed,
    /// Read byte by byte.
    pub input_char: Timed,
    /// Read in blocks.
    pub input_block: Timed,
    /// Random seeks by several processes, each with a read, one in ten with a write.
    pub seeks: Timed,
    /// Files in order.
    pub sequential: SmallFilesResult,
    /// Files at random.
    pub random: SmallFilesResult,
}

/// One measurement's outcome.
#[record]
pub struct DiskStepResult {
    /// Number of the probe in the run: the windows around it carry the same. Steps that ran at the same time are one probe.
    #[serde(skip_serializing_if = "ProbeId::is_none")]
    pub probe: ProbeId,
    /// Its place among the steps of that probe, from 0.
    #[serde(skip_serializing_if = "is_first")]
    pub member: u32,
    /// The profile it belongs to.
    pub profile: String,
    /// What an I/O did.
    pub operation: Operation,
    /// Share of reads in a mixed step.
    pub read_share: Option<f64>,
    /// Where I/Os went.
    pub pattern: Pattern,
    /// Bytes of one I/O.
    pub block_bytes: u64,
    /// I/Os in flight per thread.
    pub queue_depth: u32,
    /// Threads.
    pub threads: u32,
    /// System calls to use did it.
    pub engine: Engine,
    /// `O_DIRECT` was in effect.
    pub direct: bool,
    /// How writes were made durable.
    pub sync: Sync,
    /// I/Os.
    pub ios: u64,
    /// Bytes.
    pub bytes: u64,
    /// Measured time, s.
    pub duration_s: f64,
    /// I/Os per second.
    pub iops: f64,
    /// Bytes per second.
    pub throughput_bytes_per_s: f64,
    /// From submission (or intended start) to completion, the flush included.
    pub latency_ns: Latency,
    /// Until the system call returned (`io_uring`).
    pub submission_ns: Option<Latency>,
    /// Of the flush alone (fdatasync, fsync).
    pub flush_ns: Option<Latency>,
    /// The run in slices.
    pub intervals: Vec<DiskInterval>,
    /// User CPU of the generator for one I/O, ns.
    pub cpu_user_ns_per_io: f64,
    /// System CPU of the generator for one I/O, ns.
    pub cpu_sys_ns_per_io: f64,
    /// Largest share of one CPU that one generator thread used.
    pub thread_peak: Option<f64>,
    /// Share of their time for which the generator's threads were ready to run and had no CPU.
    pub thread_wait: Option<f64>,
    /// Requests that the device under the target saw for one I/O by fullwire.
    pub requests_per_io: Option<f64>,
    /// Bytes that the device saw over bytes that we moved.
    pub device_bytes_over_program_bytes: Option<f64>,
    /// The rounds stayed within the SNIA window; `None`: too short to say.
    pub steady: Option<bool>,
    /// Throughput of each repeat, bytes per second.
    pub repeats_bytes_per_s: Vec<f64>,
    /// Median latency of each repeat, ns. A closed loop asks for the same offsets in each.
    pub repeats_p50_ns: Vec<u64>,
    /// (max - min) / median of the repeats; of fio's output, standard deviation / mean of its samples.
    pub noise: Option<f64>,
    /// Every layer under the target over the same window, top first.
    pub layers: Vec<LayerStats>,
    /// Open loop: arrivals that found no room.
    pub skipped_arrivals: Option<u64>,
    /// Other processes' bytes on the device in the window before, bytes per second.
    pub foreign_bytes_per_s: Option<f64>,
    /// It ran at the same time as the step before or after it: the layers show both.
    pub concurrent: bool,
    /// Arrivals per second that an open loop requested; 0: closed loop.
    pub rate_per_s: f64,
    /// Bytes of the target that the step used, where the plan set less than all; 0: all.
    pub working_set_bytes: u64,
    /// The buffers were in huge pages, so that their contiguity did not decide the size of requests.
    pub huge_pages: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_first(member: &u32) -> bool {
    *member == 0
}

impl Sync {
    /// The way as `pg_test_fsync` and open(2) name it; a flag of `open` means another thing without the page cache.
    pub(crate) fn suffix(self, direct: bool) -> &'static str {
        match (self, direct) {
            (Self::None, _) => "",
            (Self::Dsync, true) => " direct O_DSYNC",
            (Self::Dsync, false) => " O_DSYNC",
            (Self::Osync, true) => " direct O_SYNC",
            (Self::Osync, false) => " O_SYNC",
            (Self::Fdatasync, true) => " direct fdatasync",
            (Self::Fdatasync, false) => " fdatasync",
            (Self::Fsync, true) => " direct fsync",
            (Self::Fsync, false) => " fsync",
        }
    }
}

/// One slice of a measurement.
#[record]
pub struct DiskInterval {
    /// End of the slice since the start, s.
    pub t_s: f64,
    /// Within the slice.
    pub iops: f64,
    /// Within the slice, bytes per second.
    pub throughput_bytes_per_s: f64,
    /// Median within the slice, ns.
    pub p50_ns: u64,
    /// 99th percentile within the slice, ns.
    pub p99_ns: u64,
    /// Largest within the slice, ns.
    pub max_ns: u64,
    /// Longest time in which this program itself was not run, ns; 0: it came no more than 50 ms late. An I/O that ended then
    /// seems to have taken at least as long.
    #[serde(skip_serializing_if = "crate::quantity::is_zero")]
    pub late_ns: u64,
}

/// What one layer saw during a measurement.
#[record]
pub struct LayerStats {
    /// Kernel name (`dm-3`, `sda`) or NFS mount.
    pub name: String,
    /// `file-system`, `lvm`, `md`, `multipath`, `path`, `disk`, `partition`, `nfs`, `loop`, `crypt`.
    pub kind: String,
    /// Requests completed per second.
    pub iops: f64,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Bytes of a request.
    pub mean_request_bytes: f64,
    /// Merged requests per second.
    pub merges_per_s: f64,
    /// Mean time of a request in the layer, ns.
    pub await_ns: f64,
    /// Reads per second.
    pub read_iops: Option<f64>,
    /// Mean time of a read, ns.
    pub read_await_ns: Option<f64>,
    /// Mean time of a write, ns.
    pub write_await_ns: Option<f64>,
    /// Mean number of requests in it.
    pub queue_mean: f64,
    /// Share of time with something in it; no limit for parallel devices.
    pub utilisation: f64,
    /// Flushes per second.
    pub flushes_per_s: Option<f64>,
    /// Mean time of a flush, ns.
    pub flush_await_ns: Option<f64>,
    /// NFS: mean time of a request on the wire and in the server, ns.
    pub rtt_ns: Option<f64>,
}

impl LayerStats {
    /// Requests per second of a load's own kind and the mean time of one, ns: others' writes say nothing of how long a read
    /// takes. Of all requests where the kinds were not counted apart.
    #[must_use]
    pub fn of(&self, operation: Operation) -> (f64, f64) {
        let apart = self.read_iops.and_then(|reads| match operation {
            Operation::Read => Some((reads, self.read_await_ns?)),
            Operation::Write => Some((self.iops - reads, self.write_await_ns?)),
            Operation::Mixed | Operation::Copy => None,
        });
        apart.filter(|(requests, _)| *requests > 0.0).unwrap_or((self.iops, self.await_ns))
    }
}

/// What a sweep found.
#[record]
pub struct Sweep {
    /// `block`, `depth`, `threads`, `working-set`.
    pub over: Vec<String>,
    /// Smallest depth with 95 % of the largest throughput.
    pub knee_depth: Option<u32>,
    /// Throughput still grew by more than 10 % at the last depth.
    pub still_growing: bool,
    /// Largest `|depth - rate x latency| / depth` of all depths: above 5 % the timing is wrong.
    pub little_error: Option<f64>,
    /// Mean request size at which larger blocks are split, bytes.
    pub request_plateau_bytes: Option<u64>,
}

/// What must be said before a number is believed.
#[record]
pub struct Caveat {
    /// A stable word: `memory-file-system`, `page-cache`, `copy-on-write`, `compressed`, `overlay`, `loop-buffered`,
    /// `unwritten`, `array-cache`, `foreign-load`, `not-direct`, `small-working-set`, `io-uring-missing`,
    /// `statistics-off`, `sampled`, `not-zeroed`.
    pub kind: String,
    /// One sentence.
    pub text: String,
    /// The number cannot mean what it seems to: no verdict rests on it.
    pub void: bool,
}
