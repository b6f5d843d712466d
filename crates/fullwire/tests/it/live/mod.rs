//! Recording, watching and replaying this host.

mod recording;
mod screen;
