//! What a field decides, in any spelling.

use super::*;

fn fields(pairs: &[(&str, &str)]) -> Vec<Field> {
    pairs.iter().map(|(name, value)| Field::new(name, value)).collect()
}

#[test]
fn a_share_is_known_in_any_spelling_and_only_of_what_must_not_be_full() {
    let is = |name: &str, value: &str| share("t7", &Field::new(name, value)).map(|one| one.bad.is_some());
    for (name, value) in [
        ("PCT_USED", "98.7"),
        ("Use%", "99%"),
        ("used_percent", "98,1"),
        ("% Free", "1.2"),
        ("Capacity", "98%"),
        ("%RAW USED", "87.2"),
        ("%util", "99.1"),
    ] {
        assert_eq!(is(name, value), Some(true), "{name}");
    }
    for (name, value) in [("PCT_USED", "91.2"), ("%RAW USED", "81"), ("Free%", "12")] {
        assert_eq!(is(name, value), Some(false), "{name}");
    }
    for (name, value) in [
        ("Mem Used %", "99"),
        ("cache used%", "100"),
        ("%CPU", "99"),
        ("Hit %", "99"),
        ("Used", "99"),
        ("Capacity", "99 GB"),
    ] {
        assert_eq!(is(name, value), None, "{name}");
    }
}

#[test]
fn a_part_is_held_against_its_own_whole() {
    let is = |pairs: &[(&str, &str)]| part("t7", &fields(pairs)).map(|one| one.bad.is_some());
    assert_eq!(is(&[("Size", "10 GB"), ("Used", "9.9 GB"), ("Avail", "100 MB")]), Some(true));
    assert_eq!(is(&[("SIZE_MB", "1,000"), ("USED_MB", "412")]), Some(false));
    assert_eq!(is(&[("connections", "150"), ("max connections", "151")]), Some(true));
    assert_eq!(is(&[("current", "7"), ("max", "7")]), None, "the highest that was seen");
    assert_eq!(is(&[("used", "7 GB"), ("size", "7 dBm")]), None);
}

#[test]
fn a_figure_is_held_against_the_bounds_beside_it() {
    let told = |pairs: &[(&str, &str)]| {
        beyond("", &fields(pairs)).into_iter().filter_map(|one| one.bad).collect::<Vec<_>>()
    };
    let optics = [
        ("Receiver signal average optical power", "0.0001 mW / -40.00 dBm"),
        ("Laser output power", "0.5 mW / -3.01 dBm"),
        ("Laser output power low alarm threshold", "0.1 mW / -10.00 dBm"),
        ("Laser rx power low alarm threshold", "0.0100 mW / -20.00 dBm"),
        ("Laser rx power low warning threshold", "0.0158 mW / -18.01 dBm"),
    ];
    assert_eq!(
        told(&optics),
        [
            "beyond: what=Receiver signal average optical power; is=0.0001 mW / -40.00 dBm; side=below; bound=0.0100 mW / -20.00 dBm"
        ]
    );
    let core = [("reading", "+84.0\u{b0}C"), ("high", "+80.0\u{b0}C"), ("crit", "+100.0\u{b0}C")];
    assert_eq!(told(&core).len(), 1);
    assert_eq!(told(&[("reading", "+74.0\u{b0}C"), ("high", "+80.0\u{b0}C")]), Vec::<String>::new());
    let four = |row: &str| of_four("Rx Power", row).and_then(|one| one.bad);
    assert_eq!(
        four("-14.12 dBm -- 1.99 dBm -13.97 dBm -1.00 dBm -9.91 dBm").as_deref(),
        Some("beyond: what=Rx Power; is=-14.12 dBm; side=below; bound=-13.97 dBm")
    );
    assert_eq!(four("-4.12 dBm 1.99 dBm -13.97 dBm -1.00 dBm -9.91 dBm"), None);
}

#[test]
fn what_is_late_open_or_lacks_a_part_is_told() {
    let late = |pairs: &[(&str, &str)]| {
        let fields = fields(pairs);
        fields.iter().find_map(|field| late("t7", field, &fields)).map(|one| one.bad.is_some())
    };
    assert_eq!(late(&[("replay_lag", "00:05:12")]), Some(true));
    assert_eq!(late(&[("Seconds_Behind", "12")]), Some(false));
    assert_eq!(late(&[("lag_mb", "4122")]), Some(true));
    assert_eq!(late(&[("AGE", "412d")]), None, "of a thing and not of a transaction");
    assert_eq!(late(&[("gid", "x"), ("age", "3 days 04:00:00")]), Some(true));
    let lacks = |pairs: &[(&str, &str)]| lacking("t7", &fields(pairs)).map(|one| one.bad.is_some());
    assert_eq!(lacks(&[("Total Path Count", "4"), ("Operational Path Count", "2")]), Some(true));
    assert_eq!(lacks(&[("READY", "2/3"), ("STATUS", "Running")]), Some(true));
    assert_eq!(lacks(&[("READY", "0/1"), ("STATUS", "Completed")]), None);
    assert_eq!(lacks(&[("Total", "8"), ("Online", "6"), ("Spare", "2")]), Some(false));
    assert_eq!(lacks(&[("Port", "1/2")]), None);
}
