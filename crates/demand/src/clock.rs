//! Dates and times of day as databases and tools print them. Numbers alone do not tell whether `03/04/12` is a day in
//! March or in April: whatever the file itself tells settles it, and a gap says where nothing does.

use crate::stamp::split_stamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;

/// The order of day, month and year in dates of numbers alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// `23/04/2014`, `23.04.14`
    DayMonthYear,
    /// `04/23/2014`
    MonthDayYear,
    /// `14/04/23`
    YearMonthDay,
}

impl std::str::FromStr for DateOrder {
    type Err = String;

    /// Reads the value of `--date-order`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "dmy" => Ok(Self::DayMonthYear),
            "mdy" => Ok(Self::MonthDayYear),
            "ymd" => Ok(Self::YearMonthDay),
            _ => Err(format!("cannot read \"{text}\": expected dmy, mdy or ymd")),
        }
    }
}

/// Reads the dates of one file, whose order it has learnt.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Calendar {
    order: Option<DateOrder>,
}

/// What else a file tells about the order of its dates.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hints<'a> {
    /// The text, for what its clock and its numbers look like.
    pub(crate) text: &'a str,
    /// The file's name.
    pub(crate) name: &'a str,
    /// Nothing was recorded later.
    pub(crate) today: Option<Date>,
}

const ORDERS: [DateOrder; 3] = [DateOrder::DayMonthYear, DateOrder::MonthDayYear, DateOrder::YearMonthDay];

impl Calendar {
    /// Settles the order of a file's dates: by the user's word (`given`), by what is possible, by the order of the stamps, by
    /// the file's name and the locale that its clock and numbers show. What none of them decides is read day first, and the
    /// second value says so.
    pub(crate) fn settle<'a>(
        given: Option<DateOrder>,
        dates: impl Iterator<Item = &'a str>,
        hints: Hints<'_>,
    ) -> (Self, Option<String>) {
        let of = |order: DateOrder| Self { order: Some(order) };
        if let Some(order) = given {
            return (of(order), None);
        }
        let mut numeric: Vec<&str> =
            dates.filter(|text| fields(text).is_some_and(|fields| fields.iter().all(is_number))).collect();
        numeric.dedup();
        let read = |order: DateOrder| numeric.iter().map(|text| of(order).date(text)).collect::<Vec<_>>();
        // Dots part days from months in no country that has the month first.
        let dotted = numeric.iter().all(|text| text.contains('.'));
        let orders = ORDERS.into_iter().filter(|&order| !dotted || order == DateOrder::DayMonthYear);
        let mut possible: Vec<(DateOrder, Vec<Option<Date>>)> = orders
            .map(|order| (order, read(order)))
            .filter(|(_, dates)| dates.iter().all(Option::is_some))
            .collect();
        let mut keep = |fits: &dyn Fn(DateOrder, &[Option<Date>]) -> bool| {
            if possible.iter().any(|(order, dates)| fits(*order, dates)) {
                possible.retain(|(order, dates)| fits(*order, dates));
            }
        };
        keep(&|_, dates| hints.today.is_none_or(|today| dates.iter().all(|date| *date <= Some(today))));
        // A recording runs forward, a listing one way or the other.
        keep(&|_, dates| dates.is_sorted() || dates.iter().rev().is_sorted());
        keep(&|_, dates| is_named(hints.name, dates));
        let locale = locale(hints.text);
        keep(&|order, _| locale == Some(order));
        let Some((first, dates)) = possible.first() else { return (Self::default(), None) };
        // 04/04/26: only a year in front would change it, and no locale of the tools has two digits of it there.
        let rivals = possible.iter().filter(|(order, _)| *order != DateOrder::YearMonthDay);
        if rivals.clone().all(|(_, others)| others == dates) {
            return (of(*first), None);
        }
        let text = numeric.first().copied().unwrap_or("");
        let said = match first {
            DateOrder::DayMonthYear => "day first",
            DateOrder::MonthDayYear => "month first",
            DateOrder::YearMonthDay => "year first",
        };
        let gap = format!(
            "nothing in the file tells whether \"{text}\" begins with the day: it is read {said}; --date-order reads it otherwise"
        );
        (of(*first), Some(gap))
    }

    /// The one order in which this text is that date.
    pub(crate) fn that_reads(text: &str, date: Date) -> Option<Self> {
        let mut orders = ORDERS.into_iter().map(|order| Self { order: Some(order) });
        orders.find(|calendar| calendar.date(text) == Some(date))
    }

    /// The order of dates of numbers alone.
    pub(crate) fn order(self) -> Option<DateOrder> {
        self.order
    }

    /// A date: `23-Apr-14`, `2014-04-23`, or numbers in the order learnt.
    pub(crate) fn date(self, text: &str) -> Option<Date> {
        let [first, middle, last] = fields(text)?;
        if first.len() == 4 {
            return Date::new(first.parse().ok()?, month(middle)?, last.parse().ok()?).ok();
        }
        if !is_number(&middle) {
            return Date::new(year(last)?, month(middle)?, first.parse().ok()?).ok();
        }
        let (year_text, month_text, day) = match self.order? {
            DateOrder::DayMonthYear => (last, middle, first),
            DateOrder::MonthDayYear => (last, first, middle),
            DateOrder::YearMonthDay => (first, middle, last),
        };
        if day.len() > 2 {
            return None;
        }
        Date::new(year(year_text)?, month(month_text)?, day.parse().ok()?).ok()
    }

    /// A date with a time of day: `23-Apr-14 18:30:05`, `2014-04-23T18:30:05`, `15-Feb-23 00:00`.
    pub(crate) fn date_time(self, text: &str) -> Option<DateTime> {
        // "23-4月 -14" has a space before its second dash.
        let text = text.trim().replace(" -", "-");
        let (date, time) = text.split_once(['T', ' ']).filter(|(date, _)| date.len() > 5)?;
        Some(self.date(date)?.to_datetime(time_of_day(time)?))
    }
}

