//! Packs the kept schemas of the documents, so that the program can carry them: all in one, for most describe the same records.

use liblzma::write::XzEncoder;
use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

const FOLDER: &str = "../../docs/schema";

/// Of xz's levels.
const BEST: u32 = 9;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={FOLDER}");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut files: Vec<PathBuf> =
        fs::read_dir(FOLDER)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.sort();
    let (mut texts, mut places) = (Vec::new(), Vec::new());
    for file in &files {
        let name = short_name(file).ok_or_else(|| format!("{}: not a schema", file.display()))?;
        let from = texts.len();
        texts.append(&mut fs::read(file)?);
        places.push((name, from, texts.len()));
    }
    let mut encoder = XzEncoder::new(Vec::new(), BEST);
    encoder.write_all(&texts)?;
    fs::write(out.join("schemas.xz"), encoder.finish()?)?;
    let table = format!(
        "/// Short name of every document, by name, and where its schema begins and ends.\n\
         // Offsets that no person reads.\n\
         #[allow(clippy::unreadable_literal)]\n\
         const PLACES: [(&str, usize, usize); {}] = {places:?};\n",
        places.len()
    );
    fs::write(out.join("schemas.rs"), table)?;
    Ok(())
}

/// `net` of `fullwire.net-1.json`.
fn short_name(file: &Path) -> Option<&str> {
    file.file_name()?.to_str()?.strip_prefix("fullwire.")?.strip_suffix("-1.json")
}
