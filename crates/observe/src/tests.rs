//! Files of a tree that a test makes.

use std::path::Path;

/// Writes a file, with the folders above it.
pub(crate) fn written(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, text).expect("a file");
}
