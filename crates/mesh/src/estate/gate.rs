//! Which plans an agent obeys. The signature has been checked before.

use super::EstatePlan;

/// Lets in what is meant for this life of this agent, by the newest coordinator, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    estate: String,
    host: String,
    session: String,
    term: u64,
    number: u64,
}

/// Why a plan is not obeyed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is another estate's.
    #[error("a plan of the estate {0}")]
    Estate(String),
    /// It is another host's.
    #[error("a plan for the host {0}")]
    Host(String),
    /// It was made before this agent started again.
    #[error("a plan for another life of this agent")]
    Session,
    /// Its coordinator has been replaced.
    #[error("a plan of term {found}, and term {known} has begun")]
    Term {
        /// Of the plan.
        found: u64,
        /// The highest that was seen.
        known: u64,
    },
    /// It was obeyed already, or a later one was.
    #[error("plan {number} came twice or too late")]
    Repeated {
        /// Its number.
        number: u64,
    },
}

impl Gate {
    /// For a new session of an agent that has seen `term` before.
    pub fn new(estate: &str, host: &str, session: &str, term: u64) -> Self {
        Self { estate: estate.into(), host: host.into(), session: session.into(), term, number: 0 }
    }

    /// Whether this plan is obeyed, and that no plan before it is any more.
    pub fn admit(&mut self, plan: &EstatePlan) -> Result<(), Refusal> {
        if plan.estate != self.estate {
            return Err(Refusal::Estate(plan.estate.clone()));
        }
        if plan.host != self.host {
            return Err(Refusal::Host(plan.host.clone()));
        }
        if plan.session != self.session {
            return Err(Refusal::Session);
        }
        if plan.term < self.term {
            return Err(Refusal::Term { found: plan.term, known: self.term });
        }
        if plan.term == self.term && plan.number <= self.number {
            return Err(Refusal::Repeated { number: plan.number });
        }
        (self.term, self.number) = (plan.term, plan.number);
        Ok(())
    }

    /// The highest term that was seen: to be remembered when the agent starts again.
    pub fn term(&self) -> u64 {
        self.term
    }

    /// The life of the agent.
    pub fn session(&self) -> &str {
        &self.session
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estate::Instruction;
    use proptest::prelude::*;

    fn plan(term: u64, number: u64) -> EstatePlan {
        EstatePlan {
            estate: "prod".into(),
            host: "db1".into(),
            session: "s1".into(),
            term,
            number,
            round: String::new(),
            instruction: Instruction::Rest,
        }
    }

    #[test]
    fn what_is_meant_for_somebody_else_is_not_obeyed() {
        let mut gate = Gate::new("prod", "db1", "s1", 3);
        assert_eq!(
            gate.admit(&EstatePlan { estate: "test".into(), ..plan(3, 1) }),
            Err(Refusal::Estate("test".into()))
        );
        assert_eq!(
            gate.admit(&EstatePlan { host: "db2".into(), ..plan(3, 1) }),
            Err(Refusal::Host("db2".into()))
        );
        assert_eq!(gate.admit(&EstatePlan { session: "s0".into(), ..plan(9, 9) }), Err(Refusal::Session));
        assert_eq!(gate.admit(&plan(2, 9)), Err(Refusal::Term { found: 2, known: 3 }));
        assert_eq!(gate.admit(&plan(3, 1)), Ok(()), "nothing of that moved the gate");
    }

    proptest! {
        #[test]
        fn however_plans_are_repeated_and_reordered_none_is_obeyed_twice_and_terms_never_fall(
            order in proptest::collection::vec((1_u64..5, 1_u64..20), 0..200),
        ) {
            let mut gate = Gate::new("prod", "db1", "s1", 0);
            let mut obeyed = Vec::new();
            for (term, number) in order {
                if gate.admit(&plan(term, number)).is_ok() {
                    obeyed.push((term, number));
                }
            }
            prop_assert!(obeyed.windows(2).all(|pair| pair[0] < pair[1]), "{obeyed:?}");
        }
    }
}
