//! The share of packets that netem's two models of loss in bursts lose in the long run: a Markov chain each, as
//! `net/sched/sch_netem.c` walks it (`loss_gilb_ell`, `loss_4state`) and `tc-netem(8)` names its chances.

/// Gilbert and Elliott: from the good state to the bad one by `p`, back by `r`; each loses its own share.
pub(super) fn gilbert_elliott(p: f64, r: f64, bad: f64, good: f64) -> f64 {
    if p + r <= 0.0 {
        return good;
    }
    let in_bad = p / (p + r);
    in_bad * bad + (1.0 - in_bad) * good
}

/// Four states: 1 passes, 4 loses a packet alone and returns, 3 loses a burst, 2 passes within the burst.
pub(super) fn four_state(p13: f64, p31: f64, p32: f64, p23: f64, p14: f64) -> f64 {
    // Without a way back the walk ends: where it passes, where it loses, or between the two.
    if p13 > 0.0 && p32 > 0.0 && p23 <= 0.0 {
        return 0.0;
    }
    if p13 > 0.0 && p31 <= 0.0 {
        return if p32 > 0.0 { p23 / (p23 + p32) } else { 1.0 };
    }
    let burst = if p13 > 0.0 { p13 / p31 } else { 0.0 };
    let within = if p23 > 0.0 { burst * p32 / p23 } else { 0.0 };
    (burst + p14) / (1.0 + burst + within + p14)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_tc_says_by_default_is_a_plain_loss() {
        // `loss gemodel 1%` sets r 99 %, 1-h 100 %, 1-k 0; `loss state 1%` sets p31 99 %, p32 0, p23 100 %, p14 0.
        assert!((gilbert_elliott(0.01, 0.99, 1.0, 0.0) - 0.01).abs() < 1e-9);
        assert!((four_state(0.01, 0.99, 0.0, 1.0, 0.0) - 0.01).abs() < 1e-9);
    }

    /// Walks the chain as the kernel does.
    fn walked(p13: f64, p31: f64, p32: f64, p23: f64, p14: f64) -> f64 {
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let mut draw = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 11) as f64 / (1u64 << 53) as f64
        };
        let (mut state, mut lost, packets) = (1, 0, 400_000);
        for _ in 0..packets {
            let chance = draw();
            let (next, loses) = match state {
                1 if chance < p14 => (4, true),
                1 if chance < p14 + p13 => (3, true),
                2 if chance < p23 => (3, true),
                2 => (2, false),
                3 if chance < p32 => (2, false),
                3 if chance < p32 + p31 => (1, false),
                3 => (3, true),
                _ => (1, false),
            };
            state = next;
            lost += u32::from(loses);
        }
        f64::from(lost) / f64::from(packets)
    }

    #[test]
    fn four_states_lose_what_a_walk_through_them_loses() {
        for (p13, p31, p32, p23, p14) in [(0.01, 0.25, 0.05, 0.3, 0.001), (0.002, 0.2, 0.0, 1.0, 0.01)] {
            let (reckoned, walked) = (four_state(p13, p31, p32, p23, p14), walked(p13, p31, p32, p23, p14));
            assert!((reckoned / walked - 1.0).abs() < 0.05, "{reckoned} reckoned, {walked} walked");
        }
    }

    proptest! {
        #[test]
        fn a_share_is_a_share(p in 0.0..=1.0, r in 0.0..=1.0, a in 0.0..=1.0, b in 0.0..=1.0, c in 0.0..=1.0) {
            prop_assert!((0.0..=1.0).contains(&gilbert_elliott(p, r, a, b)));
            prop_assert!((0.0..=1.0).contains(&four_state(p, r, a, b, c)));
        }
    }
}
