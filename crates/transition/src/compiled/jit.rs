//! Machine code for guards and effects, made with Cranelift.
//!
//! For each location one function that says which of its edges are executable, for each edge one that
//! changes the state. A function that meets anything out of the ordinary (a fault, a failed assertion) says
//! so and the bytecode does that step again, so faults are found and named in one place only. Edges that
//! need what is not known here (handshakes, `run`, channels known only by number …) are left to the
//! bytecode from the start. This is the one module with `unsafe` code.
//!
//! Memory safety does not depend on what a state says: slots and channels lie at offsets that the program
//! and the shape fix, within the words that the shape uses, and there are that many, which is checked before
//! every call. Indices, message counts and channel numbers are checked by the generated code.
#![allow(unsafe_code)]

mod arithmetic;
mod channel;
mod function;
mod support;

use super::program::{First, Program};
use super::shape::{ChannelPosition, Shape};
use crate::limits;
use cranelift_codegen::ir::{AbiParam, UserFuncName, types};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError};
use function::Maker;

/// State, frame, facts (see [`facts`]), the shape's channels; the executable edges in the low half, those
/// to ask the bytecode about in the high half.
type GuardFunction = unsafe extern "C" fn(*const u32, *const u32, u32, *const ChannelPosition) -> u64;

/// State, frame, facts, the shape's channels; 0 where all went well.
type EffectFunction = unsafe extern "C" fn(*mut u32, *mut u32, u32, *const ChannelPosition) -> u32;

/// What a function is told besides the state: pid and `timeout`, beside what [`Shape::facts`] says.
#[inline]
fn facts(shape: &Shape, pid: usize, timeout: bool) -> u32 {
    (pid as u32 & 0xff) | u32::from(timeout) << 17 | shape.facts
}

/// Which edges of a location are executable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mask {
    pub(super) yes: u32,
    /// To be decided by the bytecode.
    pub(super) ask: u32,
}

/// The machine code of a program.
pub(super) struct Native {
    /// By location id.
    guards: Vec<Option<GuardFunction>>,
    /// By edge.
    effects: Vec<Option<EffectFunction>>,
    /// Owns the memory of the functions; `None` only while it is being given back.
    module: Option<JITModule>,
    /// Byte offsets of slots that generated code looks up; owned here because the code holds addresses.
    _tables: Tables,
}

// SAFETY: the functions are plain code that touches only what it is given and the tables, which nobody
// changes; the module is not used after construction except to free it.
unsafe impl Send for Native {}
// SAFETY: as above; shared use only calls the functions.
unsafe impl Sync for Native {}

impl Drop for Native {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the functions are private to this value and can no longer be called.
            unsafe { module.free_memory() };
        }
    }
}

/// Byte offset of every slot, for the globals and for each process type.
struct Tables {
    globals: Box<[u32]>,
    locals: Vec<Box<[u32]>>,
    /// By layout.
    capacities: Box<[u32]>,
}

impl Tables {
    fn new(program: &Program) -> Tables {
        let bytes = |cells: &[super::layout::Cell]| -> Box<[u32]> {
            cells.iter().map(|cell| cell.word * 4 + u32::from(cell.shift / 8)).collect()
        };
        Tables {
            globals: bytes(&program.global_cells),
            locals: program.processes.iter().map(|process| bytes(&process.cells)).collect(),
            capacities: program.channels.iter().map(|layout| layout.capacity).collect(),
        }
    }
}

impl Native {
    /// `None` where the host is not supported or the compiler gives up: the bytecode does everything then.
    pub(super) fn new(program: &Program) -> Option<Native> {
        if cfg!(target_endian = "big") || program.trace.is_some() {
            return None;
        }
        Native::build(program).ok()
    }

    fn build(program: &Program) -> Result<Native, Box<ModuleError>> {
        let flags = [("opt_level", "speed"), ("enable_verifier", "false")];
        let builder = JITBuilder::with_flags(&flags, cranelift_module::default_libcall_names())?;
        let mut compiler = Compiler {
            module: JITModule::new(builder),
            scratch: FunctionBuilderContext::new(),
            tables: Tables::new(program),
            program,
            count: 0,
        };
        let locations: usize = program.processes.iter().map(|process| process.locations.len()).sum();
        let mut guards = vec![None; locations];
        let mut effects = vec![None; program.edges.len()];
        for (kind, process) in program.processes.iter().enumerate() {
            for (number, location) in process.locations.iter().enumerate() {
                let id = process.first_location as usize + number;
                guards[id] = compiler.guard(kind, location.edges.clone())?;
                for edge in location.edges.clone() {
                    effects[edge as usize] = compiler.effect(kind, edge)?;
                }
            }
        }
        let Compiler { mut module, tables, .. } = compiler;
        module.finalize_definitions()?;
        let code = |id: FuncId| module.get_finalized_function(id);
        let guards = guards.into_iter().map(|id: Option<FuncId>| {
            // SAFETY: the function was declared with this signature in `Compiler::guard`.
            id.map(|id| unsafe { std::mem::transmute::<*const u8, GuardFunction>(code(id)) })
        });
        let guards = guards.collect();
        let effects = effects.into_iter().map(|id: Option<FuncId>| {
            // SAFETY: the function was declared with this signature in `Compiler::effect`.
            id.map(|id| unsafe { std::mem::transmute::<*const u8, EffectFunction>(code(id)) })
        });
        let effects = effects.collect();
        Ok(Native { guards, effects, module: Some(module), _tables: tables })
    }

