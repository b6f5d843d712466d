//! Tests of the executable as its users meet it: arguments in, documents and exit status out.

mod apply;
mod assess;
mod audit;
mod browser;
mod compare;
mod contract;
mod documents;
#[cfg(feature = "estate")]
mod estate;
mod export;
mod findings;
mod golden;
mod guide;
mod hostile;
mod hosts;
mod imports;
mod interrupts;
mod keeping;
mod kept;
mod live;
mod mesh;
mod needs;
mod network;
#[path = "../../../../tests/ports.rs"]
mod ports;
mod redo_day;
mod said;
mod scrape;
mod script;
#[path = "../../../../tests/servers.rs"]
mod servers;
#[path = "../../../../tests/skips.rs"]
mod skips;
mod stop;
mod strange;
mod sweep;
mod tool;
mod unit;
mod upgrade;
mod usage;
mod views;
#[cfg(feature = "estate")]
#[path = "../../../mesh/tests/it/world.rs"]
#[allow(dead_code, reason = "the rest is for the tests of the mesh")]
mod world;
