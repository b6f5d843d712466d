//! The import graph inside each crate: who names whom, and no circles.
//!
//! A module is a file. Naming a module is no edge, using what a file defines is one; a name that a parent re-exports
//! counts for the file that defines it. A file is part of the modules around it: what those define, it may use. Tests
//! may name what they like.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// Segments below the crate's root; the root itself has none.
type Place = Vec<String>;

/// A re-export leads to a re-export no more often than this.
const DEEPEST_REEXPORT: usize = 8;

/// The circles of every crate, each as a sentence.
pub(super) fn circles(files: &[PathBuf]) -> Vec<String> {
    let mut crates: BTreeMap<PathBuf, Vec<&PathBuf>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "rs")) {
        if let Some(source) = source_folder(file) {
            crates.entry(source).or_default().push(file);
        }
    }
    crates.iter().flat_map(|(source, files)| circles_of(source, files)).collect()
}

/// `crates/x/src` or `xtask/src`, for a file below it.
fn source_folder(file: &Path) -> Option<PathBuf> {
    file.ancestors().find(|folder| folder.ends_with("src")).map(Path::to_owned)
}

fn circles_of(source: &Path, files: &[&PathBuf]) -> Vec<String> {
    let mut house = House::default();
    for file in files {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let Ok(parsed) = syn::parse_file(&text) else { continue };
        house.rooms.insert(place(source, file), Room::of(&parsed));
    }
    let graph = house.graph();
    let shown = |place: &Place| {
        let file = files.iter().find(|file| &self::place(source, file) == place);
        file.map(|file| file.display().to_string()).unwrap_or_default()
    };
    strongly_connected(&graph)
        .into_iter()
        .map(|circle| {
            let edges = circle.iter().flat_map(|from| {
                let inside = graph[from].iter().filter(|to| circle.contains(*to));
                inside.map(|to| format!("{} -> {}", shown(from), shown(to))).collect::<Vec<_>>()
            });
            format!("a circle of {} modules:\n    {}", circle.len(), edges.collect::<Vec<_>>().join("\n    "))
        })
        .collect()
}

/// Where a file is in its crate.
fn place(source: &Path, file: &Path) -> Place {
    let inside = file.strip_prefix(source).unwrap_or(file).with_extension("");
    let mut place: Place = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let root = place.len() == 1 && matches!(place[0].as_str(), "lib" | "main");
    if root || place.last().is_some_and(|name| name == "mod") {
        place.pop();
    }
    place
}

/// What one file says.
#[derive(Default)]
struct Room {
    /// Names that it defines.
    items: BTreeSet<String>,
    /// Name here, and the path that it stands for.
    imports: Vec<(String, Place)>,
    /// The same, for others too. The name `*` stands for all.
    exports: Vec<(String, Place)>,
    /// Every path that its code writes.
    paths: Vec<Place>,
    /// How deep in a module that is written out in the file.
    inline: usize,
}

impl Room {
    fn of(file: &syn::File) -> Self {
        let mut room = Self::default();
        room.visit_file(file);
        room
    }

    fn import(&mut self, tree: &syn::UseTree, before: &Place, exported: bool) {
        let with = |name: String| before.iter().cloned().chain([name]).collect::<Place>();
        let (name, path) = match tree {
            syn::UseTree::Path(path) => {
                return self.import(&path.tree, &with(path.ident.to_string()), exported);
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|item| self.import(item, before, exported));
            }
            syn::UseTree::Name(name) if name.ident == "self" => {
                (before.last().cloned().unwrap_or_default(), before.clone())
            }
            syn::UseTree::Name(name) => (name.ident.to_string(), with(name.ident.to_string())),
            syn::UseTree::Rename(name) => (name.rename.to_string(), with(name.ident.to_string())),
            syn::UseTree::Glob(_) => ("*".to_owned(), before.clone()),
        };
        let list = if exported { &mut self.exports } else { &mut self.imports };
        list.push((name, path));
    }

    /// `super` within a module that is written out in the file leads to the file.
    fn outwards(&self, mut path: Place) -> Place {
        let ups = path.iter().take_while(|segment| *segment == "super").count().min(self.inline);
        path.drain(..ups);
        path
    }

    /// Paths in a macro's arguments: names joined by `::`.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = Place::new();
        let mut joined = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => joined += 1,
                TokenTree::Ident(name) => {
                    if joined != 2 {
                        self.keep(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    joined = 0;
                }
                other => {
                    self.keep(std::mem::take(&mut path));
                    joined = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.keep(path);
    }

    fn keep(&mut self, path: Place) {
        if !path.is_empty() {
            let path = self.outwards(path);
            self.paths.push(path);
        }
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|what| what.is_ident("test")))
    })
}

