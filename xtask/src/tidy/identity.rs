//! What has a typed name is joined by it, never by its text; joins by address only get fewer, and no choice is by a long tuple.

use super::code_lines;
use anyhow::Result;
use regex::Regex;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// Files that join what the kernel, another tool or a bus named: its words are all that there is.
const NAMED_BY_OTHERS: [&str; 6] = [
    "crates/demand/src/import/builder.rs",
    "crates/demand/src/import/oswatcher.rs",
    "crates/fullwire/src/estate/agent/mod.rs",
    "crates/model/src/demand/import/summary.rs",
    "crates/model/src/host/mod.rs",
    "crates/observe/src/storage/mounts.rs",
];
/// Comparisons of two references by their address.
const JOINS_BY_ADDRESS: usize = 2;

/// What is joined or chosen so, and what has fallen without its number here.
pub(super) fn wrong(files: &[PathBuf]) -> Result<Vec<String>> {
    let by_text = Regex::new(
        r"\b(subject|label|source)\b(\(\))?(\.as_str\(\)|\.as_deref\(\))?\s*(==|!=)|(==|!=)\s*[*&]?[\w.]*\.(subject|label|source)\b|\b(target|path)\.as_str\(\)\s*(==|!=)|(==|!=)\s*[\w.]*\.(target|path)\.as_str\(\)",
    )?;
    let by_address = Regex::new(r"ptr::eq\(")?;
    let (mut texts, mut addresses, mut tuples) = (Vec::new(), Vec::new(), Vec::new());
    for path in files.iter().filter(|path| is_source(path)) {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let place = |line: usize| format!("{}:{line}", path.display());
        let is_join = |line: &str| by_text.find_iter(line).any(|found| !is_fixed(&line[found.end()..]));
        if NAMED_BY_OTHERS.iter().all(|file| path != Path::new(file)) {
            texts.extend(lines(&text, is_join).map(place));
        }
        addresses.extend(lines(&text, |line| by_address.is_match(line)).map(place));
        if ["rules", "present"].iter().any(|name| path.starts_with(Path::new("crates").join(name))) {
            tuples.extend(vec![path.display().to_string(); choices(&text)]);
        }
    }
    // A struct with named fields says what the keys of a choice mean.
    let all = [
        ("joins by text", 0, texts),
        ("joins by address", JOINS_BY_ADDRESS, addresses),
        ("choices by a tuple of more than two keys", 0, tuples),
    ];
    Ok(all.into_iter().filter_map(|(what, most, found)| said(what, most, &found)).collect())
}

fn said(what: &str, most: usize, found: &[String]) -> Option<String> {
    let count = found.len();
    let places = found.join("\n    ");
    match count.cmp(&most) {
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Less => {
            Some(format!("{count} {what}, {most} before: lower the number in tidy/identity.rs"))
        }
        std::cmp::Ordering::Greater => Some(format!(
            "{count} {what}, at most {most}: join by a typed name, give criteria names\n    {places}"
        )),
    }
}

fn is_source(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.starts_with("crates/")
        && text.contains("/src/")
        && text.ends_with(".rs")
        && !text.ends_with("tests.rs")
}

/// The lines of code that are so.
fn lines(text: &str, is_so: impl Fn(&str) -> bool) -> impl Iterator<Item = usize> {
    code_lines(text).filter(move |(_, line)| is_so(line)).map(|(number, _)| number)
}

/// A word or a constant stands on the right: what is compared with it is read, not joined.
fn is_fixed(right: &str) -> bool {
    let right = right.trim_start_matches([' ', '*', '&']);
    let name = right.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    right.starts_with('"') || (name.len() > 1 && !name.contains(|c: char| c.is_lowercase()))
}

/// Calls of `sort_by_key`, `min_by_key` and the like whose closure ends in a tuple of more than two.
fn choices(text: &str) -> usize {
    let Ok(file) = syn::parse_file(text) else { return 0 };
    let mut found = Choices(0);
    found.visit_file(&file);
    found.0
}

struct Choices(usize);

impl<'ast> Visit<'ast> for Choices {
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let by_key = call.method.to_string().ends_with("by_key") || call.method == "sort_by_cached_key";
        if by_key && call.args.iter().any(is_long) {
            self.0 += 1;
        }
        visit::visit_expr_method_call(self, call);
    }
}

fn is_long(argument: &syn::Expr) -> bool {
    let syn::Expr::Closure(closure) = argument else { return false };
    let last = match &*closure.body {
        syn::Expr::Block(block) => match block.block.stmts.last() {
            Some(syn::Stmt::Expr(last, None)) => last,
            _ => return false,
        },
        other => other,
    };
    matches!(last, syn::Expr::Tuple(tuple) if tuple.elems.len() > 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_by_three_keys_is_found() {
        let long = "fn f(v: &mut Vec<T>) { v.sort_by_key(|one| { let a = 1; (a, one.b, one.c) }); }";
        let short = "fn f(v: &mut Vec<T>) { v.sort_by_key(|one| (one.a, one.b)); v.len(); }";
        assert_eq!((choices(long), choices(short)), (1, 0));
    }

    #[test]
    fn what_is_compared_with_a_fixed_word_is_no_join() {
        assert!(is_fixed(" \"probe\" || other") && is_fixed(" *HERE") && is_fixed(" &FILE)"));
        assert!(
            !is_fixed(" subject") && !is_fixed(" *self.label") && !is_fixed(" T") && !is_fixed(" Some(name)")
        );
    }

    #[test]
    fn a_number_that_fell_is_lowered() {
        let two = ["a".to_owned(), "b".to_owned()];
        assert_eq!(said("joins", 2, &two), None);
        assert!(said("joins", 3, &two).is_some_and(|text| text.contains("lower")));
        assert!(said("joins", 1, &two).is_some_and(|text| text.contains("a\n    b")));
    }
}
