//! What tools that trace or load from outside print as tables.

use crate::page;

/// The parts of a request by blktrace (btt(1)): `btt: in the queue ms=21.3`, `btt: in the device ms=3.1`.
pub(super) fn parts_of_a_request(lines: &mut Vec<String>) {
    let average_ms = |part: &str| {
        let row = lines.iter().find(|line| line.split_whitespace().next() == Some(part))?;
        let seconds: f64 = row.split_whitespace().nth(2)?.parse().ok()?;
        Some(seconds * 1e3)
    };
    let told = [("I2D", "in the queue"), ("D2C", "in the device")]
        .map(|(part, place)| average_ms(part).map(|ms| format!("btt: {place} ms={ms:.1}")));
    lines.extend(told.into_iter().flatten());
}

/// All threads of diskspd together, reads and writes: `diskspd: I/Os a second=494.86; average ms=64.621`.
pub(super) fn totals_of_diskspd(lines: &mut Vec<String>) {
    let cells = |line: &str| -> Vec<String> {
        line.trim_start_matches("total:").split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let Some(heading) = lines.iter().find(|line| line.contains("AvgLat")).map(|line| cells(line)) else {
        return;
    };
    let place = |name: &str| heading.iter().position(|cell| cell.starts_with(name));
    let (Some(rate), Some(latency)) = (place("I/O per s"), place("AvgLat")) else { return };
    // The first column of the heading names the threads, and the word `total` stands in its place.
    let value = |row: &[String], column: usize| row.get(column - 1)?.parse::<f64>().ok();
    let told = lines.iter().find(|line| line.starts_with("total:")).and_then(|line| {
        let row = cells(line);
        let (io_per_s, average_ms) = (value(&row, rate)?, value(&row, latency)?);
        Some(format!("diskspd: I/Os a second={io_per_s}; average ms={average_ms}"))
    });
    lines.extend(told);
}

/// Containers as `docker stats` has them: `docker stats: postgres uses mem %=99.95`. Names of columns have a space, and two or
/// more stand between columns.
pub(super) fn containers(lines: &mut Vec<String>) {
    let cells = |line: &str| -> Vec<String> {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    let Some(at) = lines.iter().position(|line| line.contains("MEM USAGE / LIMIT")) else { return };
    let heading = cells(&lines[at]);
    let place = |name: &str| heading.iter().position(|cell| cell == name);
    let (Some(name), Some(share)) = (place("NAME"), place("MEM %")) else { return };
    let told = |line: &String| {
        let row = cells(line);
        let share: f64 = row.get(share)?.trim_end_matches('%').parse().ok()?;
        Some(format!("docker stats: container {} uses mem %={share}", row.get(name)?))
    };
    let told: Vec<String> = lines[at + 1..].iter().filter_map(told).collect();
    lines.extend(told);
}

/// Completion times of fio whose direction and rate were cut off: `fio: a request took ms=7991.9 on average, at worst ms=7991.9`
/// (fio(1), clat: its K and M are powers of 1000).
pub(super) fn completions(lines: &mut Vec<String>) {
    let told = |line: &String| {
        let (unit, rest) = line.split_once("clat (")?.1.split_once("): ")?;
        let ms = match unit {
            "nsec" => 1e-6,
            "usec" => 1e-3,
            "msec" => 1.0,
            _ => return None,
        };
        let value = |name: &str| {
            let word = rest.split([' ', ',']).find_map(|word| word.strip_prefix(name))?;
            let end = word.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(word.len());
            Some(word[..end].parse::<f64>().ok()? * page::power(&word[end..], 1e3)? * ms)
        };
        Some(format!(
            "fio: a request took ms={:.2} on average, at worst {:.1} ms",
            value("avg=")?,
            value("max=")?
        ))
    };
    let told: Vec<String> = lines.iter().filter_map(told).collect();
    lines.extend(told);
}

#[cfg(test)]
mod tests {
    use super::super::joined;

    #[test]
    fn the_parts_of_a_request_are_its_queue_and_its_device() {
        let text = "            ALL           MIN           AVG           MAX           N\n\
                    I2D               0.000000198   0.021310922   0.201221002       20319\n\
                    D2C               0.000091021   0.003120112   0.092110212       20319\n\
                    Q2C               0.000093301   0.024434126   0.293310221       20319\n";
        let told = joined(text);
        assert!(told.contains(&"btt: in the queue ms=21.3".to_owned()), "{told:?}");
        assert!(told.contains(&"btt: in the device ms=3.1".to_owned()), "{told:?}");
    }

    #[test]
    fn diskspd_is_told_by_its_totals() {
        let text = "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file\n\
                    total:         121634816 |        14848 |       3.87 |     494.86 |   64.621 |    88.212\n";
        let told = joined(text);
        assert!(told.contains(&"diskspd: I/Os a second=494.86; average ms=64.621".to_owned()), "{told:?}");
    }

    #[test]
    fn a_system_call_and_a_container_have_a_row() {
        let strace = "% time     seconds  usecs/call     calls    errors syscall\n\
                      ------ ----------- ----------- --------- --------- ----------------\n \
                      97.31   12.411220       24822       500           fdatasync\n  \
                      0.91    0.116002          10     11210      1201 recvfrom\n";
        let told = joined(strace);
        assert!(told[0].starts_with("strace: "), "{told:?}");
        assert!(
            told[0].contains("seconds=12.41122; usecs/call=24822; calls=500; syscall=fdatasync"),
            "{told:?}"
        );
        let docker = "CONTAINER ID   NAME       CPU %     MEM USAGE / LIMIT     MEM %     NET I/O\n\
                      3f1c22ab1122   postgres   99.87%    3.998GiB / 4GiB       99.95%    1.2GB / 3.4GB\n";
        let told = joined(docker);
        assert!(told.contains(&"docker stats: container postgres uses mem %=99.95".to_owned()), "{told:?}");
    }
}
