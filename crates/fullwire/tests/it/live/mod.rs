//! Recording, watching and replaying this host.

mod beside;
mod recording;
mod screen;
