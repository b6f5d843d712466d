//! What every store of runs can do, wherever it keeps them.

use crate::baseline::{MOST_RUNS, resolve_baseline};
use crate::{Baseline, Filter, Store, StoreError};
use fullwire_model::Run;
use fullwire_model::history::Entry;

/// A store of runs.
pub trait Kept {
    /// Keeps a run: afterwards all of it is there, or nothing.
    fn keep(&mut self, run: &Run) -> Result<(), StoreError>;
    /// The run of an id, of a beginning that only one id has, the newest of a label, `last`, or `baseline` (the newest
    /// one set).
    fn load(&self, name: &str) -> Result<Run, StoreError>;
    /// The full id of what [`Kept::load`] would load.
    fn resolve(&self, name: &str) -> Result<String, StoreError>;
    /// Kept runs, newest first.
    fn history(&self, filter: &Filter) -> Result<Vec<Entry>, StoreError>;
    /// Removes a run for good, with what refers to it, and says which run it was.
    fn delete(&mut self, name: &str) -> Result<String, StoreError>;
    /// Whether it is a file that nobody else can have written.
    fn is_own(&self) -> bool;
    /// Gives the space of deleted runs back, where that is this program's business.
    fn shrink(&self) -> Result<(), StoreError>;
    /// Makes runs the baseline of this name of their hosts, in place of what it was.
    fn set_baseline(&mut self, name: &str, run_ids: &[String]) -> Result<(), StoreError>;
    /// Every baseline, by host and name.
    fn baselines(&self) -> Result<Vec<Baseline>, StoreError>;
    /// Forgets a host's baseline, not its runs; says whether there was one.
    fn clear_baseline(&mut self, host: &str, name: &str) -> Result<bool, StoreError>;

    /// The runs of a host's baseline, oldest first; empty: none is set.
    fn baseline(&self, host: &str, name: &str) -> Result<Vec<String>, StoreError> {
        let all = self.baselines()?.into_iter();
        Ok(all.filter(|one| one.host == host && one.name == name).flat_map(|one| one.run_ids).collect())
    }

    /// The runs that a name stands for, oldest first: `baseline` or `baseline:NAME` (of this host, or the only one that
    /// has it), a label with all its runs, else the one run that [`Kept::load`] would load.
    fn resolve_all(&self, name: &str, host: Option<&str>) -> Result<Vec<String>, StoreError> {
        if let Some(wanted) = crate::baseline::wanted(name) {
            return resolve_baseline(self.baselines()?, wanted, host);
        }
        let filter = Filter { tag: Some(name.to_owned()), limit: Some(MOST_RUNS), ..Filter::default() };
        let labelled = self.history(&filter)?;
        // The id of a run, or its beginning, comes first, as in `load`.
        match self.resolve(name) {
            Ok(run_id) if labelled.iter().all(|entry| entry.run_id != run_id) => Ok(vec![run_id]),
            Err(error) if labelled.is_empty() => Err(error),
            _ => Ok(labelled.into_iter().rev().map(|entry| entry.run_id).collect()),
        }
    }
}

/// The same words for the file and for the server: each has them as its own.
macro_rules! kept {
    ($store:ty, $shrink:expr, $is_own:expr) => {
        impl Kept for $store {
            fn keep(&mut self, run: &Run) -> Result<(), StoreError> {
                <$store>::keep(self, run)
            }
            fn load(&self, name: &str) -> Result<Run, StoreError> {
                <$store>::load(self, name)
            }
            fn resolve(&self, name: &str) -> Result<String, StoreError> {
                <$store>::resolve(self, name)
            }
            fn history(&self, filter: &Filter) -> Result<Vec<Entry>, StoreError> {
                <$store>::history(self, filter)
            }
            fn delete(&mut self, name: &str) -> Result<String, StoreError> {
                <$store>::delete(self, name)
            }
            fn is_own(&self) -> bool {
                $is_own(self)
            }
            fn shrink(&self) -> Result<(), StoreError> {
                $shrink(self)
            }
            fn set_baseline(&mut self, name: &str, run_ids: &[String]) -> Result<(), StoreError> {
                <$store>::set_baseline(self, name, run_ids)
            }
            fn baselines(&self) -> Result<Vec<Baseline>, StoreError> {
                <$store>::baselines(self)
            }
            fn clear_baseline(&mut self, host: &str, name: &str) -> Result<bool, StoreError> {
                <$store>::clear_baseline(self, host, name)
            }
        }
    };
}

kept!(Store, Store::shrink, Store::is_own);
// Its own vacuum gives space back.
#[cfg(feature = "postgres")]
kept!(crate::postgres::Shared, |_: &crate::postgres::Shared| Ok(()), |_: &crate::postgres::Shared| false);
