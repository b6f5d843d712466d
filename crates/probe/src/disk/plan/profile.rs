//! Loads under the names that databases give them. Block sizes, patterns, flags and depths are those of the vendors'
//! documentation and sources, as noted at each; thresholds without a source are policy and shown as such.

use fullwire_model::disk::{DiskPlan, DiskStep, Engine, Operation, Pattern, SmallFilesPlan, Sync};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const MS: u64 = 1_000_000;

/// One kind of load.
#[derive(Debug, Clone, Copy)]
pub struct Profile {
    /// What the user types.
    pub name: &'static str,
    /// What it stands for, one line.
    pub about: &'static str,
    /// A 99th percentile above this is worth a warning, ns.
    pub p99_limit_ns: Option<u64>,
    /// A mean above this is worth a warning, ns.
    pub mean_limit_ns: Option<u64>,
    /// Where the load and the limits come from.
    pub basis: &'static str,
    steps: &'static [Template],
}

/// A step as the table has it; what it leaves out is zero or no.
#[derive(Debug, Clone, Copy)]
struct Template {
    operation: Operation,
    read_share: f64,
    pattern: Pattern,
    block: u64,
    depth: u32,
    threads: u32,
    direct: bool,
    sync: Sync,
    flush_every: u32,
    start_writeback: bool,
    rate_per_s: f64,
    with_next: bool,
    plain: bool,
}

const READ: Template = Template {
    operation: Operation::Read,
    read_share: 1.0,
    pattern: Pattern::Sequential,
    block: 8 * KIB,
    depth: 1,
    threads: 1,
    direct: true,
    sync: Sync::None,
    flush_every: 1,
    start_writeback: false,
    rate_per_s: 0.0,
    with_next: false,
    plain: false,
};
const WRITE: Template = Template { operation: Operation::Write, read_share: 0.0, ..READ };
/// The log writer: one write at a time, durable when it returns.
const LGWR: Template = Template { sync: Sync::Dsync, ..WRITE };
/// A session that waits for each block.
const SESSION: Template = Template { pattern: Pattern::Random, plain: true, ..READ };
const SCAN: Template = Template { block: MIB, ..READ };
const DBWR: Template = Template { pattern: Pattern::Random, depth: 128, ..WRITE };
/// A commit of PostgreSQL: one page into the page cache, then the sync.
const WAL: Template = Template { direct: false, sync: Sync::Fdatasync, plain: true, ..WRITE };

