//! Lines of fullwire's own in files of settings.

use super::sh;
use fullwire_model::assessment::ShellCommand;

/// The lines of one setting in a file.
pub(crate) struct Lines {
    file: &'static str,
    delete: ShellCommand,
}

impl Lines {
    /// Those that fit this pattern of sed, with names in the place of `{}`.
    pub(crate) fn of(file: &'static str, pattern: &'static str, names: &[&str]) -> Self {
        Self { file, delete: ShellCommand::sed(pattern, names) }
    }

    /// Writes a line in the place of them.
    pub(crate) fn put(&self, line: &str) -> ShellCommand {
        sh!("touch {} && sed -i {} {} && echo {} >> {}", self.file, self.delete, self.file, line, self.file)
    }

    pub(crate) fn remove(&self) -> ShellCommand {
        sh!("test ! -f {} || sed -i {} {}", self.file, self.delete, self.file)
    }
}
