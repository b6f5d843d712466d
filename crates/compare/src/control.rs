//! A path that the change cannot touch (loopback, another disk, another interface): what happened there as well was not
//! the change. For changes that cannot be taken back in seconds, so that no experiment can alternate: firmware, cabling,
//! a reboot.

use crate::judge::Weighed;
use fullwire_model::PathName;
use fullwire_model::comparison::Compared;

/// Takes the control path's change off the same figure of every other path.
pub(crate) fn take_off(weighed: &mut [Weighed], control: &PathName) {
    let of_control: Vec<usize> =
        (0..weighed.len()).filter(|&index| weighed[index].compared.path == *control).collect();
    for index in 0..weighed.len() {
        let own = &weighed[index].compared;
        let alike = |other: &Compared| other.figure == own.figure && other.relative && own.relative;
        // The same measurement before another one with such a figure.
        let same = |&&other: &&usize| weighed[other].compared.measurement == own.measurement;
        let fitting: Vec<usize> =
            of_control.iter().copied().filter(|&other| alike(&weighed[other].compared)).collect();
        let Some(&beside) = fitting.iter().find(same).or(fitting.first()) else { continue };
        if own.path == *control {
            continue;
        }
        let [own, beside] = weighed.get_disjoint_mut([index, beside]).expect("two paths");
        own.take_off(beside);
    }
}

/// What a reader must know of the control path.
pub(crate) fn caveat(control: &PathName, compared: &[Compared], hours: bool) -> Vec<String> {
    let mut all = Vec::new();
    if !compared.iter().any(|one| one.path == *control) {
        all.push(format!("the control path {control} was not measured on both sides: nothing is taken off"));
        return all;
    }
    let without: Vec<&str> = compared
        .iter()
        .filter(|one| one.primary && one.path != *control && one.control.is_none())
        .map(|one| one.path.as_str())
        .collect();
    if !without.is_empty() {
        all.push(format!("the control path {control} has no figure like those of {}", without.join(", ")));
    }
    if !hours {
        all.push(
            "the runs of a side were all made in one hour: what comes and goes with the time of day is not seen".into(),
        );
    }
    all
}
