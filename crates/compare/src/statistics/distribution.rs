//! Quantiles of the normal and of Student's distribution.

use std::f64::consts::{FRAC_PI_2, PI};

/// The value below which a standard normal number lies with this probability. Acklam's rational approximation, relative
/// error below 1.2e-9. Infinite at 0 and 1.
pub fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1, 2.209_460_984_245_205e2, -2.759_285_104_469_687e2, 1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1, 2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -5.447_609_879_822_406e1, 1.615_858_368_580_409e2, -1.556_989_798_598_866e2, 6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1, 1.0,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3, -3.223_964_580_411_365e-1, -2.400_758_277_161_838, -2.549_732_539_343_734,
        4.374_664_141_464_968, 2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        7.784_695_709_041_462e-3, 3.224_671_290_700_398e-1, 2.445_134_137_142_996, 3.754_408_661_907_416, 1.0,
    ];
    /// Below it the tail's formula holds.
    const TAIL: f64 = 0.02425;
    match p {
        p if p.is_nan() => f64::NAN,
        p if p <= 0.0 => f64::NEG_INFINITY,
        p if p >= 1.0 => f64::INFINITY,
        p if p < TAIL => {
            let q = (-2.0 * p.ln()).sqrt();
            polynomial(&C, q) / polynomial(&D, q)
        }
        p if p > 1.0 - TAIL => -normal_quantile(1.0 - p),
        p => {
            let q = p - 0.5;
            q * polynomial(&A, q * q) / polynomial(&B, q * q)
        }
    }
}

/// Highest power first.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Probability that a number of Student's distribution is at most `t`: the finite series for whole degrees of freedom
/// (Abramowitz & Stegun 26.7.3 and 26.7.4).
pub fn t_cdf(t: f64, degrees: u32) -> f64 {
    /// Beyond it the distribution is the normal one to six digits, and the series is long.
    const MOST_DEGREES: u32 = 10_000;
    let degrees = degrees.clamp(1, MOST_DEGREES);
    let theta = (t / f64::from(degrees).sqrt()).atan();
    let (sine, cosine) = theta.sin_cos();
    let within = if degrees == 1 {
        theta / FRAC_PI_2
    } else if degrees % 2 == 1 {
        2.0 / PI * (theta + sine * series(cosine, cosine, 2.0, degrees))
    } else {
        sine * series(1.0, cosine, 1.0, degrees)
    };
    0.5 + within / 2.0
}

/// `first (1 + a/(a+1) cos² + a(a+2)/((a+1)(a+3)) cos⁴ + …)` up to the power that the degrees of freedom give.
fn series(first: f64, cosine: f64, mut factor: f64, degrees: u32) -> f64 {
    let terms = if degrees % 2 == 1 { (degrees - 1) / 2 } else { degrees / 2 };
    let (mut term, mut sum) = (first, first);
    for _ in 1..terms {
        term *= cosine * cosine * factor / (factor + 1.0);
        sum += term;
        factor += 2.0;
    }
    sum
}

/// The value below which a number of Student's distribution lies with this probability, to 1e-10.
pub fn t_quantile(p: f64, degrees: u32) -> f64 {
    if p.is_nan() || p <= 0.0 || p >= 1.0 {
        return normal_quantile(p);
    }
    let off = |t: f64| t_cdf(t, degrees) - p;
    let (mut low, mut high) = (-1.0, 1.0);
    while off(low) > 0.0 {
        low *= 2.0;
    }
    while off(high) < 0.0 {
        high *= 2.0;
    }
    // False position, Illinois variant (Dowell, Jarratt 1971): an end that stays a second time weighs half.
    let (mut off_low, mut off_high) = (off(low), off(high));
    let mut was_below = None;
    while high - low > 1e-10 * (1.0 + high.abs()) {
        let t = (low * off_high - high * off_low) / (off_high - off_low);
        let off_t = off(t);
        // Less than what the series itself is right to.
        if off_t.abs() <= f64::EPSILON || t <= low || t >= high {
            return t;
        }
        let is_below = off_t < 0.0;
        let weight = if was_below.replace(is_below) == Some(is_below) { 0.5 } else { 1.0 };
        if is_below {
            (low, off_low, off_high) = (t, off_t, off_high * weight);
        } else {
            (high, off_high, off_low) = (t, off_t, off_low * weight);
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_published_tables() {
        let normal =
            [(0.975, 1.959_964), (0.995, 2.575_829), (0.8, 0.841_621), (0.5, 0.0), (0.001, -3.090_232)];
        for (p, z) in normal {
            assert!((normal_quantile(p) - z).abs() < 1e-6, "{p}");
        }
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
        let student = [
            (0.975, 1, 12.706),
            (0.975, 2, 4.303),
            (0.975, 3, 3.182),
            (0.975, 6, 2.447),
            (0.975, 10, 2.228),
            (0.975, 30, 2.042),
            (0.95, 5, 2.015),
            (0.99, 9, 2.821),
            (0.999, 20, 3.552),
        ];
        for (p, degrees, t) in student {
            assert!((t_quantile(p, degrees) - t).abs() < 6e-4, "{p} {degrees}: {}", t_quantile(p, degrees));
            assert!((t_quantile(1.0 - p, degrees) + t).abs() < 6e-4, "{p} {degrees}");
        }
        assert!((t_quantile(0.975, 5_000) - normal_quantile(0.975)).abs() < 1e-3);
        for (p, degrees) in [(1e-9, 2), (1e-4, 40), (0.3, 1), (0.999_999, 7), (0.975, 10_000)] {
            let back = t_cdf(t_quantile(p, degrees), degrees);
            assert!((back - p).abs() < 1e-9 * p + 1e-14, "{p} {degrees}: {back}");
        }
        assert!(normal_quantile(f64::NAN).is_nan() && t_quantile(1.0, 3).is_infinite());
    }
}
