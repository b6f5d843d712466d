//! Files of a tree that a test makes.

use std::path::Path;

/// Writes a file, with the folders above it.
pub(crate) fn written(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path.trim_start_matches('/'));
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, text).expect("a file");
}

/// A tree of these files and a root over it, which has a `proc` lest one folder alone be taken for what is around the tree.
/// The tree is gone with the first of both.
pub(crate) fn rooted(files: &[(&str, &str)]) -> (tempfile::TempDir, crate::Root) {
    let tree = tempfile::tempdir().expect("a place");
    std::fs::create_dir_all(tree.path().join("proc")).expect("a folder");
    for (path, text) in files {
        written(tree.path(), path, text);
    }
    let root = crate::Root::tree(tree.path()).expect("a tree");
    (tree, root)
}
