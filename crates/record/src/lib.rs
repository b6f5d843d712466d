//! `#[record]`: what each record of the model can do, said once.

use proc_macro::{Delimiter, TokenStream, TokenTree};
use std::fmt::Write as _;

/// On a struct: it is copied, compared, printed and kept as JSON, in which any field may be absent, and describes itself
/// where the schemas are made (feature `schema`). On an enum without fields: the same, and in JSON a variant is its name in
/// kebab-case, which `name` returns. What follows in parentheses is derived as well: `#[record(Copy, Eq)]`.
#[proc_macro_attribute]
pub fn record(more: TokenStream, item: TokenStream) -> TokenStream {
    let words = item.clone().into_iter();
    let an_enum = words.skip_while(|token| !is_word(token, "enum")).nth(1).map(|name| name.to_string());
    let (derived, form) =
        if an_enum.is_some() { ("Copy, Eq", r#"rename_all = "kebab-case""#) } else { ("Default", "default") };
    let attributes = format!(
        r#"#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, {derived}, {more})]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde({form})]"#
    );
    let name = an_enum.map(|name| named(&name, &item)).unwrap_or_default();
    let tokens = |text: String| text.parse::<TokenStream>().into_iter().flatten();
    tokens(attributes).chain(item).chain(tokens(name)).collect()
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident.to_string() == word)
}

/// The names of an enum's variants, as JSON has them.
fn named(name: &str, item: &TokenStream) -> String {
    let mut arms = String::new();
    for token in item.clone() {
        let TokenTree::Group(body) = token else { continue };
        if body.delimiter() == Delimiter::Brace {
            for variant in body.stream() {
                if let TokenTree::Ident(variant) = variant {
                    let variant = variant.to_string();
                    // Writing to a String does not fail.
                    let _ = write!(arms, "Self::{variant} => \"{}\",", kebab(&variant));
                }
            }
        }
    }
    format!(
        "impl {name} {{
            /// As it is written in JSON.
            pub const fn name(self) -> &'static str {{ match self {{ {arms} }} }}
        }}"
    )
}

/// As serde's `rename_all` does it.
fn kebab(variant: &str) -> String {
    let mut words = String::new();
    for (at, letter) in variant.char_indices() {
        if letter.is_uppercase() && at > 0 {
            words.push('-');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::kebab;

    #[test]
    fn a_name_is_that_of_serde() {
        let names = ["FullWire", "Raid10", "Good", "CannotBeToldApart"].map(kebab);
        assert_eq!(names, ["full-wire", "raid10", "good", "cannot-be-told-apart"]);
    }
}
