rule! {
    /// # What it checks
    /// Passes when an iSCSI session computes no checksum over its data (data digest).
    /// # Why it matters
    /// CRC32C over all data costs CPU in the initiator for each byte, and some adapters lose their offload. It protects
    /// against errors that the checksum of TCP misses: on purpose it is worth it, hence a note.
    /// # Evidence
    /// `data_digest` of the connection.
    /// # Remedy
    /// `node.conn[0].iscsi.DataDigest = None`, the default.
    /// # Source
    /// open-iscsi, `iscsid.conf` (`DataDigest`, None by default); RFC 7143, section 13.1.
    code: "iscsi-digest",
    title: "an iSCSI session computes a checksum over all data",
    layer: Storage, severity: Info, on: [IscsiSession],
    check: |run| run.host.iscsi_sessions.iter().map(|session| judge(run, session)).collect(),
}

fn judge(run: &Facts, session: &IscsiSession) -> Outcome {
    let name = &session.name;
    match session.data_digest.as_str() {
        "" => facts::unread(&format!("the data digest of {name}")),
        "None" => Outcome::Passes,
        digest => {
            finding!(Kind::IscsiSession.named(name), "iSCSI session {name} computes {digest} over all data")
                .evidence(format!("data_digest {digest}"), "/sys/class/iscsi_connection")
                .because("The checksum costs CPU for each byte, at both ends.")
                .run(
                    sh!(
                        "iscsiadm -m node -T {} -o update -n {} -v None",
                        session.target,
                        "node.conn[0].iscsi.DataDigest"
                    ),
                    "Stored for the next login; the session keeps its value",
                )
                .and(super::login_again(&run.host, session))
                .persist("Keep it where the network is not trusted: it is a choice of safety against CPU")
                .undo_run(
                    sh!(
                        "iscsiadm -m node -T {} -o update -n {} -v {}",
                        session.target,
                        "node.conn[0].iscsi.DataDigest",
                        digest
                    ),
                    "Stores the former value",
                )
                .expecting("less CPU for each byte in `fullwire disk`")
                .into()
        }
    }
}
