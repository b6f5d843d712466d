//! The schemas that the program carries are those of its types.

use fullwire_model::schema::{kept, names};
use fullwire_present::json::made;

#[test]
fn kept_schemas_are_those_of_the_types() {
    let made: Vec<(&str, String)> = made().collect();
    assert!(
        made.iter().map(|(name, _)| *name).eq(names()),
        "run `cargo xtask gen`: other documents than docs/schema"
    );
    for (name, text) in made {
        // Not assert_eq: nobody reads two schemas side by side in a terminal.
        assert!(
            kept(name) == Some(text.as_str()),
            "docs/schema/fullwire.{name}-1.json is out of date: run `cargo xtask gen`"
        );
    }
}
