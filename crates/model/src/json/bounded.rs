//! Lists that come from somebody else, read with a bound: a record in memory is a thousand times as large as the `{}` that
//! makes it, so that a limit on the text alone bounds nothing.

use crate::assessment::is_harmful;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

/// A list of at most `MOST` values; a longer one is an error, found before the value that would be too many is made.
pub fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>, const MOST: usize>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    from.deserialize_seq(Bounded::<T, MOST>(PhantomData))
}

/// A text of at most `MOST` characters, each of which is only shown: it is kept and handed to others.
pub fn word<'de, D: Deserializer<'de>, const MOST: usize>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if text.chars().nth(MOST).is_some() || text.chars().any(is_harmful) {
        return Err(D::Error::custom(format!("expected at most {MOST} printable characters")));
    }
    Ok(text)
}

/// The same of prose: what is more than `MOST` characters is cut off, and what does something to whatever shows it becomes a space.
pub fn prose<'de, D: Deserializer<'de>, const MOST: usize>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    Ok(text.chars().take(MOST).map(|c| if is_harmful(c) { ' ' } else { c }).collect())
}

struct Bounded<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Bounded<T, MOST> {
    type Value = Vec<T>;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(text, "a list of at most {MOST} values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while list.len() < MOST {
            match values.next_element()? {
                Some(value) => list.push(value),
                None => return Ok(list),
            }
        }
        match values.next_element::<serde::de::IgnoredAny>()? {
            Some(_) => Err(A::Error::custom(format!("a list of more than {MOST} values"))),
            None => Ok(list),
        }
    }
}
