//! Which limit acts in which measurement, and what follows for each parameter.
//!
//! A figure is the lowest of several limits, each a parameter times a known factor: on a logarithmic scale, a sum. For each
//! assignment of acting limits to figures every parameter is estimated from the figures in which it acts, and bounded by
//! the others: a limit that does not act is no lower than any figure. Assignments are weighed by their evidence: a
//! Student-t likelihood of the residuals, and for each parameter that is used what it costs to have chosen it (Laplace's
//! approximation with a prior even in the logarithm; `MacKay`, Information Theory, Inference, and Learning Algorithms,
//! chapter 28). BIC's cost of half a logarithm of the number of figures would not tell that two plateaus which agree
//! within 2 % are one.

/// One figure.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    /// Natural logarithm of the figure.
    pub(crate) y: f64,
    /// Its standard deviation.
    pub(crate) sigma: f64,
    /// What may limit it.
    pub(crate) limits: Vec<Limit>,
}

/// What may limit a figure: a parameter and a known factor, both as logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limit {
    /// Index of the parameter; `None`: the limit is known.
    pub(crate) parameter: Option<usize>,
    /// Logarithm of the factor, or of the known limit.
    pub(crate) offset: f64,
    /// The figures could tell it from the others; if not, they only bound it.
    pub(crate) may_act: bool,
    /// Logarithm of how likely it is to act here by what the rate alone does not tell: 0, or less.
    pub(crate) prior: f64,
}

/// An assignment with what it says of each parameter.
#[derive(Debug, Clone)]
pub(crate) struct Fitted {
    /// For each point the index of the limit that acts.
    pub(crate) acting: Vec<usize>,
    /// Logarithm of its evidence.
    pub(crate) evidence: f64,
    /// For each parameter what it may be.
    pub(crate) ranges: Vec<Range>,
    /// The largest distance of a figure from what the case gives, in standard deviations.
    pub(crate) worst: f64,
}

/// What a parameter may be in one case, as logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Range {
    /// It acts somewhere.
    Seen {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// It acts nowhere, and is no lower than this.
    Above(f64),
    /// No figure has to do with it.
    Unseen,
}

/// Degrees of freedom of the likelihood: a figure that is off by far costs little more than one that is off.
const NU: f64 = 4.0;
/// The width of the prior of a parameter's logarithm: three decades each way (own choice).
const PRIOR_WIDTH: f64 = 13.8;
/// Assignments that are less likely than the best by this much are dropped: 6 on the scale of BIC.
const KEPT: f64 = 3.0;
/// Partial assignments that are followed at a time.
const BEAM: usize = 48;
/// Standard deviations on each side of an estimate: 95 % with few figures.
const SPREAD: f64 = 2.5;
/// No model gives a figure that lies farther off.
const CONTRADICTS: f64 = 6.0;

/// The assignments that explain the figures, the best first. Empty: there is no figure.
pub(crate) fn fit(points: &[Point], parameters: usize) -> Vec<Fitted> {
    let mut beam: Vec<Vec<usize>> = vec![Vec::new()];
    for at in 0..points.len() {
        let longer = beam.iter().flat_map(|acting| {
            let may_act = |limit: &usize| points[at].limits[*limit].may_act;
            (0..points[at].limits.len()).filter(may_act).map(move |limit| {
                let mut longer = acting.clone();
                longer.push(limit);
                longer
            })
        });
        let mut scored: Vec<(f64, Vec<usize>)> =
            longer.map(|acting| (weigh(&points[..=at], &acting, parameters).0, acting)).collect();
        scored.sort_by(|(one, a), (other, b)| other.total_cmp(one).then_with(|| a.cmp(b)));
        scored.truncate(BEAM);
        beam = scored.into_iter().map(|(_, acting)| acting).collect();
    }
    let mut fitted: Vec<Fitted> = beam
        .into_iter()
        .filter(|_| !points.is_empty())
        .map(|acting| whole(points, acting, parameters))
        .collect();
    fitted.sort_by(|one, other| {
        other.evidence.total_cmp(&one.evidence).then_with(|| one.acting.cmp(&other.acting))
    });
    // One that a figure refutes is no explanation while another one is left.
    if !contradicts(&fitted) {
        fitted.retain(|one| one.worst <= CONTRADICTS);
    }
    let best = fitted.first().map_or(0.0, |first| first.evidence);
    fitted.retain(|one| one.evidence >= best - KEPT);
    fitted
}

