//! Readers against real files and listings. Expected values were read from the files by eye.

mod contradictions;
mod devices;
mod eras;
mod forms;
mod import_results;
mod imports;
mod limits;
mod live_windows;
mod oswatcher;
mod pieces;
mod redo_listing;
mod reports;
#[path = "../../../../tests/skips.rs"]
mod skips;
mod strangers;
mod sysstat_variants;
mod together;
mod truncation;
mod variants;
mod views;

/// Equal within a share of the expected value.
#[track_caller]
fn close(value: Option<f64>, expected: f64, share: f64) {
    let value = value.unwrap_or_else(|| panic!("no value, expected {expected}"));
    let off = (value - expected).abs();
    assert!(off <= expected.abs() * share + 1e-12, "{value} is not within {share} of {expected}");
}
