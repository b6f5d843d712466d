//! Lines of `KEY="value"` pairs, as `lsblk -P` and others print a table: the same keys in each line.

/// The table, with its keys as the heading; `None`: it is none.
pub(super) fn as_text(text: &str) -> Option<String> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = pairs(lines.next().filter(|line| line.contains("=\""))?)?;
    let names: Vec<&str> = first.iter().map(|(name, _)| *name).collect();
    let mut rows: Vec<Vec<&str>> = vec![names.clone(), first.into_iter().map(|(_, value)| value).collect()];
    for line in lines {
        let row = pairs(line).filter(|row| row.iter().map(|(name, _)| *name).eq(names.iter().copied()))?;
        rows.push(row.into_iter().map(|(_, value)| value).collect());
    }
    // What every line has comes first: an empty cell shifts nothing then.
    let empty = |column: &usize| rows.iter().filter(|row| row[*column].is_empty()).count();
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(empty);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..names.len()).map(width).collect();
    let line = |row: &Vec<&str>| {
        let cells = order.iter().map(|&column| format!("{:<1$}", row[column], widths[column]));
        cells.collect::<Vec<_>>().join(" ").trim_end().to_owned() + "\n"
    };
    (names.len() > 1).then(|| rows.iter().map(line).collect())
}

fn pairs(line: &str) -> Option<Vec<(&str, &str)>> {
    let mut rest = line.trim();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"")?;
        let is_name =
            name.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || b"-_:%".contains(&c));
        let (value, after) = after.split_once('"').filter(|_| is_name)?;
        found.push((name, value));
        rest = after.trim_start();
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::as_text;

    #[test]
    fn pairs_become_a_table_where_each_line_has_the_same_keys() {
        let text = "NAME=\"sdq\" FSTYPE=\"\" RO=\"0\"\nNAME=\"sdq1\" FSTYPE=\"xfs\" RO=\"1\"\n";
        assert_eq!(as_text(text).as_deref(), Some("NAME RO FSTYPE\nsdq  0\nsdq1 1  xfs\n"));
        assert_eq!(as_text("NAME=\"a\" RO=\"0\"\nNAME=\"b\"\n"), None);
        assert_eq!(as_text("BONDING_OPTS=\"mode=1 miimon=100\"\n"), None);
        assert_eq!(as_text("NAME=\"a\" RO=\"0\n"), None);
    }
}