/// No assignment gives these figures.
pub(crate) fn contradicts(fitted: &[Fitted]) -> bool {
    !fitted.is_empty() && fitted.iter().all(|one| one.worst > CONTRADICTS)
}

fn whole(points: &[Point], acting: Vec<usize>, parameters: usize) -> Fitted {
    let (evidence, worst) = weigh(points, &acting, parameters);
    let of = |parameter| range(points, parameter, estimate(points, &acting, parameter));
    Fitted { ranges: (0..parameters).map(of).collect(), acting, evidence, worst }
}

/// The evidence of one assignment, and the largest distance of a figure from what it gives.
fn weigh(points: &[Point], acting: &[usize], parameters: usize) -> (f64, f64) {
    let mut sums = vec![(0.0, 0.0); parameters];
    for (point, active) in points.iter().zip(acting) {
        let limit = point.limits[*active];
        if let Some(parameter) = limit.parameter {
            let weight = 1.0 / (point.sigma * point.sigma);
            sums[parameter].0 += weight * (point.y - limit.offset);
            sums[parameter].1 += weight;
        }
    }
    let value = |limit: &Limit| match limit.parameter {
        None => limit.offset,
        Some(parameter) if sums[parameter].1 > 0.0 => sums[parameter].0 / sums[parameter].1 + limit.offset,
        Some(_) => f64::INFINITY,
    };
    let (mut evidence, mut worst) = (0.0, 0.0_f64);
    for (point, active) in points.iter().zip(acting) {
        let lowest = point.limits.iter().map(value).fold(f64::INFINITY, f64::min);
        let off = (point.y - lowest) / point.sigma;
        // What acts is the lowest of all.
        let above = (value(&point.limits[*active]) - lowest) / point.sigma;
        evidence +=
            student(off) - point.sigma.ln() + student(above) - student(0.0) + point.limits[*active].prior;
        worst = worst.max(off.abs()).max(above);
    }
    let used = sums.iter().filter(|(_, weights)| *weights > 0.0);
    evidence += used
        .map(|(_, weights)| (std::f64::consts::TAU / weights).sqrt() / PRIOR_WIDTH)
        .map(f64::ln)
        .sum::<f64>();
    (evidence, worst)
}

/// Mean and standard deviation of a parameter by the figures in which it acts; `None`: it acts nowhere.
fn estimate(points: &[Point], acting: &[usize], parameter: usize) -> Option<(f64, f64)> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (point, active) in points.iter().zip(acting) {
        let limit = point.limits[*active];
        if limit.parameter == Some(parameter) {
            let weight = 1.0 / (point.sigma * point.sigma);
            sum += weight * (point.y - limit.offset);
            weights += weight;
        }
    }
    (weights > 0.0).then(|| (sum / weights, 1.0 / weights.sqrt()))
}

fn range(points: &[Point], parameter: usize, estimate: Option<(f64, f64)>) -> Range {
    if let Some((mean, sigma)) = estimate {
        return Range::Seen { low: mean - SPREAD * sigma, high: mean + SPREAD * sigma };
    }
    let bounds = points.iter().filter_map(|point| {
        let limit = point.limits.iter().find(|limit| limit.parameter == Some(parameter))?;
        Some(point.y - SPREAD * point.sigma - limit.offset)
    });
    bounds.reduce(f64::max).map_or(Range::Unseen, Range::Above)
}

/// Logarithm of the density of Student's t distribution.
fn student(off: f64) -> f64 {
    // Γ(5/2) / (√(4π) Γ(2)) = 3/8.
    const AT_ZERO: f64 = 0.375;
    AT_ZERO.ln() - f64::midpoint(NU, 1.0) * (1.0 + off * off / NU).ln()
}
