//! A curve in one line of text.

/// A bar of one column: 0 to 1 in eighths.
pub(crate) fn bar(share: f64) -> char {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let above = (1..LEVELS.len()).take_while(|&step| share * 8.0 > step as f64).count();
    LEVELS[above]
}
