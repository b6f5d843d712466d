//! Names of the link modes by bit (`ETHTOOL_LINK_MODE_…_BIT` of `linux/ethtool.h`), as ethtool prints them.
//! Bits that are no mode (ports, pause, error correction) have an empty name.

const NAMES: [&str; 121] = [
    "10baseT/Half", "10baseT/Full", "100baseT/Half", "100baseT/Full", "1000baseT/Half", "1000baseT/Full", "",
    "", "", "", "", "", "10000baseT/Full", "", "", "2500baseX/Full", "", "1000baseKX/Full",
    "10000baseKX4/Full", "10000baseKR/Full", "", "20000baseMLD2/Full", "20000baseKR2/Full",
    "40000baseKR4/Full", "40000baseCR4/Full", "40000baseSR4/Full", "40000baseLR4/Full", "56000baseKR4/Full",
    "56000baseCR4/Full", "56000baseSR4/Full", "56000baseLR4/Full", "25000baseCR/Full", "25000baseKR/Full",
    "25000baseSR/Full", "50000baseCR2/Full", "50000baseKR2/Full", "100000baseKR4/Full", "100000baseSR4/Full",
    "100000baseCR4/Full", "100000baseLR4_ER4/Full", "50000baseSR2/Full", "1000baseX/Full",
    "10000baseCR/Full", "10000baseSR/Full", "10000baseLR/Full", "10000baseLRM/Full", "10000baseER/Full",
    "2500baseT/Full", "5000baseT/Full", "", "", "", "50000baseKR/Full", "50000baseSR/Full",
    "50000baseCR/Full", "50000baseLR_ER_FR/Full", "50000baseDR/Full", "100000baseKR2/Full",
    "100000baseSR2/Full", "100000baseCR2/Full", "100000baseLR2_ER2_FR2/Full", "100000baseDR2/Full",
    "200000baseKR4/Full", "200000baseSR4/Full", "200000baseLR4_ER4_FR4/Full", "200000baseDR4/Full",
    "200000baseCR4/Full", "100baseT1/Full", "1000baseT1/Full", "400000baseKR8/Full", "400000baseSR8/Full",
    "400000baseLR8_ER8_FR8/Full", "400000baseDR8/Full", "400000baseCR8/Full", "", "100000baseKR/Full",
    "100000baseSR/Full", "100000baseLR_ER_FR/Full", "100000baseCR/Full", "100000baseDR/Full",
    "200000baseKR2/Full", "200000baseSR2/Full", "200000baseLR2_ER2_FR2/Full", "200000baseDR2/Full",
    "200000baseCR2/Full", "400000baseKR4/Full", "400000baseSR4/Full", "400000baseLR4_ER4_FR4/Full",
    "400000baseDR4/Full", "400000baseCR4/Full", "100baseFX/Half", "100baseFX/Full", "10baseT1L/Full",
    "800000baseCR8/Full", "800000baseKR8/Full", "800000baseDR8/Full", "800000baseDR8_2/Full",
    "800000baseSR8/Full", "800000baseVR8/Full", "10baseT1S/Full", "10baseT1S/Half", "10baseT1S_P2MP/Half",
    "10baseT1BRR/Full", "200000baseCR/Full", "200000baseKR/Full", "200000baseDR/Full", "200000baseDR_2/Full",
    "200000baseSR/Full", "200000baseVR/Full", "400000baseCR2/Full", "400000baseKR2/Full",
    "400000baseDR2/Full", "400000baseDR2_2/Full", "400000baseSR2/Full", "400000baseVR2/Full",
    "800000baseCR4/Full", "800000baseKR4/Full", "800000baseDR4/Full", "800000baseDR4_2/Full",
    "800000baseSR4/Full", "800000baseVR4/Full",
];

/// The modes of a mask, low word first.
pub(super) fn of_mask(words: impl Iterator<Item = u32>) -> Vec<String> {
    let bits = words.flat_map(|word| (0..32).map(move |bit| word >> bit & 1 == 1));
    bits.zip(NAMES).filter(|(set, name)| *set && !name.is_empty()).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_bits() {
        assert_eq!(
            of_mask([0b10_1000 | 1 << 31].into_iter()),
            ["100baseT/Full", "1000baseT/Full", "25000baseCR/Full"]
        );
        assert_eq!(
            of_mask([1 << 6, 0, 0, 0b1111].into_iter()).last().map(String::as_str),
            Some("10baseT1S/Full")
        );
    }
}
