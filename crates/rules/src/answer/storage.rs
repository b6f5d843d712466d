//! Storage in the terms of a database: commits, single-block reads, scans.

use super::limited;
use super::words::{bytes, count, time, times};
use crate::facts::{LARGEST_BLOCK_BYTES, in_flight, is_synced, words};
use fullwire_model::assessment::{
    Answer, Assessment, Finding, PathAssessment, PathKind, Reply, UserQuestion,
};
use fullwire_model::disk::{Caveat, DiskResult, DiskStepResult, Operation, Pattern};
use fullwire_model::quantity::Unit;
use fullwire_model::{Run, format};

/// Of the most that any depth reached: what reaches this much of it is as good, given how far rates scatter.
const AS_GOOD: f64 = 0.95;

/// A redo write where no report says how large they are.
const USUAL_BYTES: f64 = 8192.0;

/// The caveat of a device that others use at the same time.
const FOREIGN: &str = "foreign-load";

/// Times that differ by less are alike, given how far single passes scatter (own choice).
const SLOWER: f64 = 1.5;

pub(super) fn answers(run: &Run, assessment: &Assessment) -> Vec<Answer> {
    asked(run, assessment).flat_map(|asked| asked.all()).collect()
}

/// Of a load that the user chose: that its figures cannot mean what they seem to.
pub(super) fn voids(run: &Run, assessment: &Assessment) -> Vec<Answer> {
    asked(run, assessment).filter_map(|asked| Some(asked.not_known(asked.void()?))).collect()
}

/// What a commit costs, where nothing but durable writes was asked for, or where they ran beside other load.
pub(super) fn commits(run: &Run, assessment: &Assessment) -> Vec<Answer> {
    let beside = |asked: Asked<'_>| Some(asked.beside_others(vec![asked.commit_beside()?]));
    let usable = asked(run, assessment).filter(|asked| asked.void().is_none());
    let loaded: Vec<Answer> = usable.filter_map(beside).flatten().collect();
    if !loaded.is_empty() {
        return loaded;
    }
    let meant = |asked: &Asked<'_>| asked.void().is_none() && asked.result.steps.iter().all(is_synced);
    let told = |asked: Asked<'_>| asked.beside_others(asked.commit().into_iter().collect());
    asked(run, assessment).filter(meant).flat_map(told).collect()
}

fn asked<'a>(run: &'a Run, assessment: &'a Assessment) -> impl Iterator<Item = Asked<'a>> {
    let storage = assessment.paths.iter().filter(|path| path.kind == PathKind::Storage);
    storage.filter_map(move |path| {
        let result = run.disk_of(&path.target).next()?;
        Some(Asked { run, assessment, path, result })
    })
}

/// `1,013 random reads and writes of 8 KiB a second`.
fn load_of(step: &DiskStepResult) -> String {
    let operation = match step.operation {
        Operation::Read => "reads",
        Operation::Write => "writes",
        Operation::Mixed | Operation::Copy => "reads and writes",
    };
    let pattern = if step.pattern == Pattern::Random { "random" } else { "sequential" };
    format!("{} {pattern} {operation} of {} a second", count(step.iops), words::size(step.block_bytes))
}

struct Asked<'a> {
    run: &'a Run,
    assessment: &'a Assessment,
    path: &'a PathAssessment,
    result: &'a DiskResult,
}

