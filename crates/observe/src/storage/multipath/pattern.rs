//! Extended regular expressions as sections of products have them (`^DGC`, `LUN.*`, `(HP|HPE)`, `HSV1[01]1|MSA 2`), of
//! regex(7).

use regex::bytes::RegexBuilder;

/// Bytes that one expression may become; a hand-made file may hold anything.
const LARGEST: usize = 1 << 20;

/// Found anywhere in the text. An expression that makes no sense, or is too large, is not found.
pub(super) fn is_found(expression: &str, text: &str) -> bool {
    let built = RegexBuilder::new(expression).unicode(false).size_limit(LARGEST).build();
    built.is_ok_and(|expression| expression.is_match(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::is_found;

    #[test]
    fn the_forms_that_sections_of_products_have() {
        let found = [
            ("", "2145"),
            ("2145", "2145"),
            ("^2145", "2145"),
            ("LUN.*", "LUN C-Mode"),
            (".*", ""),
            ("(HP|HPE)", "HPE"),
            ("^MSA (1|2)0[0-9]+$", "MSA 2050"),
            ("HSV1[01]1|HSV2[01]0", "HSV210"),
            ("^1(72[0246]|8[0-9]+).?", "1814"),
            ("\\(C\\)COMPAQ", "MSA (C)COMPAQ"),
            ("a(b|c)*d", "abcbd"),
            ("[^ ]x", "ax"),
        ];
        for (expression, text) in found {
            assert!(is_found(expression, text), "{expression} in {text}");
        }
        let not = [
            ("^145", "2145"),
            ("LUN$", "LUN C-Mode"),
            ("VV", "LUN"),
            ("(", "("),
            ("*", "*"),
            ("[a", "a"),
            ("a+", ""),
        ];
        for (expression, text) in not {
            assert!(!is_found(expression, text), "{expression} in {text}");
        }
    }

    #[test]
    fn an_expression_that_is_too_much_work_is_not_found() {
        assert!(!is_found("(a*)*(a*)*(a*)*b", &"a".repeat(200)));
        assert!(!is_found(&"(".repeat(100_000), "a"));
    }
}
