//! One look as plain lines: for pipes and for `--once`.

use super::{Face, Screen, lines};
use fullwire_model::live::Live;

/// The columns that a look takes on paper.
const WIDTH: usize = 100;

/// The first line, the host, and all lists.
pub fn look(live: &Live) -> String {
    let mut screen = Screen::new(Face { colour: false, unicode: true });
    screen.live = live.clone();
    let mut text = format!("{}\n", crate::harmless(&live.headline.sentence));
    for line in lines::host(live, WIDTH, true, "") {
        text.push_str(&line);
        text.push('\n');
    }
    for line in lines::body(&screen, WIDTH) {
        text.push_str(crate::harmless(&line.text).trim_end());
        text.push('\n');
    }
    text
}
