//! As a POSIX shell script: shows what it would do, and does it with `--apply`.

use super::{Script, one_line, place};
use fullwire_model::assessment::{Finding, Phase, Risk, Step, quote};

/// The whole script.
pub fn shell(script: &Script<'_>) -> String {
    let mut text = head(script);
    let names: Vec<String> =
        script.findings.iter().enumerate().map(|(at, finding)| function_name(at, finding)).collect();
    for (finding, name) in script.findings.iter().zip(&names) {
        text += &functions(finding, name);
    }
    text + &tail(&names)
}

/// `nic_ring_drops_3`: unique, and a name that every shell takes.
fn function_name(at: usize, finding: &Finding) -> String {
    let letters = finding.code.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    format!("{}_{}", letters.collect::<String>(), at + 1)
}

fn head(script: &Script<'_>) -> String {
    format!(
        "#!/bin/sh\n\
         # Steps that fullwire advises for {}, from run {}.\n\
         # Review it before you run it. Without --apply it changes nothing.\n{HEAD}",
        one_line(script.hostname),
        one_line(script.run_id)
    )
}

const HEAD: &str = r#"#
#   sh SCRIPT                      show what it would do
#   sh SCRIPT --apply              apply what does not affect the users of this host
#   sh SCRIPT --apply --window     also apply what interrupts the service or needs it stopped
#   sh SCRIPT --undo [--apply]     undo, last step first
#   --only NAME                    only this function below
#   --host TARGET                  the steps for another host; run it there
# Single-quoted text is shown and run as it is.
# shellcheck disable=SC2016
set -eu

apply=no window=no direction='do' only='' host=here
while [ $# -gt 0 ]; do
    case "$1" in
        --apply) apply=yes ;;
        --window) window=yes ;;
        --undo) direction=undo ;;
        --only) only=${2:?--only needs a name}; shift ;;
        --host) host=${2:?--host needs a target}; shift ;;
        *) echo "unknown option: $1" >&2; exit 2 ;;
    esac
    shift
done
if [ "$apply" = yes ] && [ "$(id -u)" -ne 0 ]; then
    echo "--apply needs root" >&2
    exit 2
fi

# HOST RISK COMMAND: shown, and run with --apply. A command that fails ends the script.
step() {
    if [ "$1" != "$host" ]; then
        printf 'not here (%s)  %s\n' "$1" "$3"
    elif [ "$2" != online ] && [ "$window" = no ]; then
        printf 'needs --window (%s)  %s\n' "$2" "$3"
    elif [ "$apply" = no ]; then
        printf 'would run  %s\n' "$3"
    else
        printf 'run  %s\n' "$3"
        sh -c "$3"
    fi
}

# HOST TEXT: a manual step. With --apply, what follows waits for the answer.
person() {
    printf 'by hand (%s)  %s\n' "$1" "$2"
    if [ "$apply" = yes ] && [ "$1" = "$host" ]; then
        printf 'done or not needed? [y/N] '
        read -r answer || answer=n
        case "$answer" in
            y*|Y*) ;;
            *) echo "skipping the rest of this finding"; return 1 ;;
        esac
    fi
}

# TEXT: what must be true before the next step. You have to check it.
needs() {
    printf 'needs  %s\n' "$1"
}
"#;

fn functions(finding: &Finding, name: &str) -> String {
    let title =
        format!("\n# {}: {}\n# {}\n", finding.code, one_line(&finding.subject), one_line(&finding.message));
    let forward = finding.advice.steps.iter().filter(|step| step.phase != Phase::Undo);
    let back = finding.advice.phase(Phase::Undo);
    let expect = match one_line(&finding.advice.expect) {
        text if text.is_empty() => String::new(),
        text => format!("    # Expect: {text}\n"),
    };
    format!(
        "{title}{name}_do() {{\n{}{expect}}}\n{name}_undo() {{\n{}}}\n",
        body(&finding.code, forward),
        body(&finding.code, back)
    )
}

fn body<'a>(code: &str, steps: impl Iterator<Item = &'a Step>) -> String {
    let lines: String = steps.map(draw).collect();
    format!("    echo {}\n{lines}", quote(&format!("== {}", one_line(code))))
}

fn draw(step: &Step) -> String {
    let needs: String =
        step.needs.iter().map(|needs| format!("    needs {}\n", quote(&one_line(needs)))).collect();
    let (host, text) = (quote(&place(step)), one_line(&step.text));
    match &step.run {
        None => format!("{needs}    person {host} {} || return 0\n", quote(&text)),
        Some(run) => {
            format!("    # {text}\n{needs}    step {host} {} {}\n", risk(step.risk), always_quoted(run))
        }
    }
}

fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Online => "online",
        Risk::Interrupts => "interrupts",
        Risk::Downtime => "downtime",
    }
}

/// In single quotes even where none are needed: it is a command and should look like one.
fn always_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Calls the functions, or those that undo in reverse order.
fn tail(names: &[String]) -> String {
    let forward = names.join(" ");
    let back = names.iter().rev().map(String::as_str).collect::<Vec<_>>().join(" ");
    format!(
        "\n[ \"$direction\" = undo ] && all='{back}' || all='{forward}'\n\
         for name in $all; do\n    \
         if [ -z \"$only\" ] || [ \"$only\" = \"$name\" ]; then\n        \
         \"${{name}}_$direction\"\n    \
         fi\n\
         done\n"
    )
}
