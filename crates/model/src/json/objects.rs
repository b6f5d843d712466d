//! Reads records from JSON objects alone. What serde derives for a record also reads it from an array of its fields, as no
//! document here is written; code that is never asked for is never made, and for all records it would be half a megabyte.
//!
//! What is made is counted as it will lie in memory: `{}` is two bytes of text and a record of a kilobyte, so that a limit
//! on the text, which whoever sends it writes, would bound nothing.

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use std::cell::Cell;
use std::fmt;

/// Beside a key and its value an entry of a map takes this much at most: nodes are half full, bytes.
const ENTRY_BYTES: usize = 48;

/// Room for so many is made with the first value of a list or a map: many of one value each take more than their values do.
const MADE_WITH_FIRST: usize = 4;

/// How much memory the values of lists and maps of one document may still take, bytes. What is outside of them is as large
/// as its type, and text is never longer than the document.
pub(super) struct Room {
    left_bytes: Cell<usize>,
    /// The last key was one of a map, not a field of a record, which is as large as its type.
    in_map: Cell<bool>,
}

impl Room {
    pub(super) fn of(bytes: usize) -> Self {
        Self { left_bytes: Cell::new(bytes), in_map: Cell::new(false) }
    }

    pub(super) fn left_bytes(&self) -> usize {
        self.left_bytes.get()
    }

    /// For one of these values after so many others of its list or map.
    fn take<E: Error>(&self, bytes: usize, others: usize) -> Result<(), E> {
        let bytes = match others {
            0 => bytes * MADE_WITH_FIRST,
            1..MADE_WITH_FIRST => 0,
            _ => bytes,
        };
        let left = self.left_bytes.get().checked_sub(bytes);
        self.left_bytes.set(left.ok_or_else(|| E::custom("it holds more records than any host has"))?);
        Ok(())
    }
}

/// A deserializer, a visitor or an access, and all that it leads to: a record is read as a map everywhere below it.
pub(super) struct Objects<'room, Inner>(pub(super) Inner, pub(super) &'room Room);

macro_rules! forward {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            self.0.$method(Objects(visitor, self.1))
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Objects<'_, D> {
    type Error = D::Error;

    forward! {
        deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
        deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_option
        deserialize_unit deserialize_seq deserialize_map deserialize_identifier deserialize_ignored_any
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.deserialize_map(Objects(visitor, self.1))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.deserialize_unit_struct(name, Objects(visitor, self.1))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.deserialize_newtype_struct(name, Objects(visitor, self.1))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Self::Error> {
        self.0.deserialize_tuple(len, Objects(visitor, self.1))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.deserialize_tuple_struct(name, len, Objects(visitor, self.1))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.deserialize_enum(name, variants, Objects(visitor, self.1))
    }
}

macro_rules! visit {
    ($($method:ident: $of:ty,)*) => {$(
        fn $method<E: serde::de::Error>(self, value: $of) -> Result<Self::Value, E> {
            self.0.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Objects<'_, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(formatter)
    }

    visit! {
        visit_bool: bool, visit_i64: i64, visit_i128: i128, visit_u64: u64, visit_u128: u128, visit_f64: f64, visit_char: char,
        visit_str: &str, visit_borrowed_str: &'de str, visit_string: String,
        visit_bytes: &[u8], visit_borrowed_bytes: &'de [u8], visit_byte_buf: Vec<u8>,
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<Self::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.0.visit_some(Objects(deserializer, self.1))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.0.visit_newtype_struct(Objects(deserializer, self.1))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Self::Value, A::Error> {
        self.0.visit_seq(Values { of: elements, room: self.1, count: 0 })
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
        self.0.visit_map(Values { of: entries, room: self.1, count: 0 })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<Self::Value, A::Error> {
        self.0.visit_enum(Objects(variant, self.1))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Objects<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.0.deserialize(Objects(deserializer, self.1))
    }
}

/// The values of a list or a map, and how many of them were made.
struct Values<'room, Access> {
    of: Access,
    room: &'room Room,
    count: usize,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Values<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let element = self.of.next_element_seed(Objects(seed, self.room))?;
        if element.is_some() {
            self.room.take(size_of::<S::Value>(), self.count)?;
            self.count += 1;
        }
        Ok(element)
    }

    fn size_hint(&self) -> Option<usize> {
        self.of.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Values<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let key = self.of.next_key_seed(Objects(seed, self.room))?;
        // The name of a field is a number of one byte.
        let in_map = size_of::<S::Value>() > 1;
        if in_map && key.is_some() {
            self.room.take(size_of::<S::Value>() + ENTRY_BYTES, self.count)?;
        }
        self.room.in_map.set(in_map);
        Ok(key)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        if self.room.in_map.take() {
            self.room.take(size_of::<S::Value>(), self.count)?;
            self.count += 1;
        }
        self.of.next_value_seed(Objects(seed, self.room))
    }

    fn size_hint(&self) -> Option<usize> {
        self.of.size_hint()
    }
}

impl<'de, 'room, A: EnumAccess<'de>> EnumAccess<'de> for Objects<'room, A> {
    type Error = A::Error;
    type Variant = Objects<'room, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        let (value, variant) = self.0.variant_seed(Objects(seed, self.1))?;
        Ok((value, Objects(variant, self.1)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Objects<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.0.newtype_variant_seed(Objects(seed, self.1))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.0.tuple_variant(len, Objects(visitor, self.1))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0.struct_variant(fields, Objects(visitor, self.1))
    }
}
