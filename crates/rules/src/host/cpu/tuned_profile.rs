rule! {
    /// # What it checks
    /// Applies where tuned runs on a database host; passes unless its profile is one of those that are chosen for any host
    /// (`balanced`, `powersave`, `virtual-guest` and the like). What somebody chose or wrote for a purpose is left.
    /// # Why it matters
    /// `balanced` and `powersave` trade speed for power; `virtual-guest` sets dirty ratios that no database
    /// wants.
    /// # Evidence
    /// The active tuned profile.
    /// # Remedy
    /// `tuned-adm profile oracle` (postgresql, mssql, throughput-performance).
    /// # Source
    /// redhat-performance/tuned, profiles/*/tuned.conf; tuned-adm(8), verify.
    code: "tuned-profile",
    title: "the tuned profile is not one for databases",
    layer: Host, severity: Info, on: [Process],
    when: |run| !run.host.databases.is_empty(),
}

/// What tuned chooses itself for a host that nobody has told it about (tuned, `recommend.conf`), and those for desktops and
/// laptops.
const GENERAL: [&str; 11] = [
    "balanced", "balanced-battery", "powersave", "desktop", "desktop-powersave", "laptop-ac-powersave",
    "laptop-battery-powersave", "default", "server-powersave", "virtual-guest", "virtual-host",
];

fn check(run: &Facts) -> Vec<Outcome> {
    let wanted = match run.host.databases[0].kind.as_str() {
        kind if kind.starts_with("oracle") => "oracle",
        "postgresql" => "postgresql",
        "mssql" => "mssql",
        _ => "throughput-performance",
    };
    match run.host.tuned_profile.as_deref() {
        None => vec![facts::unread("the active tuned profile")],
        // It includes throughput-performance, and no profile is of this database.
        Some("virtual-guest" | "virtual-host") if wanted == "throughput-performance" => vec![Outcome::Passes],
        // Whoever chose another had a reason: isolated CPUs, an appliance, a profile of one's own.
        Some(profile) if !GENERAL.contains(&profile) => vec![Outcome::Passes],
        Some(profile) => vec![
            finding!(
                Kind::Process.named("tuned"),
                "tuned profile {profile} is active; {wanted} fits the database here",
            )
            .evidence(format!("active profile {profile}"), "/etc/tuned/active_profile")
            .because("The profile sets what several findings of this report ask for, and keeps it.")
            .run(sh!("tuned-adm profile {}", wanted), "Switches the profile; it is kept")
            // Which also says whether tuned chose the profile itself.
            .writes("/etc/tuned/active_profile")
            .writes("/etc/tuned/profile_mode")
            .check("systemctl is-active -q tuned", "tuned runs")
            .check(sh!("tuned-adm list | grep -qwF {}", wanted), package(wanted))
            .needs("this profile sets nothing that another team has decided otherwise: `tuned-adm profile_info` shows it")
            .look("tuned-adm verify", "Checks that everything was applied")
            .persist("tuned keeps the profile, where it starts at boot: `systemctl is-enabled tuned`")
            .undo_now_run(sh!("tuned-adm profile {}", profile), "Switches back")
            .expecting("`tuned-adm verify` succeeds")
            .into(),
        ],
    }
}

/// Where the profile comes from: those of databases are in packages of their own, as tuned.spec has them.
fn package(profile: &str) -> String {
    match profile {
        "oracle" | "mssql" | "postgresql" => {
            format!("`tuned-adm list` shows {profile}; otherwise install tuned-profiles-{profile}")
        }
        _ => format!("`tuned-adm list` shows {profile}"),
    }
}