impl<'ast> Visit<'ast> for Room {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let (name, attributes) = match item {
            syn::Item::Const(item) => (Some(&item.ident), &item.attrs),
            syn::Item::Enum(item) => (Some(&item.ident), &item.attrs),
            syn::Item::Fn(item) => (Some(&item.sig.ident), &item.attrs),
            syn::Item::Static(item) => (Some(&item.ident), &item.attrs),
            syn::Item::Struct(item) => (Some(&item.ident), &item.attrs),
            syn::Item::Trait(item) => (Some(&item.ident), &item.attrs),
            syn::Item::Type(item) => (Some(&item.ident), &item.attrs),
            syn::Item::Impl(item) => (None, &item.attrs),
            syn::Item::Mod(item) => (None, &item.attrs),
            syn::Item::Use(item) => (None, &item.attrs),
            _ => return visit::visit_item(self, item),
        };
        if is_test(attributes) {
            return;
        }
        self.items.extend(name.filter(|_| self.inline == 0).map(ToString::to_string));
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.inline += 1;
        visit::visit_item_mod(self, item);
        self.inline -= 1;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let exported = !matches!(item.vis, syn::Visibility::Inherited) && self.inline == 0;
        let written = self.imports.len();
        self.import(&item.tree, &Place::new(), exported);
        for index in written..self.imports.len() {
            let path = std::mem::take(&mut self.imports[index].1);
            self.imports[index].1 = self.outwards(path);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.keep(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.visit_path(&item.path);
        self.tokens(item.tokens.clone());
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

/// All files of a crate.
#[derive(Default)]
struct House {
    rooms: BTreeMap<Place, Room>,
}

impl House {
    fn graph(&self) -> BTreeMap<Place, BTreeSet<Place>> {
        self.rooms.iter().map(|(place, room)| (place.clone(), self.used_by(place, room))).collect()
    }

    /// The files whose definitions a file uses.
    fn used_by(&self, place: &Place, room: &Room) -> BTreeSet<Place> {
        let imported = room.imports.iter().map(|(_, path)| path);
        let paths = imported.chain(&room.paths);
        let absolute = paths.filter_map(|path| self.absolute(place, path));
        absolute.filter_map(|path| self.definer(&path, 0)).filter(|to| !place.starts_with(to)).collect()
    }

    /// A path as it is written in a file, from the root of the crate; `None` for another crate's.
    fn absolute(&self, place: &Place, path: &Place) -> Option<Place> {
        let first = path.first()?;
        match first.as_str() {
            "crate" => return Some(path[1..].to_vec()),
            "self" => return Some([place, &path[1..]].concat()),
            "super" => {
                let ups = path.iter().take_while(|segment| *segment == "super").count();
                let kept = place.len().checked_sub(ups)?;
                return Some([&place[..kept], &path[ups..]].concat());
            }
            _ => {}
        }
        let child = [place, std::slice::from_ref(first)].concat();
        if self.rooms.contains_key(&child) {
            return Some([place, path.as_slice()].concat());
        }
        let room = self.rooms.get(place)?;
        let named = room.imports.iter().chain(&room.exports).find(|(name, _)| name == first);
        let (_, stands_for) = named.filter(|(_, stands_for)| stands_for.first() != Some(first))?;
        let start = self.absolute(place, stands_for)?;
        Some([start.as_slice(), &path[1..]].concat())
    }

    /// The file that defines what a path leads to; `None` where it only names a module.
    fn definer(&self, path: &Place, depth: usize) -> Option<Place> {
        let length = (0..=path.len()).rev().find(|length| self.rooms.contains_key(&path[..*length]))?;
        let module = path[..length].to_vec();
        let name = path.get(length)?;
        let room = &self.rooms[&module];
        if room.items.contains(name) || depth == DEEPEST_REEXPORT {
            return Some(module);
        }
        let named = room.exports.iter().find(|(exported, _)| exported == name);
        if let Some((_, stands_for)) = named {
            let start = self.absolute(&module, stands_for)?;
            return self.definer(&[start.as_slice(), &path[length + 1..]].concat(), depth + 1);
        }
        let globs = room.exports.iter().filter(|(exported, _)| exported == "*");
        let mut through = globs.filter_map(|(_, stands_for)| {
            let start = self.absolute(&module, stands_for)?;
            let inside = self.rooms.get(&start)?;
            inside.items.contains(name).then_some(start)
        });
        through.next().or(Some(module))
    }
}

/// Groups of places that all lead to one another: for each not yet grouped, those it reaches that reach it.
fn strongly_connected(graph: &BTreeMap<Place, BTreeSet<Place>>) -> Vec<BTreeSet<Place>> {
    let reached: BTreeMap<&Place, BTreeSet<&Place>> =
        graph.keys().map(|from| (from, reachable(graph, from))).collect();
    let mut grouped: BTreeSet<&Place> = BTreeSet::new();
    let mut circles = Vec::new();
    for from in graph.keys() {
        if grouped.contains(from) || !reached[from].contains(from) {
            continue;
        }
        let circle: BTreeSet<Place> = reached[from]
            .iter()
            .filter(|to| reached.get(**to).is_some_and(|back| back.contains(from)))
            .map(|to| (*to).clone())
            .collect();
        grouped.extend(graph.keys().filter(|place| circle.contains(*place)));
        circles.push(circle);
    }
    circles
}

/// What can be reached from here in one step or more.
fn reachable<'a>(graph: &'a BTreeMap<Place, BTreeSet<Place>>, from: &Place) -> BTreeSet<&'a Place> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&Place> = graph.get(from).into_iter().flatten().collect();
    while let Some(next) = open.pop() {
        if seen.insert(next) {
            open.extend(graph.get(next).into_iter().flatten());
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The circles of a crate with these files.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("src");
        let paths = files.iter().map(|(name, text)| {
            let path = source.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(&path, text).expect("written");
            path
        });
        circles(&paths.collect::<Vec<_>>())
    }

    #[test]
    fn a_circle_is_found_through_imports_paths_and_macros() {
        for back in
            ["use crate::a::A;", "fn f() { super::a::f() }", "fn f() { println!(\"{}\", crate::a::f()) }"]
        {
            let files =
                [("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b;\nfn g() { b::h() }"), ("b.rs", back)];
            let circles = found(&files);
            assert!(circles.len() == 1 && circles[0].contains("a.rs -> "), "{back}: {circles:?}");
        }
    }

    #[test]
    fn parents_tests_names_and_other_crates_are_no_circle() {
        let files = [
            ("lib.rs", "mod a; mod b;\npub use a::A;"),
            ("a/mod.rs", "pub mod c;\npub use c::C;\npub struct A;\nfn f() { c::g() }"),
            ("a/c.rs", "use super::A;\nuse std::b;\npub struct C;"),
            ("b.rs", "use crate::a::C;\n#[cfg(test)]\nmod tests { use crate::a; }"),
        ];
        assert_eq!(found(&files), Vec::<String>::new());
    }

    #[test]
    fn a_re_exported_name_counts_for_the_file_that_defines_it() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "mod c;\nmod d;\npub use c::C;\npub use d::*;"),
            ("a/c.rs", "use crate::b::B;\npub struct C;"),
            ("a/d.rs", "pub struct D;"),
            ("b.rs", "use crate::a::D;\npub struct B;"),
        ];
        assert_eq!(found(&files), Vec::<String>::new(), "b needs d alone");
    }
}
