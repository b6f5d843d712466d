//! What is measured: a private file, an existing file or device that is only read, or a device whose content may be
//! destroyed. Made ready here, put back in order when dropped.

use crate::disk::DiskError;
use crate::disk::hang::{ANSWER, within};
use crate::disk::hooks::{DiskHooks, Progress, Stage};
use crate::disk::load::run::{self, Live};
use crate::disk::result::caveat;
use crate::disk::target::layout::{self, Laid, Layout};
use crate::disk::target::overwritten::Overwritten;
use crate::disk::target::private_file::PrivateFile;
use crate::disk::target::safety;
use crate::disk::target::space;
use crate::disk::target::{self, Access, DiskTarget, Kind};
use fullwire_model::disk::{DiskPlan, DiskResult, Engine, Operation};
use rustix::fs::{Mode, OFlags};
use std::ops::{ControlFlow, Range};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Size of a private file when none is given.
const SIZE_BYTES: u64 = 1 << 30;
/// Of a device, the first and last MiB are never written: partition tables and labels would be there.
const DEVICE_EDGE_BYTES: u64 = 1 << 20;

/// Something that can be measured.
pub(crate) struct Subject {
    /// Any open descriptor of it.
    pub(crate) fd: Arc<OwnedFd>,
    /// The part that is used.
    pub(crate) region: Range<u64>,
    /// It takes direct I/O.
    pub(crate) direct: bool,
    /// The unit of direct I/O, if the kernel shows it.
    pub(crate) direct_unit: Option<u64>,
    /// It may be written.
    pub(crate) writable: bool,
    /// Why there is no `io_uring`.
    pub(crate) engine_problem: Option<std::io::Error>,
    /// Put back in order when dropped.
    after: After,
}

impl Subject {
    /// Puts it back in order, and says what could not be.
    pub(crate) fn put_back(mut self, target: &DiskTarget, result: &mut DiskResult) {
        let After::Zero { device } = &mut self.after else { return };
        if let Err(error) = device.zero() {
            result.caveats.push(caveat::not_zeroed(target, &self.region, &error));
        }
    }
}

/// What is done with it in the end.
enum After {
    Nothing,
    /// Removed.
    Private {
        _file: PrivateFile,
    },
    /// Zeroed.
    Zero {
        device: Overwritten,
    },
}

/// What making a subject ready needs.
pub(crate) struct Preparation<'a> {
    pub(crate) plan: &'a DiskPlan,
    pub(crate) target: &'a DiskTarget,
    pub(crate) hooks: &'a mut dyn DiskHooks,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) result: &'a mut DiskResult,
}

