//! The machine that runs members: one run after the other, each with choices of its own.
//!
//! A variable or location whose value nobody has asked for yet is a *cell* without a value; it is chosen when it is read,
//! or set by an assumption that says what it is. Copies of a state share cells, so a value that is chosen late is the same
//! in the past. What a run may not do (assume what is false, exceed a limit, fail a check) stops it with a [`Stop`].

use std::collections::BTreeMap;
use std::rc::Rc;

use silver::typed::{DomainFunctionId, FunctionId, LabelId, LocalId, Program, Type};
use source::Span;

use super::domains::Domains;
use super::heap::{Location, Mask};
use super::value::{Amount, Object, Value, none};
use testing::Random;

/// Why a run ends before its end.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// Something was assumed that is not so.
    Pruned,
    /// A limit, or something that cannot be executed.
    GivenUp(&'static str),
    Failed {
        code: &'static str,
        span: Span,
    },
    /// The run is at its end, for example after one iteration of a loop.
    Done,
}

pub(super) type Run<T> = Result<T, Stop>;

pub(super) fn fail<T>(code: &'static str, span: Span) -> Run<T> {
    Err(Stop::Failed { code, span })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CellId(u32);

#[derive(Clone, Debug)]
struct Cell {
    value: Option<Value>,
    ty: Type,
    /// Objects that `new` made later cannot be its value.
    birth: u32,
}

/// A heap and what is held of it.
#[derive(Clone, Default, Debug)]
pub(super) struct State {
    pub(super) heap: BTreeMap<Location, CellId>,
    pub(super) mask: Mask,
    /// What is held around a loop, a body that is executed, or a predicate that is looked into.
    pub(super) frames: Vec<Mask>,
    /// While exhaling: what was held when it began. Values are read by that.
    pub(super) reading: Option<Rc<Mask>>,
    /// While packaging a wand: what may be taken from outside, and what was.
    pub(super) outside: Option<Box<Outside>>,
}

#[derive(Clone, Debug)]
pub(super) struct Outside {
    pub(super) mask: Mask,
    pub(super) taken: Mask,
}

impl State {
    pub(super) fn total(&self, location: Location) -> Amount {
        let frames = self.frames.iter().map(|frame| frame.total(location));
        let outside = self.outside.iter().map(|outside| outside.mask.total(location));
        frames.chain(outside).fold(self.mask.total(location), |sum, amount| sum + amount)
    }

    /// Whether a location may be read.
    pub(super) fn can_read(&self, location: Location) -> bool {
        let mask = self.reading.as_deref().unwrap_or(&self.mask);
        mask.of_field(location) > none()
            || self.outside.as_ref().is_some_and(|outside| outside.mask.of_field(location) > none())
    }

    /// Everything that may be read now.
    pub(super) fn readable(&self) -> Mask {
        let mut mask = self.mask.clone();
        if let Some(outside) = &self.outside {
            mask.add(outside.mask.clone());
        }
        mask
    }

    pub(super) fn snapshot(&self) -> Rc<State> {
        Rc::new(self.clone())
    }
}

/// The variables of a member that is executed, and the moments that it remembers.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) locals: Vec<Option<CellId>>,
    pub(super) result: Option<CellId>,
    pub(super) old: Option<Rc<State>>,
    pub(super) labels: BTreeMap<LabelId, Rc<State>>,
    pub(super) left: Option<Rc<State>>,
    /// Amounts do not matter: preconditions and bodies of functions.
    pub(super) is_function: bool,
}

impl Scope {
    pub(super) fn new(locals: usize) -> Scope {
        Scope {
            locals: vec![None; locals],
            result: None,
            old: None,
            labels: BTreeMap::new(),
            left: None,
            is_function: false,
        }
    }
}

/// Places of checks that fail, and of statements that are reached.
#[derive(Clone, Default, Debug)]
pub(super) struct Survey {
    pub(super) failing: Vec<Span>,
    pub(super) reached: Vec<Span>,
}