/// The file's name has the day of the first date: `sar-20221103.txt`, `2022-11-03.log`, and `sa03` of sysstat by itself.
fn is_named(name: &str, dates: &[Option<Date>]) -> bool {
    let Some(date) = dates.first().copied().flatten() else { return false };
    let file = name.rsplit('/').next().unwrap_or(name);
    let digits: String = file.chars().filter(char::is_ascii_digit).collect();
    let whole = [date.strftime("%Y%m%d").to_string(), date.strftime("%d%m%Y").to_string()];
    let day = file.strip_prefix("sar").or_else(|| file.strip_prefix("sa"));
    whole.iter().any(|whole| digits.contains(whole.as_str()))
        || day.and_then(|rest| rest.get(..2)?.parse::<i8>().ok()).is_some_and(|day| day == date.day())
}

/// The order that the locale of a text has: a clock of twelve hours is that of the United States, a decimal comma none that
/// has the month first.
fn locale(text: &str) -> Option<DateOrder> {
    const LINES: usize = 400;
    let mut comma = false;
    for line in text.lines().take(LINES) {
        let words: Vec<&str> = line.split_whitespace().take(40).collect();
        let stamped = |pair: &[&str]| {
            pair[0].contains(':') && matches!(pair[1].split([',', '"']).next(), Some("AM" | "PM"))
        };
        if words.windows(2).any(stamped) {
            return Some(DateOrder::MonthDayYear);
        }
        comma |= words.iter().any(|word| {
            let mut parts = word.split(',');
            let digits = |part: Option<&str>| {
                part.is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
            };
            digits(parts.next()) && digits(parts.next()) && parts.next().is_none()
        });
    }
    comma.then_some(DateOrder::DayMonthYear)
}

/// The three parts of a date.
fn fields(text: &str) -> Option<[&str; 3]> {
    // "2018年04月08日"; the month of "23-4月-14" keeps its sign, which distinguishes it from a number.
    let signs: &[char] = if text.contains('年') { &['年', '月', '日'] } else { &['-', '/', '.'] };
    let mut parts = text.trim().split(signs).map(str::trim).filter(|part| !part.is_empty());
    let fields = [parts.next()?, parts.next()?, parts.next()?];
    (parts.next().is_none() && is_number(&fields[0]) && is_number(&fields[2])).then_some(fields)
}

