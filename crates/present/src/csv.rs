//! Every value of runs as comma-separated lines (RFC 4180), made from the metric table.

use crate::Printed;
use fullwire_model::Run;
use fullwire_model::metric::{Sample, samples};
use fullwire_model::quantity::Unit;

/// One line for each value: `run_id,started,metric,labels,value,unit`.
pub fn runs<'a>(runs: impl IntoIterator<Item = &'a Run>) -> Printed {
    let mut text = String::from("run_id,started,metric,labels,value,unit\r\n");
    for run in runs {
        for sample in samples(run) {
            text.push_str(&line(run, &sample));
            text.push_str("\r\n");
        }
    }
    Printed::lines(&text)
}

fn line(run: &Run, sample: &Sample) -> String {
    let labels: Vec<String> = sample.labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let cells = [
        run.run_id.clone(),
        run.started.to_string(),
        sample.metric.name.clone(),
        labels.join(" "),
        sample.value.to_string(),
        unit(sample.metric.unit).to_owned(),
    ];
    cells.map(|cell| quoted(&cell)).join(",")
}

/// A unit as the JSON documents write it.
fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::BytesPerS => "bytes_per_s",
        Unit::IoPerS => "io_per_s",
        Unit::PerS => "per_s",
        Unit::Ns => "ns",
        Unit::S => "s",
        Unit::Bytes => "bytes",
        Unit::Count => "count",
        Unit::Ratio => "ratio",
    }
}

/// In quotes where the text would break the line, and where a spreadsheet would take it for a formula.
fn quoted(cell: &str) -> String {
    let cell = crate::harmless(cell);
    let is_formula =
        cell.starts_with(['=', '+', '@']) || (cell.starts_with('-') && cell.parse::<f64>().is_err());
    match (cell.contains(['"', ',', ';', '\r', '\n']), is_formula) {
        (false, false) => cell,
        (_, true) => format!("\"'{}\"", cell.replace('"', "\"\"")),
        (true, false) => format!("\"{}\"", cell.replace('"', "\"\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_cell_is_no_formula_whatever_divides_the_list() {
        assert_eq!(quoted("-2+3+cmd|' /C calc'!A0"), "\"'-2+3+cmd|' /C calc'!A0\"");
        assert_eq!(quoted("a;=cmd"), "\"a;=cmd\"");
        assert_eq!(["-5", "-1.5e-3", "7"].map(quoted), ["-5", "-1.5e-3", "7"]);
    }
}