/// All profiles.
pub const PROFILES: &[Profile] = &[
    Profile {
        name: "ora-lgwr",
        about: "Oracle log writer: sequential overwrite, O_DIRECT and O_DSYNC, one write at a time (log file parallel write)",
        p99_limit_ns: Some(10 * MS),
        mean_limit_ns: Some(MS),
        basis: "redo blocks of 512 bytes, 4 KiB on native 4 KiB disks (NetApp TR on Oracle block sizes); writes of up to 1 MiB (T. Poder)",
        steps: &[
            Template { block: 512, ..LGWR },
            Template { block: 4 * KIB, ..LGWR },
            Template { block: 8 * KIB, ..LGWR },
            Template { block: 64 * KIB, ..LGWR },
            Template { block: MIB, ..LGWR },
            // Two members of a group, written in parallel.
            Template { block: 8 * KIB, threads: 2, ..LGWR },
        ],
    },
    Profile {
        name: "ora-seqread",
        about: "Oracle single-block read by waiting sessions (db file sequential read)",
        p99_limit_ns: None,
        mean_limit_ns: Some(MS),
        basis: "random 8 KiB pread of one block per session; 1 ms on flash, 10 ms on disks (NetApp)",
        steps: &[
            SESSION,
            Template { threads: 4, ..SESSION },
            Template { threads: 16, ..SESSION },
            Template { threads: 64, ..SESSION },
        ],
    },
    Profile {
        name: "ora-scattered",
        about: "Oracle multi-block read into the buffer cache (db file scattered read), at today's 1 MiB and at legacy sizes",
        p99_limit_ns: None,
        mean_limit_ns: None,
        basis: "db_file_multiblock_read_count x 8 KiB: automatic 1 MiB, legacy 8 and 16 blocks",
        steps: &[
            Template { plain: true, ..SCAN },
            Template { block: 128 * KIB, plain: true, ..SCAN },
            Template { block: 64 * KIB, plain: true, ..SCAN },
            Template { threads: 4, plain: true, ..SCAN },
        ],
    },
    Profile {
        name: "ora-directpath",
        about: "Oracle direct-path read of parallel queries: streams of 1 MiB, several in flight each",
        p99_limit_ns: None,
        mean_limit_ns: None,
        basis: "Oracle VLDB and Partitioning Guide, parameters for parallel execution",
        steps: &[
            Template { depth: 2, ..SCAN },
            Template { depth: 8, ..SCAN },
            Template { depth: 4, threads: 4, ..SCAN },
        ],
    },
    Profile {
        name: "ora-dbwr",
        about: "Oracle database writer: batches of random 8 KiB writes, alone and together with the log writer",
        p99_limit_ns: None,
        mean_limit_ns: None,
        basis: "vectors of hundreds of buffers submitted at once (T. Poder)",
        steps: &[DBWR, Template { sync: Sync::Dsync, ..DBWR }, Template { with_next: true, ..DBWR }, LGWR],
    },
    Profile {
        name: "ora-rman",
        about: "Oracle RMAN channels: sequential reads by the buffer sizes that RMAN chooses, and the write of the backup",
        p99_limit_ns: None,
        mean_limit_ns: None,
        basis: "16 buffers of 1 MiB up to 4 files, 512 KiB up to 8, 4 of 128 KiB each beyond",
        steps: &[
            Template { depth: 16, ..SCAN },
            Template { block: 512 * KIB, depth: 16, ..SCAN },
            Template { block: 128 * KIB, depth: 4, threads: 9, ..SCAN },
            Template { block: MIB, depth: 16, ..WRITE },
        ],
    },
    Profile {
        name: "ora-arch",
        about: "Oracle archiver: reads and writes of 1 MiB, alone and together with the log writer",
        p99_limit_ns: None,
        mean_limit_ns: None,
        basis: "convention",
        steps: &[
            Template { operation: Operation::Mixed, read_share: 0.5, depth: 4, ..SCAN },
            Template { operation: Operation::Mixed, read_share: 0.5, depth: 4, with_next: true, ..SCAN },
            LGWR,
        ],
    },
    Profile {
        name: "ora-mixed",
        about: "Oracle under load: random 8 KiB reads and writes at an arrival rate, the log writer and a scan, all together",
        p99_limit_ns: Some(10 * MS),
        mean_limit_ns: None,
        basis: "70/30 as TPC-C, 90/10 as TPC-E; small and large I/O together as in ORION's matrix",
        steps: &[
            Template { read_share: 0.7, ..SESSIONS_AT_A_RATE },
            Template { with_next: true, ..LGWR },
            SCAN,
            Template { read_share: 0.9, ..SESSIONS_AT_A_RATE },
            Template { with_next: true, ..LGWR },
            SCAN,
        ],
    },
    Profile {
        name: "pg-wal",
        about: "PostgreSQL WAL: one and two pages of 8 KiB by each sync method, like pg_test_fsync",
        p99_limit_ns: Some(10 * MS),
        mean_limit_ns: None,
        basis: "src/bin/pg_test_fsync: open_datasync, fdatasync, fsync, open_sync; fdatasync is Linux' default",
        steps: &[
            WAL,
            Template { sync: Sync::Fsync, ..WAL },
            Template { sync: Sync::Dsync, ..WAL },
            Template { sync: Sync::Osync, ..WAL },
            Template { sync: Sync::Dsync, direct: true, ..WAL },
            Template { block: 16 * KIB, ..WAL },
            Template { block: 16 * KIB, sync: Sync::Dsync, ..WAL },
        ],
    },
    Profile {
        name: "pg-checkpoint",
        about: "PostgreSQL checkpoint: random buffered pages with immediate write-back and a sync at the end, together with WAL writes",
        p99_limit_ns: None,
        mean_limit_ns: None,
        basis: "checkpoint_flush_after 256 KiB, fsync of each segment file",
        steps: &[Template { with_next: true, ..CHECKPOINT }, WAL],
    },
    Profile {
        name: "pg-seqscan",
        about: "PostgreSQL sequential scan: buffered reads, one process with read-ahead and 16 of 128 KiB in flight",
        p99_limit_ns: None,
        mean_limit_ns: None,
        basis: "io_combine_limit 128 KiB; io_method worker and io_uring (PostgreSQL 18)",
        steps: &[
            Template { direct: false, plain: true, ..READ },
            Template { block: 128 * KIB, direct: false, plain: true, ..READ },
            Template { block: 128 * KIB, direct: false, depth: 16, ..READ },
        ],
    },
    Profile {
        name: "pg-index",
        about: "PostgreSQL index scan: random buffered pages, each session waits for each",
        p99_limit_ns: None,
        mean_limit_ns: None,
        basis: "index scans issue no asynchronous reads",
        steps: &[Template { direct: false, ..SESSION }, Template { direct: false, threads: 16, ..SESSION }],
    },
    Profile {
        name: "my-redo",
        about: "InnoDB redo log: sequential overwrite in the write-ahead size, fsync at each commit",
        p99_limit_ns: Some(10 * MS),
        mean_limit_ns: None,
        basis: "blocks of 512 bytes padded to innodb_log_write_ahead_size 8 KiB; innodb_use_fdatasync",
        steps: &[
            Template { sync: Sync::Fsync, ..WAL },
            WAL,
            Template { sync: Sync::Fsync, direct: true, ..WAL },
        ],
    },
    Profile {
        name: "my-dblwr",
        about: "InnoDB doublewrite: pages of 16 KiB in order with one fsync per batch, then the same pages at random",
        p99_limit_ns: None,
        mean_limit_ns: None,
        basis: "batches of about 100 pages, O_DIRECT and fsync (innodb_flush_method)",
        steps: &[
            Template { block: 16 * KIB, depth: 64, sync: Sync::Fsync, flush_every: 100, ..WRITE },
            Template {
                block: 16 * KIB,
                depth: 64,
                sync: Sync::Fsync,
                flush_every: 100,
                pattern: Pattern::Random,
                ..WRITE
            },
        ],
    },
    Profile {
        name: "my-read",
        about: "InnoDB page reads by waiting sessions: random 16 KiB",
        p99_limit_ns: None,
        mean_limit_ns: Some(MS),
        basis: "innodb_page_size 16 KiB, O_DIRECT",
        steps: &[
            Template { block: 16 * KIB, ..SESSION },
            Template { block: 16 * KIB, threads: 16, ..SESSION },
        ],
    },
    Profile {
        name: "etcd-wal",
        about: "etcd's log: 2300 bytes and fdatasync, one after the other",
        p99_limit_ns: Some(10 * MS),
        mean_limit_ns: None,
        basis: "etcd documentation: the 99th percentile of fdatasync below 10 ms",
        steps: &[Template { block: 2300, ..WAL }],
    },
    Profile {
        name: "copy",
        about: "as dd copies: read a block, write it, in turn; then read and overwrite alone; O_DIRECT, one call for each block, 1 and 6 at a time",
        p99_limit_ns: None,
        mean_limit_ns: None,
        basis: "dd bs=1M iflag=direct, oflag=direct conv=notrunc; and bs=2k",
        steps: &[
            Template { operation: Operation::Copy, plain: true, ..SCAN },
            Template { plain: true, ..SCAN },
            Template { plain: true, threads: 6, ..SCAN },
            Template { plain: true, block: 2 * KIB, ..SCAN },
            Template { plain: true, block: MIB, ..WRITE },
            Template { plain: true, block: MIB, threads: 6, ..WRITE },
        ],
    },
    Profile {
        name: "fs-small",
        about: "small files: created, read and deleted, in order and at random, by 1 and 6 threads",
        p99_limit_ns: None,
        mean_limit_ns: None,
        basis: "bonnie++'s file tests; empty files and files of 1 to 16 KiB",
        steps: &[],
    },
    Profile {
        name: "bonnie",
        about: "bonnie++'s tests in bonnie++'s table: by bytes, by blocks, rewrite, seeks, small files; through the page cache",
        p99_limit_ns: None,
        mean_limit_ns: None,
        basis: "bonnie++ 1.97: chunks of 8 KiB, a file of twice the memory, five seekers",
        steps: &[],
    },
];