    /// Which edges of a location are executable for the process that is there; `None` where the bytecode
    /// has to say.
    #[inline]
    pub(super) fn guard(
        &self,
        location: u32,
        words: &[u32],
        shape: &Shape,
        pid: usize,
        timeout: bool,
    ) -> Option<Mask> {
        let function = self.guards[location as usize]?;
        let base = shape.frames[pid] as usize;
        if words.len() < shape.words as usize || base >= words.len() {
            return None;
        }
        // SAFETY: `base` is within the slice, as just checked.
        let frame = unsafe { words.as_ptr().add(base) };
        // SAFETY: the code reads within the global part, the frame of this process and the channels of the
        // shape, all of which are within the shape's words; and the shape's channels, as many as it is told.
        let result =
            unsafe { function(words.as_ptr(), frame, facts(shape, pid, timeout), shape.channels.as_ptr()) };
        Some(Mask { yes: result as u32, ask: (result >> 32) as u32 })
    }

    #[inline]
    pub(super) fn has_effect(&self, edge: usize) -> bool {
        self.effects[edge].is_some()
    }

    /// Executes an edge for a process of a state, location included. False: something went wrong, the words are spoilt and the
    /// bytecode has to do it.
    #[inline]
    pub(super) fn execute(
        &self,
        program: &Program,
        edge: usize,
        words: &mut [u32],
        shape: &Shape,
        (pid, timeout): (usize, bool),
    ) -> bool {
        if let First::Block(block) = program.edges[edge].first
            && !self.block(program, block, words, shape, (pid, timeout))
        {
            return false;
        }
        let Some(function) = self.effects[edge] else { return false };
        let base = shape.frames[pid] as usize;
        if words.len() < shape.words as usize || base >= words.len() {
            return false;
        }
        let start = words.as_mut_ptr();
        // SAFETY: `base` is within the slice, as just checked. The code reads and writes within the global
        // part, the frame of this process and the channels of the shape, all of which are within the
        // shape's words; and reads the shape's channels, as many as it is told.
        let result =
            unsafe { function(start, start.add(base), facts(shape, pid, timeout), shape.channels.as_ptr()) };
        result == 0
    }

    /// Runs a deterministic block from its entry to its exit, a short one without any other inside: all else is left to the
    /// bytecode. The locations inside are written on the way, which no generated code can see.
    fn block(
        &self,
        program: &Program,
        block: u32,
        words: &mut [u32],
        shape: &Shape,
        (pid, timeout): (usize, bool),
    ) -> bool {
        let block = &program.blocks[block as usize];
        let process = &program.processes[block.kind as usize];
        let mut location = block.entry;
        for _ in 0..program.block_step_limit.min(limits::SUSPICIOUS_STEPS) {
            if location == block.exit {
                return true;
            }
            let mask = self.guard(process.first_location + location, words, shape, pid, timeout);
            let Some(Mask { yes, ask }) = mask else { return false };
            // The first edge that is executable is taken.
            let index = (yes | ask).trailing_zeros();
            if index == u32::BITS || ask >> index & 1 == 1 {
                return false;
            }
            let edge = (process.locations[location as usize].edges.start + index) as usize;
            if matches!(program.edges[edge].first, First::Block(_))
                || !self.execute(program, edge, words, shape, (pid, timeout))
            {
                return false;
            }
            location = program.edges[edge].target;
        }
        false
    }
}

struct Compiler<'p> {
    module: JITModule,
    scratch: FunctionBuilderContext,
    tables: Tables,
    program: &'p Program,
    count: u32,
}

impl Compiler<'_> {
    /// Compiles a function, if `make` has anything to say.
    fn function(
        &mut self,
        kind: usize,
        result: types::Type,
        make: impl FnOnce(&mut Maker<'_>),
    ) -> Result<FuncId, Box<ModuleError>> {
        let mut context = self.module.make_context();
        let pointer = self.module.target_config().pointer_type();
        let signature = &mut context.func.signature;
        signature.params.extend([pointer, pointer, types::I32, pointer].map(AbiParam::new));
        signature.returns.push(AbiParam::new(result));
        let id = self.module.declare_function(&format!("f{}", self.count), Linkage::Local, signature)?;
        self.count += 1;
        context.func.name = UserFuncName::user(0, id.as_u32());
        let target = self.module.target_config();
        let mut maker =
            Maker::new(&mut context.func, &mut self.scratch, self.program, &self.tables, kind, pointer);
        make(&mut maker);
        maker.finish(target);
        self.module.define_function(id, &mut context)?;
        Ok(id)
    }

    fn guard(
        &mut self,
        kind: usize,
        edges: std::ops::Range<u32>,
    ) -> Result<Option<FuncId>, Box<ModuleError>> {
        let program = self.program;
        let here = &program.edges[edges.start as usize..edges.end as usize];
        if here.is_empty() || here.len() as u32 > limits::EDGES_PER_LOCATION {
            return Ok(None);
        }
        self.function(kind, types::I64, |maker| maker.guards(here)).map(Some)
    }

    fn effect(&mut self, kind: usize, edge: u32) -> Result<Option<FuncId>, Box<ModuleError>> {
        let edge = &self.program.edges[edge as usize];
        if !support::can_execute(self.program, edge) {
            return Ok(None);
        }
        self.function(kind, types::I32, |maker| maker.effects(edge)).map(Some)
    }
}
