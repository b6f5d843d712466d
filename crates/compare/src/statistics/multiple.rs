//! Many questions at the same time: 20 unrelated figures at 5 % each give a false answer in 64 % of cases.

/// Holm's correction: which hypotheses are rejected with at most `alpha` chance of a single false one.
pub fn holm(p: &[f64], alpha: f64) -> Vec<bool> {
    let order = ascending(p);
    let mut rejected = vec![false; p.len()];
    for (rank, &index) in order.iter().enumerate() {
        if p[index] > alpha / (p.len() - rank) as f64 {
            break;
        }
        rejected[index] = true;
    }
    rejected
}

/// Benjamini and Hochberg's: which are rejected so that at most the share `q` of the rejected ones is false on average.
pub fn benjamini_hochberg(p: &[f64], q: f64) -> Vec<bool> {
    let order = ascending(p);
    let passes = |rank: usize| p[order[rank]] <= q * (rank + 1) as f64 / p.len() as f64;
    let last = (0..order.len()).rev().find(|rank| passes(*rank));
    let mut rejected = vec![false; p.len()];
    for &index in order.iter().take(last.map_or(0, |rank| rank + 1)) {
        rejected[index] = true;
    }
    rejected
}

fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|one, other| p[*one].total_cmp(&p[*other]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_benjamini_and_hochberg() {
        // Their paper's 15 p-values: Bonferroni and Holm reject three at 5 %, BH four.
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.0,
        ];
        let count = |rejected: Vec<bool>| rejected.into_iter().filter(|yes| *yes).count();
        assert_eq!((count(holm(&p, 0.05)), count(benjamini_hochberg(&p, 0.05))), (3, 4));
        let mut shuffled = p;
        shuffled.reverse();
        assert_eq!(holm(&shuffled, 0.05)[12..], [true, true, true]);
        assert!(holm(&[], 0.05).is_empty() && benjamini_hochberg(&[], 0.1).is_empty());
    }
}
