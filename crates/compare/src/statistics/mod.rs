//! Arithmetic for few observations that are not normal: ranks, exact distributions, intervals that keep their promise.
//!
//! Sources: Hodges & Lehmann 1963 (estimate and interval), Wilcoxon 1945 and Mann & Whitney 1947 (ranks), Schuirmann 1987
//! (equivalence by two one-sided tests), Holm 1979, Benjamini & Hochberg 1995.

mod bootstrap;
mod change_point;
mod distribution;
mod estimate;
mod multiple;
mod power;
mod rank;
mod robust;

pub use bootstrap::{Shift, shift_of_series};
pub use change_point::{ChangePoint, change_points};
pub use distribution::{normal_quantile, t_cdf, t_quantile};
pub use estimate::{Estimate, Interval, groups, median_interval, pairs};
pub use multiple::{benjamini_hochberg, holm};
pub use power::{Compare, detectable, needed};
pub use rank::{rank_sum_p, signed_rank_p};
pub use robust::{
    FAR, coefficient_of_variation, mad, scatter_of_neighbours, spread, standard_deviation, theil_sen,
    without_one_excursion,
};
