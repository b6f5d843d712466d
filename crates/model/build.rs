//! Packs the kept schemas of the documents, so that the program can carry them.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

const FOLDER: &str = "../../docs/schema";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={FOLDER}");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut files: Vec<PathBuf> =
        fs::read_dir(FOLDER)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.sort();
    let mut table = String::from(
        "/// Short name and packed schema of every document, by name.\nconst KEPT: &[(&str, &[u8])] = &[\n",
    );
    for file in files {
        let name = short_name(&file).ok_or_else(|| format!("{}: not a schema", file.display()))?;
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&fs::read(&file)?)?;
        fs::write(out.join(format!("{name}.zlib")), encoder.finish()?)?;
        writeln!(table, "    ({name:?}, include_bytes!(\"{name}.zlib\")),")?;
    }
    table.push_str("];\n");
    fs::write(out.join("schemas.rs"), table)?;
    Ok(())
}

/// `net` of `fullwire.net-1.json`.
fn short_name(file: &Path) -> Option<&str> {
    file.file_name()?.to_str()?.strip_prefix("fullwire.")?.strip_suffix("-1.json")
}
