//! The container image: an OCI layout (opencontainers/image-spec 1.0) of one layer with one executable for each
//! architecture, written without a daemon, as a tar that `skopeo copy oci-archive:FILE docker://…` pushes.

use super::arch::Arch;
use super::archive::tar;
use super::sums::sha256;
use super::tree::Entry;
use super::{Release, gzip};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::PathBuf;

const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// The archive.
pub(super) fn make(release: &Release, programs: &[(&Arch, PathBuf)]) -> Result<PathBuf> {
    let mut layout = Layout::default();
    let mut manifests = Vec::new();
    for (arch, program) in programs {
        let bytes = std::fs::read(program).with_context(|| format!("read {}", program.display()))?;
        let mut manifest = layout.image(release, arch, bytes)?;
        manifest["platform"] = json!({ "architecture": arch.debian, "os": "linux" });
        manifests.push(manifest);
    }
    let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": manifests });
    let mut top = layout.blob(INDEX, index.to_string().into_bytes());
    top["annotations"] = json!({ "org.opencontainers.image.ref.name": release.version });
    let outer = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [top] });
    layout.files.push(Entry::file("index.json", 0o644, outer.to_string().into_bytes()));
    layout.files.push(Entry::file("oci-layout", 0o644, b"{\"imageLayoutVersion\":\"1.0.0\"}".to_vec()));
    release.write(&format!("fullwire-{}-oci.tar", release.version), &tar(&layout.files, release.epoch)?)
}

#[derive(Default)]
struct Layout {
    files: Vec<Entry>,
}

impl Layout {
    /// One architecture's; its descriptor.
    fn image(&mut self, release: &Release, arch: &Arch, program: Vec<u8>) -> Result<Value> {
        let layer = tar(&root(program), release.epoch)?;
        let bare = sha256(&layer);
        let layer = self.blob(LAYER, gzip(&layer)?);
        let created = jiff::Timestamp::from_second(i64::try_from(release.epoch)?)?.to_string();
        let config = json!({
            "architecture": arch.debian,
            "os": "linux",
            "created": created,
            "config": {
                "Entrypoint": ["/usr/bin/fullwire"],
                "Env": ["PATH=/usr/bin", "FULLWIRE_STORE=/tmp/fullwire.db"],
                "User": "65534:65534",
                "WorkingDir": "/tmp",
                "Labels": {
                    "org.opencontainers.image.title": "fullwire",
                    "org.opencontainers.image.version": release.version,
                    "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
                },
            },
            "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{bare}")] },
            "history": [{ "created": created, "created_by": "cargo xtask dist" }],
        });
        let config = self.blob(CONFIG, config.to_string().into_bytes());
        let manifest =
            json!({ "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": [layer] });
        Ok(self.blob(MANIFEST, manifest.to_string().into_bytes()))
    }

    /// Keeps a blob under its sum; its descriptor.
    fn blob(&mut self, kind: &str, bytes: Vec<u8>) -> Value {
        let sum = sha256(&bytes);
        let descriptor = json!({ "mediaType": kind, "digest": format!("sha256:{sum}"), "size": bytes.len() });
        self.files.push(Entry::file(format!("blobs/sha256/{sum}"), 0o644, bytes));
        descriptor
    }
}

/// What a program needs that is alone: names of users, an order of name services, a place for files.
fn root(program: Vec<u8>) -> Vec<Entry> {
    let text = |path: &str, text: &str| Entry::file(path, 0o644, text.as_bytes().to_vec());
    vec![
        Entry::file("usr/bin/fullwire", 0o755, program),
        text(
            "etc/passwd",
            "root:x:0:0:root:/:/sbin/nologin\nnobody:x:65534:65534:nobody:/tmp:/sbin/nologin\n",
        ),
        text("etc/group", "root:x:0:\nnobody:x:65534:\n"),
        text("etc/nsswitch.conf", "hosts: files dns\n"),
        Entry::directory("tmp", 0o1777),
    ]
}
