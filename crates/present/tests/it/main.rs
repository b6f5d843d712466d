//! Documents and drawings of runs made by hand or filled in every field.

mod json;
