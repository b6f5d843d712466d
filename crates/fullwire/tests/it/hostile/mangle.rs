//! What chance makes of honest bytes.

/// The same for one seed (xorshift, Marsaglia 2003).
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap()
    }

    pub(super) fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    pub(super) fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most)).map(|_| u8::try_from(self.below(256)).unwrap()).collect()
    }
}

/// Numbers at which programs go wrong.
pub(super) const ODD_NUMBERS: [&str; 14] = [
    "0",
    "-1",
    "1",
    "65536",
    "2147483648",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "1e-308",
    "-0.0",
    "99999999999999999999999999999999",
    "null",
    "[[[[[[[[]]]]]]]]",
];

/// Honest bytes with a few faults: cut, doubled, overwritten, stretched.
pub(super) fn mangled(honest: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = honest.to_vec();
    for _ in 0..=chance.below(4) {
        if bytes.is_empty() {
            return bytes;
        }
        let at = chance.below(bytes.len());
        let end = (at + chance.below(4096)).min(bytes.len());
        match chance.below(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].to_vec();
                let times = 1 + chance.below(64);
                bytes.splice(at..at, piece.repeat(times));
            }
            3 => bytes[at] ^= 1 << chance.below(8),
            4 => drop(bytes.splice(at..end.min(at + 64), chance.bytes(64))),
            5 => {
                let byte = *chance.one_of(b" \n\t\0<>,:;{}[]|-+.9A\x1b\xff");
                let length = 1 << chance.below(18);
                bytes.splice(at..at, std::iter::repeat_n(byte, length));
            }
            _ => bytes = with_odd_number(&bytes, at, chance),
        }
    }
    bytes
}

/// The first number from this place on, replaced.
pub(super) fn with_odd_number(bytes: &[u8], from: usize, chance: &mut Chance) -> Vec<u8> {
    let digit = |byte: &u8| byte.is_ascii_digit();
    let Some(start) = bytes[from..].iter().position(digit).map(|at| from + at) else { return bytes.to_vec() };
    let length = bytes[start..].iter().take_while(|byte| digit(byte)).count();
    let odd = chance.one_of(&ODD_NUMBERS).as_bytes();
    [&bytes[..start], odd, &bytes[start + length..]].concat()
}