fn is_number(text: &&str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Two digits are of this century.
fn year(text: &str) -> Option<i16> {
    let year: i16 = text.parse().ok()?;
    match text.len() {
        2 => Some(2000 + year),
        4 => Some(year),
        _ => None,
    }
}

/// Months by their first letters: English, and the languages of Oracle's messages where they differ; `4月`, `4월` and
/// `04` by their digits.
fn month(text: &str) -> Option<i8> {
    const NAMES: [&[&str]; 12] = [
        &["jan", "ene", "gen", "янв", "sty", "oca", "led"],
        &["feb", "fév", "fev", "фев", "lut", "şub", "úno"],
        &["mar", "mär", "mrz", "mrt", "maa", "мар", "már", "bře"],
        &["apr", "avr", "abr", "апр", "kwi", "nis", "ápr", "dub"],
        &["may", "mai", "mag", "maj", "mei", "мая", "май", "máj", "kvě"],
        &["jun", "juin", "giu", "июн", "cze", "haz", "jún", "čvn", "čer"],
        &["jul", "juil", "lug", "июл", "lip", "tem", "júl", "čvc"],
        &["aug", "aoû", "aou", "ago", "авг", "sie", "ağu", "srp"],
        &["sep", "set", "сен", "wrz", "eyl", "sze", "zář"],
        &["oct", "okt", "out", "ott", "окт", "paź", "eki", "říj"],
        &["nov", "ноя", "lis", "kas"],
        &["dec", "dez", "déc", "dic", "des", "дек", "gru", "ara", "pro"],
    ];
    let lower = text.to_lowercase();
    // A letter of another character set has become U+FFFD: the others must tell.
    let begins = |name: &&str| {
        let mut letters = lower.chars();
        name.chars()
            .all(|own| letters.next().is_some_and(|c| c == own || (c == '\u{fffd}' && !own.is_ascii())))
    };
    let found = NAMES.iter().position(|names| names.iter().any(begins));
    match found {
        Some(index) => i8::try_from(index + 1).ok(),
        None => lower.trim_end_matches(['月', '월']).parse().ok().filter(|month| (1..=12).contains(month)),
    }
}

/// `00:00:04.812331`, s.
pub(crate) fn interval_s(text: &str) -> Option<f64> {
    let parts: Vec<f64> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    (parts.len() == 3).then(|| parts.iter().fold(0.0, |sum, part| sum * 60.0 + part))
}

/// The time of day at each line of a log whose lines have the stamp above them, s; and what passed from one to a later one.
pub(crate) fn times_of_day(lines: &[String]) -> Vec<Option<f64>> {
    let mut now = None;
    let time = |line: &String| {
        if split_stamp(line).1.is_empty() {
            now = line.split([' ', 'T', '+', '-', 'Z']).find_map(interval_s).or(now);
        }
        now
    };
    lines.iter().map(time).collect()
}

/// From a time of day to the next that is the other, s.
pub(crate) fn passed_s(from: f64, to: f64) -> f64 {
    (to - from).rem_euclid(86_400.0)
}

/// `18:30:05`, `18:30`, `06:30:05 PM`, `18:30:05.123`; what follows (a zone) is left aside.
pub(crate) fn time_of_day(text: &str) -> Option<Time> {
    // "18時30分05秒"
    let plain: String =
        text.chars().filter(|&c| c != '秒').map(|c| if "時时分".contains(c) { ':' } else { c }).collect();
    let mut words = plain.split_whitespace();
    let clock = words.next()?.trim_end_matches('Z');
    let clock = clock.split(['.', ',', '+', '-']).next().unwrap_or("");
    let mut parts = clock.split(':').map(|part| part.parse::<i8>().ok());
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0))?;
    let hour = match words.next() {
        Some("PM" | "pm" | "p.m.") if hour < 12 => hour + 12,
        Some("AM" | "am" | "a.m.") if hour == 12 => 0,
        _ => hour,
    };
    Time::new(hour, minute, second, 0).ok()
}