impl<'a> Asked<'a> {
    /// Figures that cannot mean what they seem to. What other processes leave is what the database gets, too.
    fn void(&self) -> Option<&'a Caveat> {
        self.result.caveats.iter().find(|caveat| caveat.void && caveat.kind != FOREIGN)
    }

    /// Figures beside a load of others say so first, and what would show what the storage can do.
    fn beside_others(&self, mut answers: Vec<Answer>) -> Vec<Answer> {
        let foreign = self.result.caveats.iter().find(|caveat| caveat.void && caveat.kind == FOREIGN);
        let (Some(caveat), Some(first)) = (foreign, answers.first_mut()) else { return answers };
        let mut rest = first.text.chars();
        let begin = rest.next().map(|letter| letter.to_ascii_lowercase()).map_or(String::new(), String::from);
        first.text = format!("While other processes use the device: {begin}{}", rest.as_str());
        answers.push(Answer {
            question: UserQuestion::Trouble,
            subject: self.path.target.clone(),
            basis: caveat.kind.clone(),
            text: format!("What {} can do alone is not known: {}.", self.path.target, self.others(caveat)),
            ..Answer::default()
        });
        answers
    }

    /// What the others moved: the rule has looked at every pause, and of two figures the larger is said everywhere.
    fn others(&self, caveat: &Caveat) -> String {
        let of_path = |finding: &Finding| finding.explains_path(&self.path.target);
        let counts_bytes =
            |finding: &&Finding| finding.code == FOREIGN && finding.unit == Some(Unit::BytesPerS);
        let found = self.assessment.findings.iter().filter(counts_bytes).find(|finding| of_path(finding));
        let moved = found.and_then(|finding| finding.measured);
        moved.map_or_else(
            || caveat.text.trim_end_matches('.').to_owned(),
            |rate| {
                let (rate, device) = (format::value(rate, Unit::BytesPerS), &self.result.device);
                format!(
                    "others moved {rate} on {device} before the measurement; measure again when it is idle"
                )
            },
        )
    }

    /// Of figures that cannot mean what they seem to, only that is said.
    fn all(&self) -> Vec<Answer> {
        let Some(caveat) = self.void() else {
            let commit = self.commit().or_else(|| self.no_commit());
            // Where the database's need of scans is known, its answer has their rate.
            let scans = self.path.measurements.iter().filter(|one| one.unit == Unit::BytesPerS);
            let scan =
                if scans.map(|one| one.demand).all(|demand| demand.is_none()) { self.scan() } else { None };
            return self.beside_others([commit, self.reads(), scan].into_iter().flatten().collect());
        };
        vec![self.not_known(caveat)]
    }

    fn not_known(&self, caveat: &Caveat) -> Answer {
        let why = caveat.text.trim_end_matches('.');
        Answer {
            question: UserQuestion::Reads,
            subject: self.path.target.clone(),
            basis: caveat.kind.clone(),
            text: format!("What {} can do is not known: {why}.", self.path.target),
            ..Answer::default()
        }
    }

    fn steps(&self, pattern: Pattern, operation: Operation) -> impl Iterator<Item = &'a DiskStepResult> {
        let free = move |step: &&DiskStepResult| {
            step.pattern == pattern
                && step.operation == operation
                && step.rate_per_s == 0.0
                && step.iops > 0.0
        };
        self.result.steps.iter().filter(free)
    }

    /// What one durable write of the log costs, one after the other.
    fn commit(&self) -> Option<Answer> {
        let one_by_one = |step: &&DiskStepResult| {
            is_synced(step) && in_flight(step) == 1 && step.block_bytes <= LARGEST_BLOCK_BYTES
        };
        // Of several sizes the one that the database writes.
        let own = self.run.demand.as_ref().and_then(|demand| demand.redo_write_mean_bytes);
        let apart = |step: &&DiskStepResult| (step.block_bytes as f64 - own.unwrap_or(USUAL_BYTES)).abs();
        let writes = self.steps(Pattern::Sequential, Operation::Write).filter(one_by_one);
        let step = writes.min_by(|one, other| apart(one).total_cmp(&apart(other)))?;
        let (p50, p99) = (step.latency_ns.p50 as f64, step.latency_ns.p99 as f64);
        let mean = time(step.latency_ns.mean);
        // By the time of each, which the sentence names: the load generator's own pauses are none of a log writer's.
        let each_ns = if step.latency_ns.mean > 0.0 { step.latency_ns.mean } else { 1e9 / step.iops };
        let per_s = 1e9 / each_ns;
        let (code, why) = self.limit(step);
        Some(Answer {
            text: format!(
                "A commit's durable write on {} takes {mean} on average ({} median, {} 99th percentile): one log writer makes at most {} a second, one after the other.{}{why}",
                self.path.target,
                time(p50),
                time(p99),
                count(per_s),
                self.beside_the_own(each_ns)
            ),
            limited_by: code,
            ..self.answer(UserQuestion::Commit, step, per_s, Unit::IoPerS)
        })
    }

    /// What a commit takes while other load runs at the same device, in the slowest of the steps, and alone if that ran too.
    fn commit_beside(&self) -> Option<Answer> {
        let log = |step: &&DiskStepResult| is_synced(step) && in_flight(step) == 1;
        let steps = || self.result.steps.iter();
        let slowest =
            |one: &&DiskStepResult, other: &&DiskStepResult| one.latency_ns.p99.cmp(&other.latency_ns.p99);
        let step = steps().filter(|step| step.concurrent).filter(log).max_by(slowest)?;
        let others = steps().filter(|other| other.probe == step.probe && other.member != step.member);
        let others: Vec<String> = others.map(load_of).collect();
        let alone = steps().filter(|one| !one.concurrent && one.block_bytes == step.block_bytes).find(log);
        let took = |step: &DiskStepResult| {
            let (p50, p99) = (step.latency_ns.p50 as f64, step.latency_ns.p99 as f64);
            format!("{} (median), {} (99th percentile)", time(p50), time(p99))
        };
        let alone = alone.map_or_else(String::new, |one| format!("; alone it takes {}", took(one)));
        let (code, why) = self.limit(step);
        Some(Answer {
            text: format!(
                "A commit's durable write on {} takes {} beside {}{alone}.{why}",
                self.path.target,
                took(step),
                others.join(" and "),
            ),
            limited_by: code,
            ..self.answer(UserQuestion::Commit, step, step.latency_ns.p50 as f64, Unit::Ns)
        })
    }

    /// How long the database's own log writes take, where a report says so.
    fn beside_the_own(&self, here_ns: f64) -> String {
        let own =
            self.run.demand.as_ref().and_then(|demand| demand.log_write_mean_ns).filter(|own| *own > 0.0);
        own.map_or_else(String::new, |own| match here_ns / own {
            slower if slower >= SLOWER => format!(
                " The database's own log writes take {}: these take {} as long.",
                time(own),
                times(slower)
            ),
            _ => format!(" The database's own log writes take {}.", time(own)),
        })
    }

    /// A file or a device is only read.
    fn no_commit(&self) -> Option<Answer> {
        let kind = self.result.target_kind.as_str();
        let name = &self.path.target;
        ["device", "file"].contains(&kind).then(|| Answer {
            question: UserQuestion::Commit,
            subject: name.clone(),
            basis: "no write".to_owned(),
            text: format!(
                "What a commit costs on {name} is not known: a {kind} is only read; --path DIRECTORY writes a private file on its file system."
            ),
            ..Answer::default()
        })
    }

    /// What one session gets that waits for each block, and what the path gives to many.
    fn reads(&self) -> Option<Answer> {
        let blocks = || {
            self.steps(Pattern::Random, Operation::Read)
                .filter(|step| step.block_bytes <= LARGEST_BLOCK_BYTES)
        };
        let most = blocks().map(|step| step.iops).fold(0.0, f64::max);
        let best = blocks().filter(|step| step.iops >= AS_GOOD * most).min_by_key(|step| in_flight(step))?;
        // The rate beside it is that of the mean.
        let each = |step: &DiskStepResult| time(step.latency_ns.mean);
        let alone = blocks().find(|step| in_flight(step) == 1 && step.block_bytes == best.block_bytes);
        let alone = alone.filter(|one| in_flight(one) < in_flight(best));
        let one = alone
            .map(|one| format!("one session reads {} a second at {} each, ", count(one.iops), each(one)));
        let (code, why) = self.limit(best);
        Some(Answer {
            text: format!(
                "Single-block reads on {} ({}): {}{} a second with {} in flight at {} each (means), {} at the 99th percentile.{why}",
                self.path.target,
                words::size(best.block_bytes),
                one.unwrap_or_default(),
                count(best.iops),
                in_flight(best),
                each(best),
                time(best.latency_ns.p99 as f64)
            ),
            limited_by: code,
            ..self.answer(UserQuestion::Reads, best, best.iops, Unit::IoPerS)
        })
    }

    fn scan(&self) -> Option<Answer> {
        let large = || {
            self.steps(Pattern::Sequential, Operation::Read)
                .filter(|step| step.block_bytes > LARGEST_BLOCK_BYTES)
        };
        let most = large().map(|step| step.throughput_bytes_per_s).fold(0.0, f64::max);
        let enough = large().filter(|step| step.throughput_bytes_per_s >= AS_GOOD * most);
        let best = enough.min_by_key(|step| in_flight(step))?;
        let (code, why) = self.limit(best);
        Some(Answer {
            text: format!(
                "A scan of {} reads {} ({} at a time, {} in flight).{why}",
                self.path.target,
                bytes(best.throughput_bytes_per_s),
                words::size(best.block_bytes),
                in_flight(best)
            ),
            limited_by: code,
            ..self.answer(UserQuestion::Scan, best, best.throughput_bytes_per_s, Unit::BytesPerS)
        })
    }

    fn limit(&self, step: &DiskStepResult) -> (String, String) {
        limited(self.assessment, self.path, &self.result.name_of(step)).unwrap_or_default()
    }

    fn answer(&self, question: UserQuestion, step: &DiskStepResult, figure: f64, unit: Unit) -> Answer {
        Answer {
            question,
            subject: self.path.target.clone(),
            answer: Reply::Measured,
            figure: Some(figure),
            unit: Some(unit),
            basis: self.result.name_of(step).to_string(),
            ..Answer::default()
        }
    }
}