impl Preparation<'_> {
    /// Makes the target ready.
    pub(crate) fn prepare(mut self) -> Result<Subject, DiskError> {
        let writes = self.plan.steps.iter().any(|step| step.operation != Operation::Read);
        let engine_problem = run::engine_for(Engine::IoUring).err();
        if let Some(error) = &engine_problem {
            self.result.caveats.push(caveat::no_uring(error));
        }
        match (self.target.kind, &self.plan.destroy) {
            (Kind::Directory, _) => self.private_file(engine_problem),
            (Kind::Device, Some(typed)) if writes => self.destroyed(typed, engine_problem),
            (Kind::File, _) if writes => Err(self.refused(
                "an existing file is only read, never written: name its directory to measure writes there"
                    .into(),
            )),
            (Kind::Device, None) if writes => {
                let identity = safety::identity(&self.target.device, &self.target.device_number);
                Err(self.refused(format!(
                    "a device is only read, because a write destroys what is on it: name a directory on a file system of it to measure writes. An unused, empty device is overwritten with its identity typed after --destroy: {identity}"
                )))
            }
            (Kind::File | Kind::Device, _) => self.existing(engine_problem),
        }
    }

    fn refused(&self, reason: String) -> DiskError {
        DiskError::Refused { target: self.target.name.clone(), reason }
    }

    /// A file or device that is only read.
    fn existing(&mut self, engine_problem: Option<std::io::Error>) -> Result<Subject, DiskError> {
        let target = self.target;
        let path = target.path.clone();
        let open = move || {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
            rustix::fs::open(&path, flags, Mode::empty())
        };
        let fd = within(ANSWER, &target.name, "opening it", open)?
            .map_err(|error| DiskError::io("open", target.name.as_str(), error))?;
        let access = Access { read: true, write: false, direct: true, durable: OFlags::empty() };
        let direct = target::reopen(&fd, access).is_ok();
        let unwritten = match target.kind {
            Kind::File => caveat::unwritten(&fd, target.size_bytes),
            _ => caveat::zeros(&fd, target.size_bytes),
        };
        self.result.caveats.extend(unwritten);
        if !direct {
            self.result.caveats.push(caveat::not_direct(target));
        }
        self.result.working_set_bytes = target.size_bytes;
        Ok(Subject {
            direct_unit: target::direct_unit(&fd),
            fd: Arc::new(fd),
            region: 0..target.size_bytes,
            direct,
            writable: false,
            engine_problem,
            after: After::Nothing,
        })
    }

    /// A new file in a directory.
    fn private_file(&mut self, engine_problem: Option<std::io::Error>) -> Result<Subject, DiskError> {
        let target = self.target;
        let (wanted, budget) = self.wanted();
        let bytes = size_for(target, budget)?;
        let file = PrivateFile::create(&target.path, &target.mount.fs_type, &self.hooks.state_dir())?;
        let layout = Layout {
            fd: file.fd(),
            target: &target.name,
            region: 0..bytes,
            is_file: true,
            limit: self.layout_limit(),
            engine: engine(engine_problem.as_ref()),
        };
        let laid = self.lay(&layout)?;
        self.note_layout(wanted, bytes, laid);
        Ok(Subject {
            direct_unit: target::direct_unit(&**file.fd()),
            fd: Arc::clone(file.fd()),
            region: 0..laid.bytes,
            direct: laid.direct,
            writable: true,
            engine_problem,
            after: After::Private { _file: file },
        })
    }

    /// A device, after it climbed the whole ladder.
    fn destroyed(
        &mut self,
        typed: &str,
        engine_problem: Option<std::io::Error>,
    ) -> Result<Subject, DiskError> {
        let target = self.target;
        let (wanted, budget) = self.wanted();
        let room = target.size_bytes.saturating_sub(2 * DEVICE_EDGE_BYTES);
        let bytes = budget.min(room).min(shared_room(target)?) / DEVICE_EDGE_BYTES * DEVICE_EDGE_BYTES;
        if bytes == 0 {
            return Err(self.refused(format!("{} bytes is too small", target.size_bytes)));
        }
        let region = DEVICE_EDGE_BYTES..DEVICE_EDGE_BYTES + bytes;
        let fd = Arc::new(safety::claim(target, typed, region.end, self.stop)?);
        let sampled_bytes = safety::sampled_bytes(target.size_bytes, region.end);
        if sampled_bytes > 0 {
            self.result.caveats.push(caveat::sampled(target, sampled_bytes));
        }
        let state = self.hooks.state_dir();
        let device = Overwritten::begin(Arc::clone(&fd), region.clone(), &target.path, typed, &state)?;
        let layout = Layout {
            fd: &fd,
            target: &target.name,
            region: region.clone(),
            is_file: false,
            limit: self.layout_limit(),
            engine: engine(engine_problem.as_ref()),
        };
        let laid = self.lay(&layout)?;
        self.note_layout(wanted, bytes, laid);
        Ok(Subject {
            direct_unit: target::direct_unit(&*fd),
            fd,
            region: region.start..region.start + laid.bytes,
            direct: laid.direct,
            writable: true,
            engine_problem,
            after: After::Zero { device },
        })
    }

    /// The size that was requested, and what of it `max_bytes` leaves for the layout.
    fn wanted(&self) -> (u64, u64) {
        let wanted = if self.plan.size_bytes == 0 { SIZE_BYTES } else { self.plan.size_bytes };
        let writes = self.plan.steps.iter().any(|step| step.operation != Operation::Read);
        let budget = match self.plan.max_bytes {
            0 => wanted,
            // What the file takes is not left for the steps.
            most if writes => wanted.min(most / 2),
            most => wanted.min(most),
        };
        (wanted, budget)
    }

    fn layout_limit(&self) -> Option<Duration> {
        (self.plan.layout_limit_ns > 0).then(|| Duration::from_nanos(self.plan.layout_limit_ns))
    }

    fn lay(&mut self, layout: &Layout<'_>) -> Result<Laid, DiskError> {
        let bytes = layout.region.end - layout.region.start;
        let steps = self.plan.steps.len();
        let mut watch = |live: &Live| {
            let done = live.bytes as f64 / bytes as f64;
            self.hooks.progress(&progress(Stage::Layout, 0, steps, done, live));
            ControlFlow::Continue(())
        };
        let laid = layout::write(layout, self.stop, &mut watch)?;
        if laid.bytes == 0 { Err(DiskError::Stopped) } else { Ok(laid) }
    }

    fn note_layout(&mut self, wanted: u64, allowed: u64, laid: Laid) {
        let by_limit = self.plan.max_bytes > 0 && allowed >= (self.wanted().1 >> 20 << 20);
        let result = &mut *self.result;
        result.layout_bytes = laid.bytes;
        result.layout_s = laid.seconds;
        result.working_set_bytes = laid.bytes;
        if laid.bytes < allowed / 2 {
            result.caveats.push(caveat::small(
                self.target,
                wanted,
                laid.bytes,
                "because writing it took too long",
            ));
        } else if allowed < wanted / 2 {
            result.caveats.push(caveat::small(
                self.target,
                wanted,
                laid.bytes,
                if by_limit {
                    "because --max-bytes allows no more"
                } else {
                    "because little space is free there or on the storage below"
                },
            ));
        }
        if !laid.direct {
            result.caveats.push(caveat::not_direct(self.target));
        }
    }
}