const SESSION_ASYNC: Template = Template { plain: false, ..SESSION };
const SESSIONS_AT_A_RATE: Template =
    Template { operation: Operation::Mixed, depth: 32, rate_per_s: 1000.0, with_next: true, ..SESSION_ASYNC };
const CHECKPOINT: Template = Template {
    pattern: Pattern::Random,
    direct: false,
    sync: Sync::Fsync,
    flush_every: 16_384,
    start_writeback: true,
    plain: true,
    ..WRITE
};

/// What a plan made from profiles has in common.
#[derive(Debug, Clone, Copy)]
pub struct ProfileOptions {
    /// Of each step, ns.
    pub duration_ns: u64,
    /// Of each step.
    pub repeats: u32,
    /// Of the time series, ns.
    pub interval_ns: u64,
}

/// A profile by name.
pub fn profile(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.name == name)
}

impl Profile {
    /// Adds this profile to a plan.
    pub fn add_to(&self, plan: &mut DiskPlan, options: &ProfileOptions) {
        plan.steps.extend(self.steps.iter().map(|template| self.step(template, options)));
        match self.name {
            "fs-small" => plan.small_files.extend(small_files()),
            "bonnie" => plan.bonnie_bytes = 2 * memory_bytes(),
            _ => {}
        }
    }

