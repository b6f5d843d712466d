//! Plans are signed by the coordinator and checked by agents: the bus itself cannot order load.

use super::credential;
use super::link::Sayer;
use super::packed::packed;
use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fullwire_mesh::estate::{EstatePlan, Instruction, Signed, Subjects};
use nkeys::KeyPair;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Signs, numbers and sends the plans of one term.
pub(super) struct Sealer {
    key: KeyPair,
    estate: String,
    subjects: Subjects,
    term: u64,
    say: Sayer,
    /// The last number for each host. Held while sending: plans leave in the order of their numbers.
    numbers: Mutex<HashMap<String, u64>>,
}

impl Sealer {
    pub(super) fn new(seed: &str, estate: &str, term: u64, say: Sayer) -> Result<Self> {
        Ok(Self {
            key: credential::key(seed)?,
            estate: estate.to_owned(),
            subjects: Subjects::new(estate)?,
            term,
            say,
            numbers: Mutex::default(),
        })
    }

    /// Sends an instruction to one life of a host's agent. What is lost on the way is noticed by who waits for it.
    pub(super) fn send(&self, host: &str, session: &str, round: &str, instruction: Instruction) {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let number = numbers.entry(host.to_owned()).or_insert(0);
        *number += 1;
        let plan = EstatePlan {
            estate: self.estate.clone(),
            host: host.to_owned(),
            session: session.to_owned(),
            term: self.term,
            number: *number,
            round: round.to_owned(),
            instruction,
        };
        if let Ok(payload) = seal(&plan, &self.key) {
            self.say.publish(self.subjects.plan(host), payload);
        }
    }
}

/// A plan as it travels.
pub(super) fn seal(plan: &EstatePlan, key: &KeyPair) -> Result<Vec<u8>> {
    let plan = serde_json::to_string(plan).context("write a plan")?;
    let signature = key.sign(plan.as_bytes()).map_err(|error| anyhow::anyhow!("sign a plan: {error}"))?;
    packed(&Signed { plan, signature: BASE64.encode(signature) })
}

/// The plan, if this key signed it.
pub(super) fn unseal(signed: &Signed, key: &KeyPair) -> Result<EstatePlan> {
    let signature = BASE64.decode(&signed.signature).context("the signature is no base64")?;
    key.verify(signed.plan.as_bytes(), &signature)
        .map_err(|_| anyhow::anyhow!("it is not signed by this estate's coordinator"))?;
    fullwire_model::json::read(signed.plan.as_bytes()).context("it cannot be read")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estate::packed::unpacked_plan;

    #[test]
    fn a_plan_counts_only_as_it_was_signed_and_by_whom() {
        let (ours, others) = (KeyPair::new_account(), KeyPair::new_account());
        let plan = EstatePlan {
            estate: "prod".into(),
            host: "db1".into(),
            session: "s".into(),
            term: 1,
            number: 1,
            round: String::new(),
            instruction: Instruction::Rest,
        };
        let signed: Signed = unpacked_plan(&seal(&plan, &ours).unwrap()).unwrap();
        let known = KeyPair::from_public_key(&ours.public_key()).unwrap();
        assert_eq!(unseal(&signed, &known).unwrap(), plan);
        let stranger = KeyPair::from_public_key(&others.public_key()).unwrap();
        assert!(unseal(&signed, &stranger).unwrap_err().to_string().contains("not signed by"));
        let changed = Signed { plan: signed.plan.replace("db1", "db2"), ..signed.clone() };
        assert!(unseal(&changed, &known).is_err());
        for signature in ["", "AAAA", "%"] {
            assert!(unseal(&Signed { signature: signature.into(), ..signed.clone() }, &known).is_err());
        }
    }
}
