//! The stack that the kernel prints of a task that hangs: what the task waits for.

/// Functions that are told, the innermost first.
const MOST: usize = 8;

/// How the functions begin by which every task waits and every thread began: they tell nothing of what it waits for.
/// Source: the files of Linux `kernel/sched` (`core.c`, `wait_bit.c`, `completion.c`), `kernel/kthread.c`, `kernel/workqueue.c`, `arch/x86/entry`.
const OF_EVERY_TASK: [&str; 23] = [
    "__schedule", "schedule", "entry_", "do_syscall", "x64_sys_call", "system_call", "bit_wait",
    "__wait_on_bit", "out_of_line_wait_on_bit", "wait_for_completion", "__wait_for_common",
    "wait_for_common", "prepare_to_wait", "autoremove_wake_function", "wake_bit_function", "kthread",
    "worker_thread", "process_one_work", "ret_from_fork", "child_rip", "kernel_thread",
    "default_wake_function", "finish_task_switch",
];

/// A line of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The function.
    pub function: &'a str,
    /// The function is on the way to where the task waits; without, its address was found on the stack (`?` before it).
    pub sure: bool,
}

/// A line of a stack, and nothing else: ` [<ffffffff>] ? jbd2_log_wait_commit+0xc5/0x140 [jbd2]`, with any stamp before it.
pub fn frame_of(line: &str) -> Option<Frame<'_>> {
    if !line.contains("+0x") {
        return None;
    }
    let rest = without_stamp(line);
    // ARM: `(schedule) from [<8015c138>] (io_schedule+0x14/0x3c)`.
    let rest = rest
        .split_once(" from [<")
        .and_then(|(_, rest)| rest.split_once("] ("))
        .map_or(rest, |(_, rest)| rest.trim_end_matches(')'));
    let (sure, rest) = rest.strip_prefix("? ").map_or((true, rest), |rest| (false, rest.trim_start()));
    let mut words = rest.split_whitespace();
    let (function, place) = words.next()?.split_once("+0x")?;
    // RHEL 5: `:jbd2:jbd2_journal_commit_transaction`.
    let function = function.rsplit(':').next()?;
    let is_name = !function.is_empty()
        && function.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte));
    let is_alone = words.all(|word| word.starts_with('['));
    (is_name && is_alone && place.contains("/0x")).then_some(Frame { function, sure })
}

/// Without what a log puts before a line, and the address of a function.
fn without_stamp(line: &str) -> &str {
    let mut rest = line.split_once(" kernel:").map_or(line, |(_, rest)| rest).trim();
    while let Some((_, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        rest = behind.trim_start();
    }
    rest
}

/// The task, with its number, of a line that begins the kernel's report of a hung task: `INFO: task NAME:PID blocked for more
/// than 120 seconds` (Linux `kernel/hung_task.c`).
pub fn hung_task(line: &str) -> Option<&str> {
    let (before, _) = line.split_once(" blocked for more than ")?;
    before.split_once("task ").map(|(_, task)| task.trim())
}

/// The task of the line that tells its state, where that is waiting without a signal ending it: `NAME D 0 404 2 0x0`, and
/// `task:NAME state:D stack:0 pid:404` (Linux kernel/sched/core.c, `sched_show_task`).
pub fn waiting_task(line: &str) -> Option<&str> {
    let words: Vec<&str> = without_stamp(line).split_whitespace().take(9).collect();
    match words.as_slice() {
        [task, "state:D", ..] => task.strip_prefix("task:"),
        [task, "D", .., flags] if flags.starts_with("0x") => Some(task),
        _ => None,
    }
}

/// The stack below a line.
#[derive(Debug, Clone)]
pub struct Stack<'a> {
    /// Which line of those that were kept it is below.
    pub line: usize,
    frames: Vec<Frame<'a>>,
}

impl<'a> Stack<'a> {
    /// Without a frame yet.
    pub fn below(line: usize) -> Self {
        Self { line, frames: Vec::new() }
    }

    /// No function of it is known that tells anything.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The next line of it, further out.
    pub fn push(&mut self, frame: Frame<'a>) {
        if !OF_EVERY_TASK.iter().any(|start| frame.function.starts_with(start)) {
            self.frames.push(frame);
        }
    }

    /// ` [waits in jbd2_log_wait_commit ext4_sync_file]`, to stand behind the line of the task; nothing where no function tells
    /// it. Of frames that may be left over those count only where there are no others.
    pub fn told(&self) -> Option<String> {
        let any_sure = self.frames.iter().any(|frame| frame.sure);
        let told = self.frames.iter().filter(|frame| frame.sure == any_sure).take(MOST);
        let functions: Vec<&str> = told.map(|frame| frame.function).collect();
        (!functions.is_empty()).then(|| format!(" [waits in {}]", functions.join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_a_line_of_its_own() {
        let of = |line| frame_of(line).map(|frame| (frame.function, frame.sure));
        assert_eq!(
            of("[ 100.0]  jbd2_log_wait_commit+0xc5/0x140 [jbd2]"),
            Some(("jbd2_log_wait_commit", true))
        );
        assert_eq!(of("[7.5] [<ffffffff81>] ? bt_get.isra.6+0x160/0x220"), Some(("bt_get.isra.6", false)));
        let logged = "Mar  7 05:02:55 db1 kernel: [   99.5]  io_schedule+0x16/0x40";
        assert_eq!(of(logged), Some(("io_schedule", true)));
        assert_eq!(
            of("[ 4.8] [<80a8>] (schedule) from [<8015>] (nfs_wb_all+0x14/0x3c)"),
            Some(("nfs_wb_all", true))
        );
        assert_eq!(of(" [<ffff>] :jbd:do_get_write_access+0x4f9/0x530"), Some(("do_get_write_access", true)));
        for message in [
            "XFS (dm-9): Metadata CRC error detected at xfs_allocbt_read_verify+0x12/0xb0 [xfs], xfs_bnobt",
            "RIP: 0010:native_queued_spin_lock_slowpath+0x5e/0x1d0",
            "[ 100.0] Call Trace:",
        ] {
            assert_eq!(of(message), None, "{message}");
        }
    }

    #[test]
    fn what_is_left_over_on_a_stack_counts_only_alone() {
        let told = |lines: &[&'static str]| {
            let mut stack = Stack::below(0);
            lines.iter().filter_map(|line| frame_of(line)).for_each(|frame| stack.push(frame));
            stack.told()
        };
        let sure = [
            " ? ktime_get_ts+0xb1/0xf0",
            " io_schedule+0x73/0xc0",
            " jbd2_journal_commit_transaction+0x1/0x2",
        ];
        assert_eq!(told(&sure).as_deref(), Some(" [waits in io_schedule jbd2_journal_commit_transaction]"));
        assert_eq!(told(&sure[..1]).as_deref(), Some(" [waits in ktime_get_ts]"));
        assert_eq!(told(&[" __schedule+0x1/0x2", " kthread+0x1/0x2"]), None);
    }

    #[test]
    fn a_task_is_named_in_old_and_new_reports() {
        assert_eq!(
            hung_task("INFO: task jbd2/sdx1-8:404 blocked for more than 120 seconds."),
            Some("jbd2/sdx1-8:404")
        );
        assert_eq!(
            waiting_task("[ 17.81] kworker/0:0     D    0  2904      2 0x00000000"),
            Some("kworker/0:0")
        );
        assert_eq!(waiting_task("task:mysqld state:D stack:0 pid:811 ppid:1 flags:0x4"), Some("mysqld"));
        assert_eq!(waiting_task("task:mysqld state:S stack:0 pid:811 ppid:1 flags:0x4"), None);
    }
}
