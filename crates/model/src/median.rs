/// The value in the middle, of an even number the mean of the two in the middle; `None` of nothing.
// Thousands of resamples ask for it, in a crate that is optimized where this one is not.
#[inline]
pub fn median(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let mut parted = values.to_vec();
    let (below, &mut upper, _) = parted.select_nth_unstable_by(values.len() / 2, f64::total_cmp);
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = below.iter().copied().max_by(f64::total_cmp)?;
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_in_the_middle_whatever_the_order() {
        assert_eq!(median(&[3.0, -1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }
}
