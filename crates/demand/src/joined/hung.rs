//! The kernel's report of a hung task: its stack becomes a part of the line that names the task.

use fullwire_model::host::stack::{Stack, frame_of, hung_task, waiting_task};

/// The report that is being read.
#[derive(Default)]
pub(super) struct Hung<'a> {
    stack: Option<Stack<'a>>,
    /// The line that ends a report's head was there without the one that begins it: a piece was cut there.
    headless: bool,
}

impl<'a> Hung<'a> {
    /// True: the line is a part of a report and no message. The line of the task itself is left to the caller, who keeps it.
    pub(super) fn takes(&mut self, line: &'a str, lines: &mut Vec<String>) -> bool {
        if let Some(frame) = frame_of(line) {
            if let Some(open) = &mut self.stack {
                open.push(frame);
            }
            return true;
        }
        if line.contains("hung_task_timeout_secs") {
            self.headless = self.stack.is_none();
            return self.headless;
        }
        if self.stack.as_ref().is_some_and(|stack| !stack.is_empty()) {
            self.end(lines);
        }
        if hung_task(line).is_some() {
            self.stack = Some(Stack::below(lines.len()));
            return false;
        }
        let task = waiting_task(line);
        if let Some(task) = task.filter(|_| std::mem::take(&mut self.headless)) {
            self.stack = Some(Stack::below(lines.len()));
            lines.push(format!("INFO: task {task} blocked for more than the limit of hung tasks"));
        }
        task.is_some()
    }

    /// Tells what the task waits in.
    pub(super) fn end(&mut self, lines: &mut [String]) {
        let Some(stack) = self.stack.take() else { return };
        if let (Some(line), Some(told)) = (lines.get_mut(stack.line), stack.told()) {
            line.push_str(&told);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::joined;

    #[test]
    fn a_stack_is_told_with_its_task() {
        let text = "[ 100.1] INFO: task jbd2/sdx1-8:404 blocked for more than 120 seconds.\n\
                    [ 100.2]       Not tainted 6.1.0-18-amd64 #1\n\
                    [ 100.3] \"echo 0 > /proc/sys/kernel/hung_task_timeout_secs\" disables this message.\n\
                    [ 100.4] task:jbd2/sdx1-8  state:D stack:0  pid:404  ppid:2  flags:0x00004000\n\
                    [ 100.5] Call Trace:\n[ 100.6]  <TASK>\n[ 100.7]  __schedule+0x34d/0x9e0\n\
                    [ 100.8]  io_schedule+0x42/0x70\n[ 100.9]  jbd2_journal_commit_transaction+0x7a1/0x18e0 [jbd2]\n\
                    [ 101.0]  ? schedule_timeout+0x1/0x2\n[ 200.0] nvme nvme7: I/O 3 QID 2 timeout, aborting\n";
        let lines = joined(text);
        assert!(
            lines[0].ends_with("seconds. [waits in io_schedule jbd2_journal_commit_transaction]"),
            "{lines:?}"
        );
        assert!(lines.iter().all(|line| !line.contains("schedule_timeout")), "{lines:?}");
        let (_, cut) = text.split_once(" #1\n").unwrap();
        let lines = joined(cut);
        assert_eq!(
            lines[0],
            "INFO: task jbd2/sdx1-8 blocked for more than the limit of hung tasks [waits in io_schedule jbd2_journal_commit_transaction]"
        );
    }
}
