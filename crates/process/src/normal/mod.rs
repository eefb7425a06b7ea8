//! Normal forms of terms: what the laws that hold for all processes make the same, is the same.
//!
//! An [`Algebra`] keeps each normal form once and gives it a number, so that two of them are compared by their numbers and
//! what is shared stays shared. Constructors (`construct.rs`) apply the laws; they are the only way to a normal form.
//! The laws are those of VMCAI 2020, section 3.1, and of Baeten, *Process Algebra with Explicit Termination* (2000):
//! units, δ·P = δ, right distribution, never left; + up to order and repetition; ‖ up to order, equal components counted.
//! Variables that are bound in a normal form are numbered by the height of what they bind, so that names of bound variables
//! make no difference; who looks inside of a binder puts a fresh variable in its place first.

mod construct;
mod read;
mod replace;
mod write;

pub(crate) use construct::{has_values, in_range, one_point};

use std::collections::HashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use crate::expression::Expression;
use crate::head::Head;
use crate::limits;
use crate::model::{ActionId, Model, ProcessId, VariableId};
use crate::substitute::free_variables;
use crate::types::Type;

/// A normal form, by its number in the [`Algebra`] that made it. Equal numbers mean equal processes; the converse is what
/// [`Algebra::equal`] is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Normal(pub(crate) u32);

/// What a normal form is. Sequences hang to the right: the first part is no sequence, choice, condition or sum.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum NormalKind {
    /// ε
    Empty,
    /// δ
    Deadlock,
    /// An action with its arguments.
    Action(ActionId, Arc<[Expression]>),
    /// A declared process with its arguments.
    Call(ProcessId, Arc<[Expression]>),
    /// A term that only the language knows.
    Foreign(u32),
    /// P·Q
    Sequence(Normal, Normal),
    /// Two or more different alternatives, in the order of their numbers.
    Choice(Arc<[Normal]>),
    /// Components and how often each is there, in the order of their numbers: two or more in all.
    Parallel(Arc<[(Normal, u32)]>),
    /// P if the condition is true, else Q
    Conditional(Expression, Normal, Normal),
    /// P*
    Iteration(Normal),
    /// P for one value for which the condition is true
    Sum(Bound, Expression, Normal),
    /// P for all integers from the first up to, not including, the second, side by side
    Family(Bound, Expression, Expression, Normal),
}

/// A variable that a normal form binds. Its name is for messages and does not count.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The variable.
    pub variable: VariableId,
    /// What it is called where it was first read.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
}

impl PartialEq for Bound {
    fn eq(&self, other: &Bound) -> bool {
        self.variable == other.variable && self.ty == other.ty
    }
}

impl Eq for Bound {}

impl Hash for Bound {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.variable.hash(state);
        self.ty.hash(state);
    }
}

/// Why a term is not brought into a form: a bound was reached. Nothing wrong follows from it; the answer is *unknown*.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The term is nested too deep or too large.
    TermSize,
    /// An expression in it is nested too deep or too large.
    ExpressionSize,
    /// There are too many different terms, summands or states.
    Work,
    /// This process calls itself, or seems to, without an action before.
    Unguarded(ProcessId),
    /// A variable of type process stands under `\par` and decides there whether all may end.
    ForeignInFamily(u32),
}

/// Variables from here on are bound in normal forms; all others are free everywhere or fresh.
pub(crate) const BOUND_VARIABLES: u32 = 1 << 31;

pub(crate) struct Entry {
    pub(crate) kind: NormalKind,
    /// The variables that occur free, in order.
    pub(crate) free: Arc<[VariableId]>,
    /// How many binders are nested in it.
    pub(crate) height: u32,
    depth: u32,
    /// Whether it may end whatever the data are, as far as that is seen without unfolding anything.
    pub(crate) surely_ends: bool,
}

/// Terms over one model, and what is known about them.
pub struct Algebra<'m> {
    pub(crate) model: &'m Model,
    pub(crate) entries: Vec<Entry>,
    numbers: HashMap<NormalKind, Normal>,
    sequences: HashMap<(Normal, Normal), Normal>,
    pub(crate) heads: HashMap<Normal, Rc<Head>>,
    /// Processes that are being unfolded, the outermost first.
    pub(crate) unfolding: Vec<ProcessId>,
    /// Whether what lies behind more than a few calls is left out of heads instead of refused.
    pub(crate) leaves_out: bool,
    /// For each process, whether no data let it end, once that is known.
    pub(crate) never_ending: Option<Rc<[bool]>>,
    next_variable: u32,
    no_variables: Arc<[VariableId]>,
}

