//! Middle and spread that one bad value does not move.

use fullwire_model::median;

/// Median distance from the median.
pub fn mad(values: &[f64]) -> Option<f64> {
    let middle = median(values)?;
    median(&values.iter().map(|value| (value - middle).abs()).collect::<Vec<_>>())
}

/// The MAD as a standard deviation would be: times 1.4826 for normal numbers.
pub fn spread(values: &[f64]) -> Option<f64> {
    Some(1.4826 * mad(values)?)
}

/// A value that lies beyond this many robust deviations is far from the others (Iglewicz and Hoaglin 1993).
pub const FAR: f64 = 3.5;

/// A series in order without the one stretch, of less than half of it, in which it lay far from the rest: a bad night says
/// nothing of the scatter of the others. What happens twice is how the series is, and stays.
pub fn without_one_excursion(values: &[f64]) -> Vec<f64> {
    let (Some(middle), Some(spread)) = (median(values), spread(values)) else { return values.to_vec() };
    let is_far = |value: &f64| (value - middle).abs() > FAR * spread.max(f64::EPSILON * middle.abs());
    let Some(first) = values.iter().position(is_far) else { return values.to_vec() };
    let stretch = values[first..].iter().take_while(|value| is_far(value)).count();
    let again = values[first + stretch..].iter().any(is_far);
    if again || 2 * stretch >= values.len() {
        return values.to_vec();
    }
    [&values[..first], &values[first + stretch..]].concat()
}

/// The standard deviation of the difference of two neighbours of a series, also where it changes between two states: by the lower
/// quartile of the differences, of which at least a quarter lie within a state. `None` of fewer than four values.
pub fn scatter_of_neighbours(values: &[f64]) -> Option<f64> {
    /// The lower quartile of the absolute value of a standard normal number.
    const LOWER_QUARTILE: f64 = 0.3186;
    let mut steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    steps.sort_by(f64::total_cmp);
    (steps.len() >= 3).then(|| steps[steps.len() / 4] / LOWER_QUARTILE)
}

/// Sample standard deviation; `None` of fewer than two.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (n - 1.0)).sqrt())
}

/// Standard deviation over mean; `None` of fewer than two or around zero.
pub fn coefficient_of_variation(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    standard_deviation(values).filter(|_| mean > 0.0).map(|deviation| deviation / mean)
}

/// The median slope between any two values of a series in order, and whether its 95 % interval (by Kendall's count of
/// rising pairs, normal approximation) excludes 0. `None` below four values.
pub fn theil_sen(values: &[f64]) -> Option<(f64, bool)> {
    if values.len() < 4 {
        return None;
    }
    let (mut slopes, mut rising) = (Vec::new(), 0i64);
    for (first, early) in values.iter().enumerate() {
        for (second, late) in values.iter().enumerate().skip(first + 1) {
            slopes.push((late - early) / (second - first) as f64);
            rising += i64::from(late > early) - i64::from(late < early);
        }
    }
    let n = values.len() as f64;
    let deviation = (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
    let z = (rising.unsigned_abs() as f64 - 1.0).max(0.0) / deviation;
    Some((median(&slopes)?, z > 1.96))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_night_is_left_out_and_two_are_how_the_path_is() {
        let quiet = [10.0, 10.2, 9.9, 10.1, 10.0, 9.8];
        assert_eq!(without_one_excursion(&quiet), quiet);
        assert_eq!(without_one_excursion(&[&quiet[..], &[5.0, 5.1], &quiet].concat()), quiet.repeat(2));
        let twice = [&quiet[..], &[5.0], &quiet, &[5.1]].concat();
        assert_eq!(without_one_excursion(&twice), twice);
        let lasting = [&quiet[..], &[5.0; 6]].concat();
        assert_eq!(without_one_excursion(&lasting), lasting);
        assert!(without_one_excursion(&[]).is_empty());
    }

    #[test]
    fn two_states_in_turn_are_not_scatter() {
        let quiet = [10.0, 10.1, 10.0, 10.1, 10.0, 10.1];
        let alone = scatter_of_neighbours(&quiet).unwrap();
        assert!((alone - 0.1 / 0.3186).abs() < 1e-9, "{alone}");
        // As prove measures: before, after, after, before, and so on.
        let both = [10.0, 5.0, 5.1, 10.1, 10.0, 5.0, 5.1, 10.1, 10.0];
        assert!((scatter_of_neighbours(&both).unwrap() - alone).abs() < 1e-9);
        assert_eq!(scatter_of_neighbours(&quiet[..3]), None);
    }

    #[test]
    fn one_bad_value_moves_neither_middle_nor_spread() {
        let good = [10.0, 11.0, 9.0, 10.5, 9.5];
        let bad = [10.0, 11.0, 9.0, 10.5, 1e9];
        assert_eq!((median(&good), mad(&good)), (Some(10.0), Some(0.5)));
        assert_eq!((median(&bad), mad(&bad)), (Some(10.5), Some(0.5)));
        assert_eq!((median(&[]), standard_deviation(&[1.0])), (None, None));
        assert!((coefficient_of_variation(&[98.0, 100.0, 102.0]).unwrap() - 0.02).abs() < 1e-12);
    }

    #[test]
    fn a_slope_is_seen_and_noise_is_none() {
        let rising: Vec<f64> = (0..8).map(f64::from).collect();
        assert_eq!(theil_sen(&rising), Some((1.0, true)));
        assert!(!theil_sen(&[1.0, 3.0, 2.0, 1.5, 3.0, 2.0]).unwrap().1);
        assert_eq!(theil_sen(&[1.0, 2.0, 3.0]), None);
    }
}
