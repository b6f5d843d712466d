//! Keys: one table binds them to actions and says what they do.

/// A key, whatever terminal library read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A letter or sign.
    Char(char),
    /// With Control.
    Control(char),
    /// Arrow keys and similar ones.
    Up,
    /// Down.
    Down,
    /// Left.
    Left,
    /// Right.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Backspace.
    Backspace,
    /// F1.
    F1,
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table below says what each does")]
pub enum Action {
    Quit,
    Help,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Earlier,
    Later,
    MinuteEarlier,
    MinuteLater,
    Pause,
    Filter,
    Clear,
    Beside,
    Storage,
    Network,
    Threads,
    Processes,
    Sort,
    Latency,
    NextTrouble,
    EarlierTrouble,
    Time,
    Redraw,
    Suspend,
}

/// Keys with one meaning.
#[derive(Debug)]
pub struct Binding {
    /// What they do.
    pub action: Action,
    /// Any of them.
    pub keys: &'static [Key],
    /// As the help names them.
    pub shown: &'static str,
    /// What the help says.
    pub help: &'static str,
}

const fn bind(action: Action, keys: &'static [Key], shown: &'static str, help: &'static str) -> Binding {
    Binding { action, keys, shown, help }
}

/// All of them, in the order of the help: what hands know from top, less, atop and below.
pub const BINDINGS: &[Binding] = &[
    bind(Action::Quit, &[Key::Char('q'), Key::Control('c')], "q", "quit"),
    bind(Action::Help, &[Key::Char('?'), Key::Char('h'), Key::F1], "? h", "this help"),
    bind(Action::Pause, &[Key::Char(' ')], "space", "pause, or resume at the newest sample"),
    bind(Action::Earlier, &[Key::Left, Key::Char('T')], "← T", "one sample back in time"),
    bind(Action::Later, &[Key::Right, Key::Char('t')], "→ t", "one sample forward"),
    bind(Action::MinuteEarlier, &[Key::Char('[')], "[", "60 samples back"),
    bind(Action::MinuteLater, &[Key::Char(']')], "]", "60 samples forward"),
    bind(Action::Up, &[Key::Up, Key::Char('k')], "↑ k", "scroll up"),
    bind(Action::Down, &[Key::Down, Key::Char('j')], "↓ j", "scroll down"),
    bind(Action::PageUp, &[Key::PageUp, Key::Control('b')], "PgUp", "a page up"),
    bind(Action::PageDown, &[Key::PageDown, Key::Control('f')], "PgDn", "a page down"),
    bind(Action::Home, &[Key::Home, Key::Char('g')], "Home g", "the first line"),
    bind(Action::End, &[Key::End, Key::Char('G')], "End G", "the last line"),
    bind(Action::Beside, &[Key::Char('w')], "w", "the file beside the recording (replay --with)"),
    bind(Action::Storage, &[Key::Char('s')], "s", "storage"),
    bind(Action::Network, &[Key::Char('n')], "n", "network"),
    bind(Action::Threads, &[Key::Char('p')], "p", "threads"),
    bind(Action::Processes, &[Key::Char('i')], "i", "processes by their I/O"),
    bind(Action::Sort, &[Key::Char('o')], "o", "order processes by all I/O, reads, writes or name"),
    bind(Action::Latency, &[Key::Char('l')], "l", "time of requests over time: by number, by time, off"),
    bind(Action::EarlierTrouble, &[Key::Char('<')], "<", "back to the trouble before"),
    bind(Action::NextTrouble, &[Key::Char('>')], ">", "on to the next trouble"),
    bind(Action::Time, &[Key::Char('b')], "b", "go to a time (14:02, -10m); Enter goes, Esc does not"),
    bind(Action::Filter, &[Key::Char('/')], "/", "show only rows with this text; Enter ends, Esc clears"),
    bind(Action::Clear, &[Key::Escape], "Esc", "show all rows"),
    bind(Action::Redraw, &[Key::Control('l')], "Ctrl-L", "redraw"),
    bind(Action::Suspend, &[Key::Control('z')], "Ctrl-Z", "suspend to the shell; fg returns"),
];

/// What a key does.
pub fn action(key: Key) -> Option<Action> {
    BINDINGS.iter().find(|binding| binding.keys.contains(&key)).map(|binding| binding.action)
}