fn engine(problem: Option<&std::io::Error>) -> Engine {
    if problem.is_some() { Engine::Plain } else { Engine::IoUring }
}

/// What a thin pool or a snapshot's store below leaves us; without any, no limit.
fn shared_room(target: &DiskTarget) -> Result<u64, DiskError> {
    let Some(room) = &target.shared_room else { return Ok(u64::MAX) };
    let allowed = room.allowed();
    if allowed >= space::SMALLEST_BYTES {
        return Ok(allowed);
    }
    let (what, left) = (&room.what, room.bytes >> 20);
    let reason = format!(
        "{what} below it has {left} MiB left: all its users share this space, and their writes fail when it is full"
    );
    Err(DiskError::Refused { target: target.name.clone(), reason })
}

/// The size that the file system, and what it shares, has room for.
pub(crate) fn size_for(target: &DiskTarget, wanted: u64) -> Result<u64, DiskError> {
    let wanted = wanted.min(shared_room(target)?);
    if wanted < space::UNIT {
        return Err(DiskError::Plan(format!(
            "the smallest file is 1 MiB, and the limit of bytes to write (max_bytes) leaves {wanted} bytes for it"
        )));
    }
    let path = target.path.clone();
    let space = within(ANSWER, &target.name, "reading the free space", move || rustix::fs::statvfs(&path))?
        .map_err(|error| DiskError::io("read the free space of", target.name.as_str(), error))?;
    // A server may say anything.
    let total = space.f_blocks.saturating_mul(space.f_frsize);
    let available = space.f_bavail.saturating_mul(space.f_frsize);
    space::allowed(wanted, total, available).ok_or_else(|| DiskError::NoSpace {
        path: target.path.clone(),
        available_bytes: available,
        needed_bytes: space::SMALLEST_BYTES,
        margin_bytes: space::least_margin(),
    })
}

/// A look at a running load as a caller sees it.
pub(crate) fn progress(stage: Stage, step: usize, steps: usize, done: f64, live: &Live) -> Progress {
    let seconds = live.elapsed.as_secs_f64().max(1e-3);
    let (iops, bytes_per_s) = (live.ios as f64 / seconds, live.bytes as f64 / seconds);
    Progress { stage, step, steps, done: done.clamp(0.0, 1.0), iops, bytes_per_s }
}
