//! One path: its ladders, its numbers, its curves.

use super::{charts, table};
use crate::format;
use crate::report::{Chart, Ladder, PathSection, Rung, path_word};
use fullwire_model::assessment::PathKind;
use fullwire_model::quantity::Unit;
use maud::{Markup, html};

pub(super) fn path(path: &PathSection<'_>, all: &[Chart]) -> Markup {
    let kind = match path.kind {
        PathKind::Network => "Network",
        PathKind::Storage => "Storage",
    };
    let (verdict, word) = (path.verdict.name(), path_word(path));
    let own: Vec<(usize, &Chart)> = all.iter().enumerate().filter(|(_, chart)| path.has(chart)).collect();
    let (judged, others): (Vec<&Ladder<'_>>, Vec<&Ladder<'_>>) =
        path.ladders.iter().partition(|ladder| ladder.judged || path.ladders.len() == 1);
    html! {
        section class="card" {
            div class="path-head" {
                h3 {
                    span class="kind" { (kind) " " } (path.target)
                    @if path.loopback { span class="muted" { " — this host's own ceiling, no network" } }
                }
                span class={ "badge " (verdict) } { (word) }
            }
            @for sentence in &path.explanation { p { (sentence) } }
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
            @for one in &path.bonnie { pre { (one) } }
            @if !layers.is_empty() {
                details {
                    summary { "What each layer saw" }
                    @for one in layers { (table(one)) }
                }
            }
            @if !own.is_empty() { (charts(&own)) }
        }
    }
}

fn ladder(ladder: &Ladder<'_>) -> Markup {
    let measured = ladder.measured.map(|measured| format::value(measured, ladder.unit));
    html! {
        p class="note" { (ladder.measurement) }
        div class="ladder" {
            @if let Some(demand) = ladder.demand {
                (line("demand", "demand", "what the database needs", &Number::of(demand, ladder.unit), ladder.demand_bar, ladder.bar))
            }
            @for one in &ladder.rungs { (rung(one, ladder.bar)) }
            @match ladder.measured {
                Some(_) => (line("measured", "measured", &of_ceiling(ladder), &Number::measured(ladder), ladder.bar, 0.0)),
                None => div class="rung measured" {
                    span class="name" { "measured" } span class="subject" { "nothing" }
                    span {} span {} span {}
                },
            }
        }
        @if ladder.rungs.is_empty() {
            p class="note" { "No ceiling is known" @if let Some(measured) = measured { " to compare " (measured) " with" } "." }
        } @else {
            @if ladder.rungs.iter().any(|rung| rung.ceiling.soft && rung.refuted.is_none()) {
                p class="note" { "~ estimate; not used for the verdict" }
            }
            @if ladder.far > 0 {
                p class="note" { "Not drawn: " (format::counted(ladder.far, "ceiling")) " above 1,000 times the figure." }
            }
            details {
                summary { "How each ceiling is computed" }
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
    let share = ladder.share.map(|share| format!("{} of its ceiling", format::percent(share)));
    let once = Some(ladder.passes).filter(|passes| !passes.is_empty()).map(str::to_owned);
    share.into_iter().chain(once).collect::<Vec<_>>().join(", ")
}

fn rung(rung: &Rung<'_>, mark: f64) -> Markup {
    let ceiling = rung.ceiling;
    let mut class = String::new();
    for (is, name) in [(rung.decides, "decides"), (rung.limits, "limits"), (rung.beyond, "beyond")] {
        if is {
            class.push_str(name);
            class.push(' ');
        }
    }
    let number = Number { soft: ceiling.soft, ..Number::of(rung.value, rung.unit) };
    match rung.refuted {
        Some(times) => html! {
            div class="rung refuted" {
                span class="name" { (ceiling.kind) }
                span class="subject" { (ceiling.subject) }
                span class="value" { (number.text()) }
                span class="reason" { (rung.exceeded()) ": measured " (format::times(times)) " this" }
            }
        },
        None => line(&class, &ceiling.kind, &ceiling.subject, &number, rung.bar, mark),
    }
}

/// A figure as it is written next to its bar.
struct Number {
    value: f64,
    unit: Unit,
    soft: bool,
    noise: Option<f64>,
}

impl Number {
    fn of(value: f64, unit: Unit) -> Self {
        Self { value, unit, soft: false, noise: None }
    }

    fn measured(ladder: &Ladder<'_>) -> Self {
        Self { noise: ladder.noise, ..Self::of(ladder.measured.unwrap_or(0.0), ladder.unit) }
    }

    fn text(&self) -> String {
        let soft = if self.soft { "~" } else { "" };
        format!("{soft}{}{}", format::value(self.value, self.unit), format::noise(self.noise))
    }
}

/// Its bar, and a mark at what was measured; nothing is drawn for a value of zero. Widths are attributes of empty
/// pictures: the page's policy allows no styles of single elements.
fn line(class: &str, name: &str, subject: &str, number: &Number, bar: f64, mark: f64) -> Markup {
    let width = |share: f64| format!("{:.2}%", share * 100.0);
    html! {
        div class={ "rung " (class) } {
            span class="name" { (name) }
            span class="subject" { (subject) }
            span class="value" { (number.text()) }
            span class="bits" { @if number.unit == Unit::BytesPerS { (format::bit_rate(number.value)) } }
            span class="track" aria-hidden="true" {
                @if bar > 0.0 { svg class="bar" width=(width(bar)) {} }
                @if mark > 0.0 { svg class="mark" width=(width(mark)) {} }
            }
        }
    }
}
