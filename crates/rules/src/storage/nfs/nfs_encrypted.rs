rule! {
    /// # What it checks
    /// Passes when NFS mounts of data use `sec=sys`, or Kerberos without privacy, unless the site requires more.
    /// # Why it matters
    /// krb5p encrypts each byte on one CPU at each end, krb5i signs it: throughput falls to what that CPU can
    /// do.
    /// # Evidence
    /// `sec` of the mount.
    /// # Remedy
    /// `sec=krb5` where policy allows, on a separate storage network: Kerberos authenticates, and nothing is computed over the
    /// data. Or TLS offloaded by the NIC.
    /// # Source
    /// nfs(5), sec= (krb5: authentication alone, krb5i: integrity, krb5p: privacy of all traffic).
    code: "nfs-encrypted",
    title: "every NFS request is encrypted or signed",
    layer: Storage, severity: Info, on: [Mount],
    check: |run| facts::nfs_mounts(run).map(|(mount, nfs)| judge(run, mount, nfs)).collect(),
}

fn judge(run: &Run, mount: &Mount, nfs: &NfsMount) -> Outcome {
    match nfs.security.as_str() {
        "" => facts::unread(&format!("sec of {}", mount.target)),
        "krb5p" | "krb5i" => finding!(
            Kind::Mount.named(&mount.target),
            "NFS mount {} uses sec={}: each request is {}",
            mount.target,
            nfs.security,
            if nfs.security == "krb5p" { "encrypted" } else { "signed" },
        )
        .evidence(format!("sec={}", nfs.security), "options of the mount")
        .advice(
            change_nfs_option_if(
                &run.host,
                "One CPU at each end encrypts what one connection carries.",
                mount,
                Some(&format!("sec={}", nfs.security)),
                "sec=krb5",
                &["the server exports it with sec=krb5, and no policy asks for encrypted or signed data"],
            )
            .expecting(
                "the rate of the wire instead of one CPU's; Kerberos still says who may mount and open",
            ),
        )
        .into(),
        _ => Outcome::Passes,
    }
}
