rule! {
    /// # What it checks
    /// Applies to devices of PowerPath with two paths or more; passes when none has the policy `BasicFailover`.
    /// # Why it matters
    /// This is what PowerPath falls back to without a licence: one path carries all I/O, and when its adapter fails, I/O
    /// fails, although paths over another are there.
    /// # Evidence
    /// `policy=` of `powermt display dev=all`; paths in the mode `unlic`.
    /// # Remedy
    /// `emcpreg -install` with the key of the licence, then `powermt set policy` and `powermt save`.
    /// # Source
    /// EMC PowerPath Family Version 5.7, CLI and System Messages Reference (300-014-168), `powermt set policy`, bf: no load
    /// balancing; failover is limited to one host bus adapter and one port of each storage processor; it protects against
    /// failures of these, not of the adapter.
    code: "powerpath-unlicensed",
    title: "PowerPath runs without a licence and uses one adapter alone",
    layer: Storage, severity: Warning, on: [MultipathMap],
}

fn policy(map: &MultipathMap) -> &str {
    map.groups.first().map_or("", |group| group.selector.as_str())
}

fn check(run: &Facts) -> Vec<Outcome> {
    let of_several =
        |map: &&MultipathMap| map.groups.iter().map(|group| group.paths.len()).sum::<usize>() > 1;
    let maps: Vec<&MultipathMap> =
        run.host.multipath.iter().filter(|map| map.is_powerpath()).filter(of_several).collect();
    let bare: Vec<&str> =
        maps.iter().filter(|map| policy(map) == "BasicFailover").map(|map| map.name.as_str()).collect();
    let Some(first) = bare.first() else {
        let unread = maps.iter().find(|map| policy(map).is_empty());
        return match unread {
            Some(map) => vec![facts::unread(&format!("the policy of {}", map.name))],
            None => maps.iter().map(|_| Outcome::Passes).collect(),
        };
    };
    let have = if bare.len() == 1 { "has" } else { "have" };
    let message = format!(
        "{} {have} the policy BasicFailover, as PowerPath sets it without a licence: one adapter carries all I/O, and no other takes over",
        facts::listed(&bare)
    );
    vec![
        RULE.finding(Kind::MultipathMap.named(*first), message)
            .also(bare.iter().skip(1).copied())
            .evidence("policy=BasicFailover", "powermt display dev=all")
            .because("The other adapter's paths are there, but PowerPath may not use them without a licence.")
            .now("`emcpreg -list` shows the licences; `emcpreg -install` takes the key of one")
            .now("`powermt set policy=so class=symm` for PowerMax and VMAX, `powermt set policy=co class=vnx` for Unity and VNX, `powermt set policy=ad class=all` for others: `powermt display options` lists the classes of this host")
            .persist("`powermt save` keeps the policy")
            .expecting("policy=SymmOpt, CLAROpt or Adaptive in `powermt display dev=all`, and no path in the mode unlic")
            .into(),
    ]
}
