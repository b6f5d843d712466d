//! Commands with values of the host in them, each of which must stay one word.

/// A command, from a template and values; each value becomes one word. The template takes no captured names, so that
/// nothing gets past the quotes.
macro_rules! sh {
    ($template:literal $(, $value:expr)* $(,)?) => {
        format!($template $(, fullwire_model::assessment::quote(&$value.to_string()))*)
    };
}
pub(crate) use sh;

#[cfg(test)]
mod tests {
    use std::process::Command;

    #[test]
    fn a_shell_gives_every_value_back() {
        for text in [
            "eth0",
            "",
            "a b",
            "4096 131072 6291456",
            "/u01 ...;id",
            "it's",
            "$(id)",
            "`id`",
            "a\nb",
            "*",
            "-n",
        ] {
            let command = sh!("printf %s {}", text);
            let output = Command::new("sh").args(["-c", &command]).output().expect("sh");
            assert_eq!(String::from_utf8_lossy(&output.stdout), text, "{command}");
        }
    }

    #[test]
    fn plain_words_stay_readable() {
        assert_eq!(sh!("ip link set dev {} mtu {}", "bond0.100", 9000), "ip link set dev bond0.100 mtu 9000");
    }
}
