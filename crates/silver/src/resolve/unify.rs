//! Types during inference, unification, and overload resolution.
//!
//! An overloaded operator becomes a [`Choice`] between signatures. A choice is committed as soon as one signature is
//! left; choices that stay open when a whole expression has been read take their first signature, in Viper's order
//! (so `1/2` is a permission amount unless an integer is needed). Assertions are types here: pure formulas are
//! accepted wherever an assertion is.

use std::rc::Rc;

use crate::limits;
use crate::typed::{DomainId, Type};

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Ty {
    Int,
    Bool,
    Perm,
    Ref,
    Seq(Rc<Ty>),
    Set(Rc<Ty>),
    Multiset(Rc<Ty>),
    Map(Rc<Ty>, Rc<Ty>),
    Domain(DomainId, Rc<[Ty]>),
    /// A type parameter of the domain or ADT around.
    Parameter(u32),
    /// To be inferred.
    Variable(u32),
    /// An assertion that need not be pure.
    Impure,
    Wand,
    /// An accessibility predicate of a predicate.
    Predicate,
    /// Something is wrong with it and has been reported.
    Error,
}

impl Ty {
    pub(super) fn seq(element: Ty) -> Ty {
        Ty::Seq(Rc::new(element))
    }

    pub(super) fn set(element: Ty) -> Ty {
        Ty::Set(Rc::new(element))
    }

    pub(super) fn multiset(element: Ty) -> Ty {
        Ty::Multiset(Rc::new(element))
    }

    pub(super) fn map(key: Ty, value: Ty) -> Ty {
        Ty::Map(Rc::new(key), Rc::new(value))
    }

    pub(super) fn is_assertion(&self) -> bool {
        matches!(self, Ty::Impure | Ty::Wand | Ty::Predicate)
    }

    pub(super) fn from_typed(ty: &Type) -> Ty {
        Ty::instantiate(ty, &[])
    }

    /// The type with the parameters of its domain replaced.
    pub(super) fn instantiate(ty: &Type, arguments: &[Ty]) -> Ty {
        match ty {
            Type::Int => Ty::Int,
            Type::Bool => Ty::Bool,
            Type::Perm => Ty::Perm,
            Type::Ref => Ty::Ref,
            Type::Seq(element) => Ty::seq(Ty::instantiate(element, arguments)),
            Type::Set(element) => Ty::set(Ty::instantiate(element, arguments)),
            Type::Multiset(element) => Ty::multiset(Ty::instantiate(element, arguments)),
            Type::Map(key, value) => {
                Ty::map(Ty::instantiate(key, arguments), Ty::instantiate(value, arguments))
            }
            Type::Domain(domain, inner) => {
                Ty::Domain(*domain, inner.iter().map(|ty| Ty::instantiate(ty, arguments)).collect())
            }
            Type::Parameter(ERROR_PARAMETER) => Ty::Error,
            Type::Parameter(index) => {
                arguments.get(*index as usize).cloned().unwrap_or(Ty::Parameter(*index))
            }
        }
    }
}

/// Stands for a type with a reported error where only a final type can be stored. Programs with errors are not
/// handed out, so it is never seen outside.
const ERROR_PARAMETER: u32 = u32::MAX;

/// The argument and result types of an operator.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) operands: Vec<Ty>,
    pub(super) result: Ty,
}

/// An operator whose signature is not decided yet.
#[derive(Debug)]
struct Choice {
    operands: Vec<Ty>,
    result: Ty,
    candidates: Vec<Signature>,
}

/// The binding of a type variable.
#[derive(Clone, Debug)]
struct Slot {
    binding: Option<Ty>,
    /// What it becomes if nothing says otherwise.
    default: Ty,
}

#[derive(Default, Debug)]
pub(super) struct Solver {
    slots: Vec<Slot>,
    trail: Vec<u32>,
    choices: Vec<Choice>,
}

impl Solver {
    /// Forgets everything; called between members.
    pub(super) fn reset(&mut self) {
        self.slots.clear();
        self.trail.clear();
        self.choices.clear();
    }

    pub(super) fn fresh(&mut self) -> Ty {
        self.fresh_with_default(Ty::Int)
    }

