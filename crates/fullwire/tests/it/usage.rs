//! What a person who errs is told, and what a pipe gets.

use crate::tool::{Desk, free_address, serve, stderr, stdout};

#[test]
fn a_mistake_is_answered_with_what_to_do() {
    let desk = Desk::new();
    let mistakes: [(&[&str], &str); 5] = [
        (&["disk", ".", "--block", "8q"], "expected a size such as"),
        (&["disk", ".", "--duration", "3parsec"], "expected a time such as"),
        (&["disk", ".", "--profile", "nope", "--no-store"], "--profile list"),
        (&["explain", "no-such-rule"], "fullwire rules"),
        (&["net", &free_address(), "--no-store"], "fullwire serve"),
    ];
    for (arguments, advice) in mistakes {
        let output = desk.run(arguments);
        assert!(matches!(output.status.code(), Some(2 | 3)), "{arguments:?}: {:?}", output.status);
        assert!(stderr(&output).contains(advice), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_wrong_key_is_refused_and_the_key_is_named_as_the_cause() {
    let desk = Desk::new();
    let (_responder, address) = serve(&desk, &["--key", "right-right-right-right"]);
    let wrong = ["net", &address, "--key", "wrong-wrong-wrong-wrong", "--duration", "1s", "--no-store"];
    let output = desk.run(&wrong);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("key"), "{}", stderr(&output));
}

#[test]
fn a_pipe_gets_no_escapes() {
    let desk = Desk::new();
    for no_color in [false, true] {
        let mut command = desk.command();
        command.args(["check", "--window", "0s"]);
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let output = command.output().unwrap();
        assert!(!output.stdout.is_empty());
        assert!(!output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b), "{}", stdout(&output));
    }
}
