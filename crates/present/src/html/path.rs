//! One path: its ladders, its numbers, its curves.

use super::{charts, table};
use crate::format;
use crate::report::{Chart, Ladder, PathSection, Rung, verdict_name};
use fullwire_model::assessment::PathKind;
use fullwire_model::quantity::Unit;
use maud::{Markup, html};

pub(super) fn path(path: &PathSection<'_>, all: &[Chart]) -> Markup {
    let kind = match path.kind {
        PathKind::Network => "Network",
        PathKind::Storage => "Storage",
    };
    let verdict = verdict_name(path.verdict);
    let own: Vec<(usize, &Chart)> =
        all.iter().enumerate().filter(|(_, chart)| chart.path == path.subject).collect();
    let (judged, others): (Vec<&Ladder<'_>>, Vec<&Ladder<'_>>) =
        path.ladders.iter().partition(|ladder| ladder.judged || path.ladders.len() == 1);
    html! {
        section class="card" {
            div class="path-head" {
                h3 {
                    span class="kind" { (kind) " " } (path.subject)
                    @if path.loopback { span class="muted" { " — this host's own ceiling, no wire" } }
                }
                span class={ "badge " (verdict) } { (verdict) }
            }
            @for one in judged { (ladder(one)) }
            @for text in &path.caveats { p class="caveat" { (text) } }
            @if !others.is_empty() {
                details {
                    summary { "Ladders of the other measurements (" (others.len()) ")" }
                    @for one in others { (ladder(one)) }
                }
            }
            @let (layers, numbers): (Vec<_>, Vec<_>) =
                path.tables.iter().partition(|table| table.title.starts_with("Layers"));
            @for one in numbers { (table(one)) }
            @if !layers.is_empty() {
                details {
                    summary { "What each layer saw" }
                    @for one in layers { (table(one)) }
                }
            }
            @if !own.is_empty() { (charts(&own, false)) }
        }
    }
}

fn ladder(ladder: &Ladder<'_>) -> Markup {
    let measured = ladder.measured.map(|measured| format::value(measured, ladder.unit));
    let mark = format!("--measured: {:.2}%", ladder.bar * 100.0);
    let demand = ladder.demand.zip(ladder.measured).filter(|(_, measured)| *measured > 0.0);
    html! {
        p class="note" { (ladder.measurement) }
        div class="ladder" style=(mark) {
            @if let Some((demand, measured)) = demand {
                (line("demand", "demand", "what the database needs", demand, ladder.unit, (ladder.bar * demand / measured).min(1.0), ""))
            }
            @for one in &ladder.rungs { (rung(one)) }
            @match ladder.measured {
                Some(measured) => (line("measured", "measured", &of_ceiling(ladder), measured, ladder.unit, ladder.bar, "")),
                None => div class="rung measured" {
                    span class="name" { "measured" } span class="subject" { "nothing: see the gaps" }
                    span {} span {} span {}
                },
            }
        }
        @if ladder.rungs.is_empty() {
            p class="note" { "No ceiling is known" @if let Some(measured) = measured { " for " (measured) } "; --expect tells what it should carry." }
        } @else {
            details {
                summary { "How each ceiling follows" }
                dl {
                    @for one in &ladder.rungs {
                        dt { code { (one.ceiling.kind) } }
                        dd { (format::derivation(&one.ceiling.derivation)) }
                    }
                }
            }
        }
    }
}

fn of_ceiling(ladder: &Ladder<'_>) -> String {
    let share = ladder.rungs.iter().find(|rung| rung.decides).and_then(|rung| rung.share);
    share.map(|share| format!("{} of its ceiling", format::percent(share))).unwrap_or_default()
}

fn rung(rung: &Rung<'_>) -> Markup {
    let ceiling = rung.ceiling;
    let mut class = String::new();
    for (is, name) in [(rung.decides, "decides"), (rung.limits, "limits"), (rung.beyond, "beyond")] {
        if is {
            class.push_str(name);
            class.push(' ');
        }
    }
    let soft = if ceiling.soft { "~" } else { "" };
    line(&class, &ceiling.kind, &ceiling.subject, ceiling.value, ceiling.unit, rung.bar, soft)
}

fn line(class: &str, name: &str, subject: &str, value: f64, unit: Unit, bar: f64, soft: &str) -> Markup {
    html! {
        div class={ "rung " (class) } {
            span class="name" { (name) }
            span class="subject" { (subject) }
            span class="value" { (soft) (format::value(value, unit)) }
            span class="bits" { @if unit == Unit::BytesPerS { (format::bit_rate(value)) } }
            span class="track" aria-hidden="true" { i style={ "width: " (format!("{:.2}", bar * 100.0)) "%" } {} }
        }
    }
}
