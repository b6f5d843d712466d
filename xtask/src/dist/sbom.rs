//! The list of what the executable is made of: CycloneDX 1.5, from cargo's own resolution for the target.

use super::Release;
use super::arch::Arch;
use crate::cargo;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What the project allows itself to be linked from, our own crates included: a new dependency that brings many others is
/// to be noticed.
pub(super) const MOST: usize = 220;

/// A crate that is linked in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: String,
    licence: String,
    /// From the registry; else of this repository.
    pub(super) registry: bool,
    /// Crates that it is built on, as places in the list.
    pub(super) needs: Vec<usize>,
}

/// What `fullwire` is linked from on this target: no build scripts, no tests. It is the last one.
pub(super) fn packages(arch: &Arch) -> Result<Vec<Package>> {
    let output = cargo()
        .args(["metadata", "--format-version=1", "--locked", "--filter-platform", arch.target])
        .output()
        .context("run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages = list(&metadata["packages"]);
    let mut needs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for node in list(&metadata["resolve"]["nodes"]) {
        let linked = list(&node["deps"])
            .into_iter()
            .filter(|dependency| list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()));
        needs.insert(text(&node["id"]), linked.map(|dependency| text(&dependency["pkg"])).collect());
    }
    // Cargo's metadata has the features of all members at the same time, its tree those of this one.
    let linked = linked(arch)?;
    let mut found: Vec<Package> = packages
        .iter()
        .filter(|one| linked.contains(&(text(&one["name"]), text(&one["version"]))))
        .map(|one| Package {
            id: text(&one["id"]),
            name: text(&one["name"]),
            version: text(&one["version"]),
            licence: text(&one["license"]),
            registry: one["source"].is_string(),
            needs: Vec::new(),
        })
        .collect();
    let key = |one: &Package| (one.name == "fullwire", one.name.clone(), one.version.clone());
    found.sort_by_key(key);
    let places: BTreeMap<String, usize> =
        found.iter().enumerate().map(|(place, one)| (one.id.clone(), place)).collect();
    for package in &mut found {
        let ids = needs.get(&package.id).into_iter().flatten();
        package.needs = ids.filter_map(|id| places.get(id).copied()).collect();
        package.needs.sort_unstable();
    }
    if found.len() > MOST {
        bail!("{} crates are linked, more than {MOST}: see ARCHITECTURE.md, Dependencies", found.len());
    }
    Ok(found)
}

/// Names and versions of what is linked: no procedural macros, which run in the compiler.
fn linked(arch: &Arch) -> Result<BTreeSet<(String, String)>> {
    let output = cargo()
        .args([
            "tree", "--locked", "--package", "fullwire", "--edges", "normal,no-proc-macro", "--prefix",
            "none",
        ])
        .args(["--format", "{p}", "--target", arch.target])
        .output()
        .context("run cargo tree")?;
    if !output.status.success() {
        bail!("cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // `serde v1.0.229`, with what else is known of it behind.
    let pair = |line: &str| {
        let mut words = line.split(' ');
        Some((words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
    };
    Ok(text.lines().filter_map(pair).collect())
}

/// The document.
pub(super) fn cyclonedx(release: &Release, packages: &[Package]) -> Result<Vec<u8>> {
    let (root, others) = packages.split_last().context("there is no package")?;
    let time = jiff::Timestamp::from_second(i64::try_from(release.epoch)?)?.to_string();
    let dependencies: Vec<Value> = packages
        .iter()
        .map(|one| {
            let needs: Vec<String> =
                one.needs.iter().filter_map(|place| packages.get(*place)).map(reference).collect();
            json!({ "ref": reference(one), "dependsOn": needs })
        })
        .collect();
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "timestamp": time, "component": component(root, "application") },
        "components": others.iter().map(|one| component(one, "library")).collect::<Vec<_>>(),
        "dependencies": dependencies,
    });
    let mut text = serde_json::to_vec_pretty(&document)?;
    text.push(b'\n');
    Ok(text)
}

fn component(package: &Package, kind: &str) -> Value {
    let mut component = json!({
        "type": kind,
        "bom-ref": reference(package),
        "name": package.name,
        "version": package.version,
        "purl": reference(package),
    });
    if !package.licence.is_empty() {
        // Cargo still takes the slash of older manifests for OR.
        component["licenses"] = json!([{ "expression": package.licence.replace('/', " OR ") }]);
    }
    component
}

fn reference(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}
