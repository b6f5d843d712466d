//! Values with every field filled, for the tests of anyone who keeps, sends or draws them.
//!
//! A new field is covered the moment it is added: the filler is a [`Deserializer`] that answers whatever the type requests.

pub mod fixture;

use serde::de::value::{BorrowedStrDeserializer, Error};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};

/// Elements of each list and map.
const ELEMENTS: usize = 2;

/// Deeper than this, options and lists stay empty, so that a recursive type ends.
const DEEPEST: usize = 24;

/// A value with every option, list and map filled. Numbers and texts differ from each other, and with the seed.
///
/// # Panics
/// When the type asks for something that no record here has (bytes, unit structs).
pub fn specimen<T: DeserializeOwned>(seed: u64) -> T {
    let mut filler = Filler { state: seed, depth: 0, in_key: false };
    T::deserialize(&mut filler).unwrap_or_else(|error| panic!("cannot fill: {error}"))
}

struct Filler {
    state: u64,
    depth: usize,
    in_key: bool,
}

impl Filler {
    /// `SplitMix64` (Steele, Lea, Flood 2014): distinct for each step.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Between 0 and one million, with a fraction that needs all digits.
    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 * 1e6
    }

    fn text(&mut self) -> String {
        format!("text \"{}\" <&> µ", self.next() % 1_000_000_007)
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $type:ty)*) => {$(
        #[expect(clippy::cast_possible_truncation, clippy::allow_attributes, reason = "any value will do")]
        #[allow(clippy::cast_possible_wrap, clippy::unnecessary_cast, clippy::cast_lossless, reason = "by type")]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.next() as $type)
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Filler {
    type Error = Error;

    numbers! {
        deserialize_u8 visit_u8 u8
        deserialize_u16 visit_u16 u16
        deserialize_u32 visit_u32 u32
        deserialize_i8 visit_i8 i8
        deserialize_i16 visit_i16 i16
        deserialize_i32 visit_i32 i32
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u64(self.next())
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i64(self.next().cast_signed())
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(self.fraction())
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(self.fraction())
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(true)
    }

    /// Only time stamps and civil times ask for a borrowed text, both read this one; and addresses, which are keys.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.in_key {
            return visitor.visit_string(format!("10.0.0.{}", self.next() % 255));
        }
        let ns = self.next() % 1_000_000_000;
        visitor.visit_string(format!("2026-11-20T15:33:39.{ns:09}+00:00"))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.text())
    }

    /// Only an untagged time asks for anything.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.depth < DEEPEST { visitor.visit_some(self) } else { visitor.visit_none() }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let left = if self.depth < DEEPEST { ELEMENTS } else { 0 };
        self.nested(|filler| visitor.visit_seq(Elements { filler, left }))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, left: usize, visitor: V) -> Result<V::Value, Error> {
        self.nested(|filler| visitor.visit_seq(Elements { filler, left }))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let left = if self.depth < DEEPEST { ELEMENTS } else { 0 };
        self.nested(|filler| visitor.visit_map(Elements { filler, left }))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.nested(|filler| visitor.visit_map(Fields { filler, fields }))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let chosen = usize::try_from(self.next() % variants.len() as u64).unwrap_or(0);
        visitor.visit_enum(Variant { filler: self, name: variants[chosen] })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! { char bytes byte_buf unit unit_struct tuple_struct identifier ignored_any }
}

impl Filler {
    fn nested<T>(&mut self, fill: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.depth += 1;
        let filled = fill(self);
        self.depth -= 1;
        filled
    }
}

struct Elements<'a> {
    filler: &'a mut Filler,
    left: usize,
}

impl<'de> SeqAccess<'de> for Elements<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        seed.deserialize(&mut *self.filler).map(Some)
    }
}

impl<'de> MapAccess<'de> for Elements<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.filler.in_key = true;
        let key = self.next_element_seed(seed);
        self.filler.in_key = false;
        key
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(&mut *self.filler)
    }
}

struct Fields<'a> {
    filler: &'a mut Filler,
    fields: &'static [&'static str],
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((first, rest)) = self.fields.split_first() else { return Ok(None) };
        self.fields = rest;
        seed.deserialize(BorrowedStrDeserializer::new(first)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(&mut *self.filler)
    }
}

struct Variant<'a> {
    filler: &'a mut Filler,
    name: &'static str,
}

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let variant = seed.deserialize(BorrowedStrDeserializer::new(self.name))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.filler)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        self.filler.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.filler.deserialize_struct("", fields, visitor)
    }
}