    pub(super) fn fresh_with_default(&mut self, default: Ty) -> Ty {
        self.slots.push(Slot { binding: None, default });
        Ty::Variable(self.slots.len() as u32 - 1)
    }

    /// The type as far as it is known at its head.
    pub(super) fn shallow(&self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        while let Ty::Variable(index) = ty {
            match &self.slots[index as usize].binding {
                Some(binding) => ty = binding.clone(),
                None => break,
            }
        }
        ty
    }

    /// The final type; what nothing determined takes its default.
    pub(super) fn ground(&self, ty: &Ty) -> Type {
        self.ground_within(ty, limits::TYPE_DEPTH)
    }

    fn ground_within(&self, ty: &Ty, fuel: usize) -> Type {
        if fuel == 0 {
            return Type::Int;
        }
        let fuel = fuel - 1;
        match self.shallow(ty) {
            Ty::Int => Type::Int,
            Ty::Error => Type::Parameter(ERROR_PARAMETER),
            Ty::Bool | Ty::Impure | Ty::Wand | Ty::Predicate => Type::Bool,
            Ty::Perm => Type::Perm,
            Ty::Ref => Type::Ref,
            Ty::Seq(element) => Type::seq(self.ground_within(&element, fuel)),
            Ty::Set(element) => Type::set(self.ground_within(&element, fuel)),
            Ty::Multiset(element) => Type::multiset(self.ground_within(&element, fuel)),
            Ty::Map(key, value) => {
                Type::map(self.ground_within(&key, fuel), self.ground_within(&value, fuel))
            }
            Ty::Domain(domain, arguments) => {
                Type::Domain(domain, arguments.iter().map(|ty| self.ground_within(ty, fuel)).collect())
            }
            Ty::Parameter(index) => Type::Parameter(index),
            Ty::Variable(index) => {
                let default = self.slots[index as usize].default.clone();
                if matches!(default, Ty::Variable(_)) {
                    Type::Int
                } else {
                    self.ground_within(&default, fuel)
                }
            }
        }
    }

    fn bind(&mut self, index: u32, ty: Ty) -> bool {
        if self.occurs(index, &ty, limits::TYPE_DEPTH) {
            return false;
        }
        self.slots[index as usize].binding = Some(ty);
        self.trail.push(index);
        true
    }

    fn occurs(&self, index: u32, ty: &Ty, fuel: usize) -> bool {
        if fuel == 0 {
            return true;
        }
        match self.shallow(ty) {
            Ty::Variable(other) => other == index,
            Ty::Seq(element) | Ty::Set(element) | Ty::Multiset(element) => {
                self.occurs(index, &element, fuel - 1)
            }
            Ty::Map(key, value) => self.occurs(index, &key, fuel - 1) || self.occurs(index, &value, fuel - 1),
            Ty::Domain(_, arguments) => arguments.iter().any(|ty| self.occurs(index, ty, fuel - 1)),
            _ => false,
        }
    }

    fn rollback(&mut self, mark: usize) {
        while self.trail.len() > mark {
            if let Some(index) = self.trail.pop() {
                self.slots[index as usize].binding = None;
            }
        }
    }

    /// Whether a value of type `actual` can stand where `expected` is needed; binds variables.
    fn unify(&mut self, actual: &Ty, expected: &Ty) -> bool {
        let (actual, expected) = (self.shallow(actual), self.shallow(expected));
        match (&actual, &expected) {
            (Ty::Error, _) | (_, Ty::Error) => true,
            (Ty::Variable(a), Ty::Variable(b)) if a == b => true,
            // A value whose type is open can only be a pure formula.
            (Ty::Variable(a), Ty::Impure) => self.bind(*a, Ty::Bool),
            (Ty::Variable(_), ty) | (ty, Ty::Variable(_)) if ty.is_assertion() => false,
            (Ty::Variable(a), _) => self.bind(*a, expected.clone()),
            (_, Ty::Variable(b)) => self.bind(*b, actual.clone()),
            (Ty::Bool | Ty::Wand | Ty::Predicate, Ty::Impure) => true,
            (Ty::Seq(a), Ty::Seq(b)) | (Ty::Set(a), Ty::Set(b)) | (Ty::Multiset(a), Ty::Multiset(b)) => {
                self.unify(a, b)
            }
            (Ty::Map(a, c), Ty::Map(b, d)) => self.unify(a, b) && self.unify(c, d),
            (Ty::Domain(a, left), Ty::Domain(b, right)) => {
                a == b
                    && left.len() == right.len()
                    && left.iter().zip(right.iter()).all(|(a, b)| self.unify(a, b))
            }
            _ => actual == expected,
        }
    }

