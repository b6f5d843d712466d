//! What `fullwire estate up` writes: the server's configuration, and units that a person installs.

use super::credential::{Operator, Server, key};
use super::jwt;
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Larger than any run: one of 8 MB compressed has about a hundred unpacked.
const MOST_PAYLOAD: u64 = 8 << 20;
/// `JetStream`'s share of the disk: the stream of results and room to spare.
const MOST_FILE: i64 = super::link::STREAM_BYTES + (64 << 20);

/// The server's configuration: it knows the operator and the account; members come with their own tokens.
pub(super) fn server(operator: &Operator) -> Result<String> {
    let (signer, account) = (key(&operator.operator_seed)?, key(&operator.account_seed)?);
    let Operator { estate, operator_jwt, system_key, system_jwt, .. } = operator;
    let account_jwt = jwt::account(estate, &account, &operator.revoked, true, &signer)?;
    let Server { listen, store_dir, tls } = &operator.server;
    let mut text = format!(
        "# nats-server for the fullwire estate {estate}, written by fullwire estate up: it is written again when a host\n\
         # is removed. Version 2.11 or later:\n\
         #   go install github.com/nats-io/nats-server/v2@v2.15.2\n\
         server_name: \"fullwire-{estate}\"\n\
         listen: \"{listen}\"\n\
         max_payload: {MOST_PAYLOAD}\n\
         operator: \"{operator_jwt}\"\n\
         system_account: \"{}\"\n\
         resolver: MEMORY\n\
         resolver_preload: {{\n  {}: \"{account_jwt}\"\n  {}: \"{system_jwt}\"\n}}\n\
         # A result is acknowledged to its host only when PostgreSQL has it: nothing here must survive. Writing through\n\
         # is cheap at this rate all the same.\n\
         jetstream: {{\n  store_dir: \"{store_dir}\"\n  max_memory_store: 67108864\n  max_file_store: {MOST_FILE}\n  \
         sync_interval: always\n}}\n",
        system_key,
        account.public_key(),
        system_key,
    );
    if let Some((certificate, key)) = tls {
        let _ = write!(
            text,
            "tls: {{\n  cert_file: \"{certificate}\"\n  key_file: \"{key}\"\n  timeout: 5\n}}\n"
        );
    }
    Ok(text)
}

const NATS_UNIT: &str = "[Unit]
Description=NATS server of the fullwire estate
After=network-online.target
Wants=network-online.target

[Service]
User=nats
ExecStart=/usr/local/bin/nats-server -c @DIR@/nats-server.conf
ExecReload=/bin/kill -HUP $MAINPID
Restart=always
RestartSec=2
LimitNOFILE=65536
NoNewPrivileges=yes
ProtectSystem=full
ProtectHome=yes
PrivateTmp=yes

[Install]
WantedBy=multi-user.target
";

const COORDINATOR_UNIT: &str = "[Unit]
Description=fullwire coordinator: plans the rounds of the estate
After=network-online.target
Wants=network-online.target

[Service]
User=fullwire
ExecStart=/usr/bin/fullwire coordinator --credential @DIR@/coordinator.json --listen 127.0.0.1:5556
Restart=always
RestartSec=5
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes

[Install]
WantedBy=multi-user.target
";

/// For every host; its limits are the host's own business and are here.
pub(super) const AGENT_UNIT: &str = "[Unit]
Description=fullwire agent: takes part in the rounds of the estate
After=network-online.target
Wants=network-online.target

[Service]
# Limits of this host, such as: --between 22:00-05:00 --max-rate 1Gbit --budget 100GB
ExecStart=/usr/bin/fullwire agent --credential /etc/fullwire/agent.json --store /var/lib/fullwire/agent.db
Restart=always
RestartSec=5
NoNewPrivileges=yes
ProtectSystem=full
PrivateTmp=yes

[Install]
WantedBy=multi-user.target
";

/// All units, by file name.
pub(super) fn units(dir: &Path) -> [(&'static str, String); 3] {
    let fill = |text: &str| text.replace("@DIR@", &dir.display().to_string());
    [
        ("fullwire-nats.service", fill(NATS_UNIT)),
        ("fullwire-coordinator.service", fill(COORDINATOR_UNIT)),
        ("fullwire-agent.service", AGENT_UNIT.to_owned()),
    ]
}

/// A directory for its owner alone.
pub(super) fn make_dir(dir: &Path) -> Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.with_context(|| format!("make the directory {}", dir.display()))
}

/// Writes a file completely or not at all: under another name first.
pub(super) fn write(path: &Path, text: &str, mode: u32) -> Result<()> {
    let temporary = PathBuf::from(format!("{}.{}", path.display(), std::process::id()));
    let failed = || format!("write {}", path.display());
    // What a broken run left there.
    let _ = std::fs::remove_file(&temporary);
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary).with_context(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).with_context(failed)?;
    std::fs::rename(&temporary, path).with_context(failed)
}
