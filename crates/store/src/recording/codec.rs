//! The difference of two JSON trees, and back: what changed and nothing else.
//!
//! A changed object is an object of its changed members, a removed member is `null` (RFC 7396). An unsigned number that
//! became another one is their difference modulo 2^64, which is short and packs well. A list of the same length is
//! `[1, DIFFERENCE OR null, ...]`; anything else that changed is `[NEW VALUE]`.

use serde_json::{Map, Value};

/// Nothing nests deeper than counters do; a damaged body may claim to.
const DEEPEST: usize = 32;

/// The mark of a list of differences.
const ELEMENTS: u64 = 1;

/// What leads from one tree to another; `None`: they are the same.
pub(crate) fn difference(from: &Value, to: &Value) -> Option<Value> {
    match (from, to) {
        (Value::Object(from), Value::Object(to)) => object(from, to),
        (Value::Array(from), Value::Array(to)) if from.len() == to.len() && !from.is_empty() => {
            elements(from, to)
        }
        _ if from == to => None,
        (Value::Number(before), Value::Number(after)) => {
            let numbers = before.as_u64().zip(after.as_u64());
            Some(numbers.map_or_else(
                || Value::from(vec![to.clone()]),
                |(before, after)| Value::from(after.wrapping_sub(before).cast_signed()),
            ))
        }
        _ => Some(Value::from(vec![to.clone()])),
    }
}

fn object(from: &Map<String, Value>, to: &Map<String, Value>) -> Option<Value> {
    let mut changed = Map::new();
    for (key, after) in to {
        let change = match from.get(key) {
            Some(before) => difference(before, after),
            None => Some(Value::from(vec![after.clone()])),
        };
        changed.extend(change.map(|change| (key.clone(), change)));
    }
    changed.extend(from.keys().filter(|key| !to.contains_key(*key)).map(|key| (key.clone(), Value::Null)));
    (!changed.is_empty()).then_some(Value::Object(changed))
}

fn elements(from: &[Value], to: &[Value]) -> Option<Value> {
    let changes: Vec<Option<Value>> = from.iter().zip(to).map(|(from, to)| difference(from, to)).collect();
    if changes.iter().all(Option::is_none) {
        return None;
    }
    let changes = changes.into_iter().map(Option::unwrap_or_default);
    Some(Value::Array(std::iter::once(Value::from(ELEMENTS)).chain(changes).collect()))
}

/// Applies a difference. An error says what does not fit; the tree is then worthless.
pub(crate) fn apply(tree: &mut Value, difference: Value) -> Result<(), &'static str> {
    apply_at(tree, difference, 0)
}

fn apply_at(tree: &mut Value, difference: Value, depth: usize) -> Result<(), &'static str> {
    if depth > DEEPEST {
        return Err("it nests too deep");
    }
    match difference {
        Value::Object(changes) => {
            let Value::Object(members) = tree else { return Err("members of what is no object") };
            for (key, change) in changes {
                match (change, members.get_mut(&key)) {
                    (Value::Null, _) => _ = members.shift_remove(&key),
                    (change, Some(member)) => apply_at(member, change, depth + 1)?,
                    (Value::Array(mut new), None) if new.len() == 1 => {
                        members.insert(key, new.remove(0));
                    }
                    _ => return Err("a change of a member that is not there"),
                }
            }
            Ok(())
        }
        Value::Array(mut new) if new.len() == 1 => {
            *tree = new.remove(0);
            Ok(())
        }
        Value::Array(changes) => {
            let Value::Array(list) = tree else { return Err("elements of what is no list") };
            if changes.len() != list.len() + 1 {
                return Err("a different number of elements");
            }
            for (element, change) in list.iter_mut().zip(changes.into_iter().skip(1)) {
                if !change.is_null() {
                    apply_at(element, change, depth + 1)?;
                }
            }
            Ok(())
        }
        Value::Number(change) => {
            let (Some(before), Some(change)) = (tree.as_u64(), change.as_i64()) else {
                return Err("a difference of what is no number");
            };
            *tree = Value::from(before.wrapping_add(change.cast_unsigned()));
            Ok(())
        }
        _ => Err("neither a change nor a value"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn only_what_changed_is_kept() {
        let from =
            json!({"disks": {"sda": {"reads": 5, "name": "a"}, "sdb": {"reads": 1}}, "irq": [1, 2, 3]});
        let to = json!({"disks": {"sda": {"reads": 9, "name": "a"}, "sdc": {"reads": 2}}, "irq": [1, 2, 7]});
        let change = difference(&from, &to).unwrap();
        assert_eq!(
            change,
            json!({"disks": {"sda": {"reads": 4}, "sdc": [{"reads": 2}], "sdb": null}, "irq": [1, null, null, 4]})
        );
        let mut back = from;
        apply(&mut back, change).unwrap();
        assert_eq!(back, to);
    }

    fn tree() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-5_i64..5).prop_map(Value::from),
            (-1e9..1e9_f64).prop_map(Value::from),
            "[a-c]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 48, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[a-d]", inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_difference_leads_back_to_the_same_tree(from in tree(), to in tree()) {
            let mut back = from.clone();
            if let Some(change) = difference(&from, &to) {
                apply(&mut back, change).map_err(TestCaseError::fail)?;
            }
            prop_assert_eq!(back, to);
        }

        #[test]
        fn a_difference_of_another_tree_never_panics(mut tree in tree(), stray in tree()) {
            let _ = apply(&mut tree, stray);
        }
    }
}
