//! Numbers of a session whose `NLS_NUMERIC_CHARACTERS` is `,.`: `1.234.567,8` becomes `1,234,567.8`. The whole report
//! decides, for `1,234` alone may be either.

use super::table::Table;

/// This many numbers that can only be of one kind settle it.
const ENOUGH: usize = 2_000;

/// Rewrites the numbers of all tables when the report writes commas for decimal points.
pub(super) fn normalise(tables: &mut [Table]) {
    if !decimal_commas(tables) {
        return;
    }
    for row in tables.iter_mut().flat_map(|table| &mut table.rows) {
        for cell in row.cells.iter_mut().chain(&mut row.raw) {
            *cell = swap(cell);
        }
    }
}

fn decimal_commas(tables: &[Table]) -> bool {
    let (mut commas, mut points) = (0_usize, 0_usize);
    for cell in tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells) {
        for word in cell.split_whitespace() {
            match decimal_sign(number_part(word)) {
                Some(',') => commas += 1,
                Some('.') => points += 1,
                _ => {}
            }
        }
        if commas + points >= ENOUGH {
            break;
        }
    }
    commas > points
}

/// The number in front of a suffix.
fn number_part(word: &str) -> &str {
    let word = word.trim_start_matches(['-', '+']);
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(word.len());
    &word[..end]
}

/// The decimal sign of a number, when it shows: by both signs in their order, by one that repeats (thousands), or by one
/// that is not followed by three digits.
pub(crate) fn decimal_sign(number: &str) -> Option<char> {
    let other = |sign: char| if sign == ',' { '.' } else { ',' };
    let last = number.rfind([',', '.'])?;
    let (sign, digits) = (char::from(number.as_bytes()[last]), number.len() - last - 1);
    let same = number.matches(sign).count();
    let both = number.contains(other(sign));
    // One group of three may be thousands; nothing behind the sign is the end of a sentence.
    let unclear = !both && (digits == 0 || digits == 3 && last > 0);
    if same == 1 {
        return Some(sign).filter(|_| !unclear);
    }
    // Groups of three; what else repeats a sign is a date, a release, an address.
    (!both && groups_of_three(number, sign)).then(|| other(sign))
}

fn groups_of_three(number: &str, sign: char) -> bool {
    let mut groups = number.split(sign);
    groups.next().is_some_and(|first| (1..=3).contains(&first.len())) && groups.all(|group| group.len() == 3)
}

/// A line with its numbers rewritten; spaces stay, so that columns do.
fn swap(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for piece in line.split_inclusive(char::is_whitespace) {
        let number = number_part(piece.trim_start_matches(['-', '+']).trim_end());
        if number.bytes().any(|byte| byte.is_ascii_digit()) && is_number(number) {
            out.extend(piece.chars().map(|c| match c {
                ',' => '.',
                '.' => ',',
                c => c,
            }));
        } else {
            out.push_str(piece);
        }
    }
    out
}

/// `1.234.567,8`, `,5`, `1.234`: at most one comma, points only between groups of three in front of it.
fn is_number(number: &str) -> bool {
    let (whole, fraction) = number.split_once(',').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    digits(fraction) && (digits(whole) || groups_of_three(whole, '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_shows_its_decimal_sign_or_does_not() {
        for (number, expected) in [
            ("1,234,567.8", Some('.')),
            ("1.234.567,8", Some(',')),
            ("1.234.567", Some(',')),
            ("1,234,567", Some('.')),
            ("12,5", Some(',')),
            (".899561", Some('.')),
            (".123", Some('.')),
            ("1,234", None),
            ("1.234", None),
            ("11.2.0.3.0", None),
            ("23.04.14", None),
            ("10.1.2.3", None),
            ("42", None),
        ] {
            assert_eq!(decimal_sign(number), expected, "{number}");
        }
    }

    #[test]
    fn numbers_are_rewritten_and_nothing_else() {
        assert_eq!(swap("Redo size:   6.535.063,00   6.362,58"), "Redo size:   6,535,063.00   6,362.58");
        assert_eq!(swap("11.2.0.3.0 10.1.2.3 1,5ms 12,5 (mins)"), "11.2.0.3.0 10.1.2.3 1.5ms 12.5 (mins)");
    }
}