pub(super) struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) domains: &'p Domains<'p>,
    pub(super) random: Random,
    cells: Vec<Cell>,
    /// For each object the moment at which `new` made it; 0 for those that were there.
    objects: Vec<u32>,
    moment: u32,
    pub(super) steps: usize,
    pub(super) depth: usize,
    /// Calls that are executed by their bodies.
    pub(super) nesting: usize,
    /// Of the variables of the member that is executed.
    pub(super) types: Vec<Type>,
    /// Nesting of predicates whose inside is being chosen.
    pub(super) unrolling: usize,
    pub(super) is_exact: bool,
    /// Values of functions without a body, by arguments and footprint.
    pub(super) abstracts: BTreeMap<(FunctionId, Vec<Value>), Value>,
    pub(super) domain_values: BTreeMap<(DomainFunctionId, Vec<Value>), Value>,
    pub(super) calls: Vec<(FunctionId, Vec<Value>)>,
    pub(super) literals: &'p [i128],
    pub(super) version: u32,
    /// While a program is made: what fails, what is reached.
    pub(super) survey: Option<Survey>,
    pub(super) choices: Vec<String>,
}

pub(super) const MAX_DEPTH: usize = 120;
const MAX_OBJECTS: usize = 24;

impl<'p> Machine<'p> {
    pub(super) fn new(
        program: &'p Program,
        domains: &'p Domains<'p>,
        literals: &'p [i128],
        random: Random,
        steps: usize,
    ) -> Machine<'p> {
        Machine {
            program,
            domains,
            random,
            cells: Vec::new(),
            objects: Vec::new(),
            moment: 0,
            steps,
            depth: 0,
            nesting: 0,
            types: Vec::new(),
            unrolling: 0,
            is_exact: true,
            abstracts: BTreeMap::new(),
            domain_values: BTreeMap::new(),
            calls: Vec::new(),
            literals,
            version: 0,
            survey: None,
            choices: Vec::new(),
        }
    }

    pub(super) fn step(&mut self) -> Run<()> {
        match self.steps.checked_sub(1) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => Err(Stop::GivenUp("too many steps")),
        }
    }

    /// A cell without a value.
    pub(super) fn open(&mut self, ty: &Type) -> CellId {
        self.cells.push(Cell { value: None, ty: ty.clone(), birth: self.moment });
        CellId(self.cells.len() as u32 - 1)
    }

    pub(super) fn cell(&mut self, value: Value, ty: &Type) -> CellId {
        let cell = self.open(ty);
        self.cells[cell.0 as usize].value = Some(value);
        cell
    }

    pub(super) fn known(&self, cell: CellId) -> Option<&Value> {
        self.cells[cell.0 as usize].value.as_ref()
    }

    pub(super) fn set(&mut self, cell: CellId, value: Value) {
        self.cells[cell.0 as usize].value = Some(value);
    }

    /// The value of a cell, chosen now if need be.
    pub(super) fn value(&mut self, cell: CellId) -> Run<Value> {
        let Cell { value, ty, birth } = self.cells[cell.0 as usize].clone();
        if let Some(value) = value {
            return Ok(value);
        }
        let value = self.choose(&ty, birth)?;
        self.cells[cell.0 as usize].value = Some(value.clone());
        Ok(value)
    }

    pub(super) fn birth(&self, cell: CellId) -> u32 {
        self.cells[cell.0 as usize].birth
    }

    pub(super) fn has_value(&self, cell: CellId) -> bool {
        self.known(cell).is_some()
    }

    /// An object that nobody knows.
    pub(super) fn allocate(&mut self) -> Object {
        self.moment += 1;
        self.objects.push(self.moment);
        self.objects.len() as Object
    }

    /// An object that was always there but that nobody has met.
    pub(super) fn discover(&mut self) -> Run<Object> {
        if self.objects.len() >= MAX_OBJECTS {
            return Err(Stop::GivenUp("too many objects"));
        }
        self.objects.push(0);
        Ok(self.objects.len() as Object)
    }

    /// All objects that existed at a moment, and `null`.
    pub(super) fn objects_at(&self, birth: u32) -> Vec<Object> {
        let existing = self.objects.iter().enumerate().filter(|(_, made)| **made <= birth);
        std::iter::once(0).chain(existing.map(|(index, _)| index as Object + 1)).collect()
    }

    pub(super) fn all_objects(&self) -> Vec<Object> {
        (0..=self.objects.len() as Object).collect()
    }

    pub(super) fn local(&self, scope: &Scope, local: LocalId) -> Run<CellId> {
        scope.locals.get(local.index()).copied().flatten().ok_or(Stop::GivenUp("a variable without a value"))
    }
}