    fn step(&self, template: &Template, options: &ProfileOptions) -> DiskStep {
        DiskStep {
            profile: self.name.into(),
            operation: template.operation,
            read_share: template.read_share,
            pattern: template.pattern,
            block_bytes: template.block,
            queue_depth: template.depth,
            threads: template.threads,
            engine: if template.plain { Engine::Plain } else { Engine::Auto },
            direct: template.direct,
            sync: template.sync,
            flush_every: template.flush_every,
            start_writeback: template.start_writeback,
            rate_per_s: template.rate_per_s,
            with_next: template.with_next,
            duration_ns: options.duration_ns,
            interval_ns: options.interval_ns,
            repeats: options.repeats,
            ..DiskStep::default()
        }
    }
}

fn small_files() -> impl Iterator<Item = SmallFilesPlan> {
    let plan = |pattern, threads, min_bytes, max_bytes| SmallFilesPlan {
        pattern,
        threads,
        min_bytes,
        max_bytes,
        files: 16 * KIB,
    };
    let patterns = [Pattern::Sequential, Pattern::Random];
    patterns.into_iter().flat_map(move |pattern| {
        [1, 6]
            .into_iter()
            .flat_map(move |threads| [plan(pattern, threads, 0, 0), plan(pattern, threads, KIB, 16 * KIB)])
    })
}

fn memory_bytes() -> u64 {
    let info = rustix::system::sysinfo();
    info.totalram * u64::from(info.mem_unit.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::plan;

    const OPTIONS: ProfileOptions =
        ProfileOptions { duration_ns: 1000 * MS, repeats: 3, interval_ns: 100 * MS };

    #[test]
    fn every_profile_is_a_plan_that_can_be_carried_out() {
        for profile in PROFILES {
            let mut plan = DiskPlan { target: "/data".into(), ..DiskPlan::default() };
            profile.add_to(&mut plan, &OPTIONS);
            plan::check(&plan).unwrap_or_else(|error| panic!("{}: {error}", profile.name));
            let something = !plan.steps.is_empty() || !plan.small_files.is_empty() || plan.bonnie_bytes > 0;
            assert!(something, "{}", profile.name);
            assert!(plan.steps.last().is_none_or(|step| !step.with_next), "{}", profile.name);
            for step in &plan.steps {
                let unit = step.block_bytes.is_multiple_of(512);
                assert!(!step.direct || unit, "{}: direct I/O goes in sectors", profile.name);
            }
        }
    }

    #[test]
    fn names_are_unique_and_found() {
        for (index, one) in PROFILES.iter().enumerate() {
            assert_eq!(PROFILES.iter().position(|other| other.name == one.name), Some(index));
            assert_eq!(profile(one.name).map(|found| found.about), Some(one.about));
        }
        assert!(profile("ora").is_none());
    }

    #[test]
    fn a_log_write_is_durable_and_alone() {
        let mut plan = DiskPlan::default();
        profile("ora-lgwr").expect("known").add_to(&mut plan, &OPTIONS);
        for step in &plan.steps {
            assert_eq!(
                (step.operation, step.sync, step.queue_depth, step.direct),
                (Operation::Write, Sync::Dsync, 1, true)
            );
        }
        let sizes: Vec<u64> = plan.steps.iter().map(|step| step.block_bytes).collect();
        assert!(sizes.contains(&512) && sizes.contains(&MIB));
    }
}