    /// Like [`Solver::unify`], then commits the choices that this decides. Nothing is bound on failure.
    pub(super) fn require(&mut self, actual: &Ty, expected: &Ty) -> bool {
        let mark = self.trail.len();
        if self.unify(actual, expected) && self.propagate() {
            return true;
        }
        self.rollback(mark);
        false
    }

    fn matches(&mut self, operands: &[Ty], result: &Ty, signature: &Signature) -> bool {
        operands.iter().zip(&signature.operands).all(|(actual, expected)| self.unify(actual, expected))
            && self.unify(&signature.result, result)
    }

    /// Adds an operator application. On failure gives the index of the operand that no signature accepts.
    pub(super) fn choose(
        &mut self,
        operands: Vec<Ty>,
        result: Ty,
        mut candidates: Vec<Signature>,
    ) -> Result<(), usize> {
        for index in 0..operands.len() {
            let remaining: Vec<Signature> = candidates
                .iter()
                .filter(|candidate| {
                    let mark = self.trail.len();
                    let fits = (0..=index).all(|i| self.unify(&operands[i], &candidate.operands[i]))
                        && self.feasible();
                    self.rollback(mark);
                    fits
                })
                .cloned()
                .collect();
            if remaining.is_empty() {
                return Err(index);
            }
            candidates = remaining;
        }
        self.choices.push(Choice { operands, result, candidates });
        if self.propagate() { Ok(()) } else { Err(0) }
    }

    /// Whether every open choice still has a signature.
    fn feasible(&mut self) -> bool {
        let choices = std::mem::take(&mut self.choices);
        let feasible = choices.iter().all(|choice| {
            choice.candidates.iter().any(|candidate| {
                let mark = self.trail.len();
                let fits = self.matches(&choice.operands, &choice.result, candidate);
                self.rollback(mark);
                fits
            })
        });
        self.choices = choices;
        feasible
    }

    /// Commits choices with one signature left until nothing changes; false if one has none left.
    fn propagate(&mut self) -> bool {
        loop {
            let mut changed = false;
            let mut index = 0;
            while index < self.choices.len() {
                let Choice { operands, result, candidates } = &self.choices[index];
                let (operands, result, candidates) = (operands.clone(), result.clone(), candidates.clone());
                let mut remaining = Vec::new();
                for candidate in candidates {
                    let mark = self.trail.len();
                    if self.matches(&operands, &result, &candidate) {
                        remaining.push(candidate);
                    }
                    self.rollback(mark);
                }
                match remaining.as_slice() {
                    [] => return false,
                    [only] => {
                        if !self.matches(&operands, &result, only) {
                            return false;
                        }
                        self.choices.remove(index);
                        changed = true;
                    }
                    _ => index += 1,
                }
            }
            if !changed {
                return true;
            }
        }
    }

    /// The number of open choices, to be given to [`Solver::settle`].
    pub(super) fn open_choices(&self) -> usize {
        self.choices.len()
    }

    /// Decides all choices that were opened since `mark`.
    pub(super) fn settle(&mut self, mark: usize) -> bool {
        while self.choices.len() > mark {
            let choice = self.choices.remove(mark);
            let decided = choice.candidates.iter().any(|candidate| {
                let trail = self.trail.len();
                let fits = self.matches(&choice.operands, &choice.result, candidate) && self.feasible();
                if !fits {
                    self.rollback(trail);
                }
                fits
            });
            if !decided || !self.propagate() {
                self.choices.truncate(mark);
                return false;
            }
        }
        true
    }
}