/// The distance from UTC that ends a time: `+0100`, `-05:30`, `+02`, `Z`.
pub(crate) fn offset(text: &str) -> Option<Offset> {
    let clock = text.trim();
    if clock.ends_with('Z') && clock.contains(':') {
        return Some(Offset::UTC);
    }
    let (at, sign) =
        clock.rfind(['+', '-']).map(|at| (at, if clock[at..].starts_with('-') { -1 } else { 1 }))?;
    // A date has dashes as well: the sign of an offset is behind a time.
    if !clock[..at].contains(':') {
        return None;
    }
    let digits: String = clock[at + 1..].chars().filter(|c| *c != ':').collect();
    let part = |range: std::ops::Range<usize>| digits.get(range)?.parse::<i32>().ok();
    let (hours, minutes) = match digits.len() {
        2 => (part(0..2)?, 0),
        4 => (part(0..2)?, part(2..4)?),
        _ => return None,
    };
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_several_languages() {
        let calendar = Calendar::default();
        let expected: DateTime = "2014-04-23T18:30:05".parse().unwrap();
        for text in [
            "23-Apr-14 18:30:05", "23-AVR.-14 18:30:05", "23-4月 -14 18:30:05", "23-4월 -14 18:30:05",
            "23-Апр-14 18:30:05", "23-KWI-14 18:30:05", "2014-04-23 18:30:05", "2014-04-23T18:30:05",
            "23-APR-2014 06:30:05 PM",
        ] {
            assert_eq!(calendar.date_time(text), Some(expected), "{text}");
        }
        assert_eq!(calendar.date_time("15-Feb-23 00:00"), Some("2023-02-15T00:00:00".parse().unwrap()));
        // Latin-1 read as UTF-8.
        assert_eq!(
            calendar.date_time("15-F\u{fffd}V-23 00:00"),
            Some("2023-02-15T00:00:00".parse().unwrap())
        );
        for text in ["31-Feb-23 00:00", "soon", "", "23-Apr-14", "04/23/2014 10:00"] {
            assert_eq!(calendar.date_time(text), None, "{text}");
        }
    }

    #[test]
    fn times_of_several_languages() {
        let expected = Some(jiff::civil::time(18, 30, 5, 0));
        for text in ["18:30:05", "06:30:05 PM", "06:30:05 p.m.", "18時30分05秒", "18时30分05秒"] {
            assert_eq!(time_of_day(text), expected, "{text}");
        }
        assert_eq!(Calendar::default().date("2018年04月08日"), Some(jiff::civil::date(2018, 4, 8)));
    }

    #[test]
    fn times_with_offsets() {
        for text in ["00:42:24+0100", "00:42:24-05:30", "00:42:24Z", "00:42:24"] {
            assert_eq!(time_of_day(text), Some(jiff::civil::time(0, 42, 24, 0)), "{text}");
        }
        let seconds = |text| offset(text).map(Offset::seconds);
        assert_eq!(seconds("2019-03-14T00:42:24+0100"), Some(3_600));
        assert_eq!(seconds("2019-03-14T00:42:24-05:30"), Some(-19_800));
        assert_eq!(seconds("2019-03-14T00:42:24Z"), Some(0));
        assert_eq!(seconds("2019-03-14 00:42:24"), None, "the dashes are the date's");
    }

    #[test]
    fn the_order_of_numbers_is_what_the_file_tells() {
        let hinted = |dates: &[&'static str], hints: Hints<'static>| {
            let (calendar, gap) = Calendar::settle(None, dates.iter().copied(), hints);
            (calendar.order, gap.is_some())
        };
        let order = |dates: &[&'static str]| hinted(dates, Hints::default());
        let (dmy, mdy) = (Some(DateOrder::DayMonthYear), Some(DateOrder::MonthDayYear));
        assert_eq!(order(&["04/04/26"]), (dmy, false), "the 4th of April either way");
        assert_eq!(order(&["03/04/2012", "23/04/2012"]), (dmy, false));
        assert_eq!(order(&["03/04/2012", "04/23/2012"]), (mdy, false));
        assert_eq!(order(&["03.04.2012"]), (dmy, false), "dots");
        assert_eq!(order(&["2012-04-03"]), (dmy, false), "a year in front decides by itself");
        assert_eq!(order(&["03/04/2012", "03/05/2012", "03/06/2012"]), (dmy, true), "both run forward");
        assert_eq!(order(&["11/30/24", "12/01/24"]), (mdy, false), "no 30th month");
        assert_eq!(order(&["03/04/2024"]), (dmy, true), "nothing tells, and the gap says so");
        let today = Some(jiff::civil::date(2026, 11, 26));
        let text = |text: &'static str| Hints { text, ..Hints::default() };
        assert_eq!(
            hinted(&["27/07/10"], Hints { today, ..Hints::default() }),
            (dmy, false),
            "2027 is to come"
        );
        assert_eq!(hinted(&["03/11/2022"], text("03:16:15 PM all 1.00")), (mdy, false), "twelve hours");
        assert_eq!(hinted(&["10/07/2008"], text("10:20:30 all 71,30 0,00")), (dmy, false), "a decimal comma");
        let named = Hints { name: "/var/log/sa/sar-20220311.txt", ..Hints::default() };
        assert_eq!(hinted(&["03/11/2022"], named), (mdy, false), "the file's name");
        assert_eq!(hinted(&["04/12/11"], Hints { name: "sa12", ..Hints::default() }), (mdy, false));
        assert_eq!(hinted(&["14/04/12"], Hints { today, ..Hints::default() }).0, dmy);
        let given = Calendar::settle(mdy, std::iter::empty(), Hints::default()).0;
        assert_eq!(given.date("03/04/2012"), Some(jiff::civil::date(2012, 3, 4)));
    }
}
