//! Documents and drawings of runs made by hand or filled in every field.

mod browser;
mod demo;
mod demo_database;
mod html;
mod json;
mod terminal;