impl<'m> Algebra<'m> {
    /// The algebra of a model's terms.
    pub fn new(model: &'m Model) -> Algebra<'m> {
        Algebra {
            model,
            entries: Vec::new(),
            numbers: HashMap::new(),
            sequences: HashMap::new(),
            heads: HashMap::new(),
            unfolding: Vec::new(),
            leaves_out: false,
            never_ending: None,
            next_variable: model.next_variable,
            no_variables: Arc::from([]),
        }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// What a normal form is.
    pub fn kind(&self, normal: Normal) -> &NormalKind {
        &self.entry(normal).kind
    }

    /// The variables that occur in a normal form and are not bound in it, in order.
    pub fn free_variables(&self, normal: Normal) -> &[VariableId] {
        &self.entry(normal).free
    }

    /// How many different normal forms there are so far: what the work up to here has cost.
    pub fn forms(&self) -> usize {
        self.entries.len()
    }

    /// A variable that occurs nowhere yet.
    pub fn fresh_variable(&mut self) -> VariableId {
        let variable = VariableId(self.next_variable);
        self.next_variable += 1;
        variable
    }

    /// Lets fresh variables begin at this number or later, for who has made variables on their own.
    pub fn reserve_variables(&mut self, next: u32) {
        self.next_variable = self.next_variable.max(next);
    }

    pub(crate) fn entry(&self, normal: Normal) -> &Entry {
        &self.entries[normal.0 as usize]
    }

    /// The number of a normal form whose parts are normal forms and that no law applies to.
    pub(crate) fn intern(&mut self, kind: NormalKind) -> Result<Normal, Limit> {
        if let Some(normal) = self.numbers.get(&kind) {
            return Ok(*normal);
        }
        if self.entries.len() >= limits::NORMAL_FORMS {
            return Err(Limit::Work);
        }
        let entry = self.describe(kind.clone())?;
        if entry.depth > limits::NORMAL_DEPTH {
            return Err(Limit::TermSize);
        }
        let normal = Normal(self.entries.len() as u32);
        self.entries.push(entry);
        self.numbers.insert(kind, normal);
        Ok(normal)
    }

    fn describe(&self, kind: NormalKind) -> Result<Entry, Limit> {
        let mut free = BTreeSet::new();
        let mut look = |expression: &Expression| {
            if expression.size() > limits::EXPRESSION_NODES || expression.depth() > limits::EXPRESSION_DEPTH {
                return Err(Limit::ExpressionSize);
            }
            free_variables(expression, &mut free);
            Ok(())
        };
        let mut parts: Vec<Normal> = Vec::new();
        let mut bound = None;
        match &kind {
            NormalKind::Empty | NormalKind::Deadlock | NormalKind::Foreign(_) => {}
            NormalKind::Action(_, arguments) | NormalKind::Call(_, arguments) => {
                arguments.iter().try_for_each(&mut look)?;
            }
            NormalKind::Sequence(first, second) => parts.extend([*first, *second]),
            NormalKind::Choice(alternatives) => parts.extend(alternatives.iter()),
            NormalKind::Parallel(components) => parts.extend(components.iter().map(|(part, _)| part)),
            NormalKind::Conditional(condition, yes, no) => {
                look(condition)?;
                parts.extend([*yes, *no]);
            }
            NormalKind::Iteration(body) => parts.push(*body),
            NormalKind::Sum(variable, condition, body) => {
                look(condition)?;
                parts.push(*body);
                bound = Some(variable.variable);
            }
            NormalKind::Family(variable, from, to, body) => {
                look(from)?;
                look(to)?;
                parts.push(*body);
                bound = Some(variable.variable);
            }
        }
        let height = parts.iter().map(|part| self.entry(*part).height).max().unwrap_or(0);
        let depth = match &kind {
            NormalKind::Sequence(first, second) => {
                (self.entry(*first).depth + 1).max(self.entry(*second).depth)
            }
            _ => parts.iter().map(|part| self.entry(*part).depth).max().unwrap_or(0) + 1,
        };
        for part in &parts {
            free.extend(self.entry(*part).free.iter());
        }
        if let Some(bound) = bound {
            free.remove(&bound);
        }
        let free = self.shared_variables(&free, &parts);
        let mut ends = parts.iter().map(|part| self.entry(*part).surely_ends);
        let surely_ends = match &kind {
            NormalKind::Empty | NormalKind::Iteration(_) => true,
            NormalKind::Choice(_) => ends.any(|ends| ends),
            NormalKind::Sequence(..)
            | NormalKind::Parallel(_)
            | NormalKind::Conditional(..)
            | NormalKind::Family(..) => ends.all(|ends| ends),
            NormalKind::Deadlock
            | NormalKind::Action(..)
            | NormalKind::Call(..)
            | NormalKind::Foreign(_)
            | NormalKind::Sum(..) => false,
        };
        Ok(Entry { kind, free, height: height + u32::from(bound.is_some()), depth, surely_ends })
    }

    /// The list of variables, shared with a part that has the same.
    fn shared_variables(&self, free: &BTreeSet<VariableId>, parts: &[Normal]) -> Arc<[VariableId]> {
        if free.is_empty() {
            return self.no_variables.clone();
        }
        let same = parts.iter().find(|part| self.entry(**part).free.len() == free.len());
        match same {
            Some(part) if self.entry(*part).free.iter().eq(free.iter()) => self.entry(*part).free.clone(),
            _ => free.iter().copied().collect(),
        }
    }
}

/// How often each component is there.
pub(crate) type Counted = BTreeMap<Normal, u32>;
