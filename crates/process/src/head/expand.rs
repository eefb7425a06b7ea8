//! One case for each operator of how its head normal form comes from those of its parts.

use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::One;

use super::{Frame, Guard, Head, Opaque, Summand};
use crate::expression::{Binder, Expression, ExpressionKind, Quantifier};
use crate::limits;
use crate::model::ProcessId;
use crate::normal::{Algebra, Bound, Limit, Normal, NormalKind, in_range};
use crate::simplify::{build, less, not, plus, truth, variable};
use crate::substitute::Substitution;
use crate::types::Type;

impl Algebra<'_> {
    pub(super) fn expand(&mut self, normal: Normal) -> Result<Head, Limit> {
        let always = Guard::always(self.nowhere());
        match self.kind(normal).clone() {
            NormalKind::Empty => Ok(Head { termination: vec![always], ..Head::default() }),
            NormalKind::Deadlock => Ok(Head::default()),
            NormalKind::Action(action, arguments) => {
                let rest = self.empty()?;
                let summand = Summand { guard: always, action, arguments: arguments.to_vec(), rest };
                Ok(Head { summands: vec![summand], ..Head::default() })
            }
            NormalKind::Foreign(foreign) => {
                let mut ends = always.clone();
                ends.foreign_ends.insert(foreign);
                let opaque = Opaque { guard: always, foreign, around: Vec::new() };
                Ok(Head { opaque: vec![opaque], termination: vec![ends], ..Head::default() })
            }
            NormalKind::Call(process, arguments) => self.expand_call(process, &arguments),
            NormalKind::Sequence(..) => self.expand_sequence(normal),
            NormalKind::Choice(alternatives) => {
                let mut all = Head::default();
                for alternative in alternatives.iter() {
                    let head = self.head(*alternative)?;
                    all.add_all(&head, &always)?;
                }
                Ok(all)
            }
            NormalKind::Conditional(condition, yes, no) => {
                let mut all = Head::default();
                let head = self.head(yes)?;
                all.add_all(&head, &Guard::when(condition.clone()))?;
                let head = self.head(no)?;
                all.add_all(&head, &Guard::when(not(&condition)))?;
                Ok(all)
            }
            NormalKind::Iteration(body) => {
                let head = self.head(body)?;
                let mut all = Head { termination: vec![always.clone()], ..Head::default() };
                self.add_before(&mut all, &head, normal, &always)?;
                Ok(all)
            }
            NormalKind::Sum(bound, condition, body) => {
                let (bound, condition, body) = self.open(&bound, &condition, body)?;
                let head = self.head(body)?;
                let guard = Guard { binders: vec![bound], ..Guard::when(condition) };
                self.under(&head, &guard)
            }
            NormalKind::Parallel(components) => self.expand_parallel(&components),
            NormalKind::Family(bound, from, to, body) => self.expand_family(&bound, &from, &to, body),
        }
    }

    fn expand_call(&mut self, process: ProcessId, arguments: &[Expression]) -> Result<Head, Limit> {
        if self.leaves_out && self.unfolding.len() >= limits::PARTIAL_UNFOLDINGS {
            return Ok(Head::default());
        }
        if self.unfolding.len() >= limits::UNFOLDINGS {
            return Err(Limit::Unguarded(process));
        }
        self.unfolding.push(process);
        let head = self.unfold(process, arguments).and_then(|body| self.head(body));
        self.unfolding.pop();
        Ok((*head?).clone())
    }

    /// What comes first does; where it may end, the next does, and so on along the whole sequence.
    fn expand_sequence(&mut self, normal: Normal) -> Result<Head, Limit> {
        let mut all = Head::default();
        let mut reached = vec![Guard::always(self.nowhere())];
        let mut next = normal;
        loop {
            let (first, rest) = match *self.kind(next) {
                NormalKind::Sequence(first, rest) => (first, Some(rest)),
                _ => (next, None),
            };
            let head = self.head(first)?;
            for guard in &reached {
                match rest {
                    Some(rest) => self.add_before(&mut all, &head, rest, guard)?,
                    None => all.add_all(&head, guard)?,
                }
            }
            let Some(rest) = rest else { return Ok(all) };
            reached = self.conjunctions(&reached, &head.termination)?;
            if reached.is_empty() {
                return Ok(all);
            }
            next = rest;
        }
    }

    /// Adds what a head does, under a guard, before what comes then.
    fn add_before(&mut self, all: &mut Head, head: &Head, then: Normal, guard: &Guard) -> Result<(), Limit> {
        for summand in &head.summands {
            let guard = guard.and(&summand.guard);
            if guard.is_false() {
                continue;
            }
            let rest = self.sequence(summand.rest, then)?;
            all.summands.push(Summand { guard, rest, ..summand.clone() });
        }
        for opaque in &head.opaque {
            let mut around = opaque.around.clone();
            around.push(Frame::Before(then));
            all.opaque.push(Opaque { guard: guard.and(&opaque.guard), foreign: opaque.foreign, around });
        }
        all.check_size()
    }

    /// A head under a guard that binds variables: those that have to have a certain value are no longer bound.
    fn under(&mut self, head: &Head, guard: &Guard) -> Result<Head, Limit> {
        let mut all = Head::default();
        for summand in &head.summands {
            let mut guard = guard.and(&summand.guard);
            if guard.is_false() {
                continue;
            }
            let values = guard.eliminated();
            let arguments = values.apply_all(&summand.arguments);
            let rest = self.substitute(summand.rest, &values)?;
            all.summands.push(Summand { guard, arguments, rest, ..summand.clone() });
        }
        for opaque in &head.opaque {
            let mut guard = guard.and(&opaque.guard);
            let values = guard.eliminated();
            let mut around = Vec::with_capacity(opaque.around.len());
            for frame in &opaque.around {
                around.push(match frame {
                    Frame::Before(then) => Frame::Before(self.substitute(*then, &values)?),
                    Frame::Beside(other) => Frame::Beside(self.substitute(*other, &values)?),
                });
            }
            all.opaque.push(Opaque { guard, foreign: opaque.foreign, around });
        }
        for termination in &head.termination {
            let mut guard = guard.and(termination);
            guard.eliminated();
            if !guard.is_false() {
                all.termination.push(guard);
            }
        }
        all.check_size()?;
        Ok(all)
    }

    fn expand_parallel(&mut self, components: &[(Normal, u32)]) -> Result<Head, Limit> {
        let mut all = Head { termination: vec![Guard::always(self.nowhere())], ..Head::default() };
        for (place, (component, _)) in components.iter().enumerate() {
            let mut others = components.to_vec();
            others[place].1 -= 1;
            let beside = self.parallel(others)?;
            let head = self.head(*component)?;
            for summand in &head.summands {
                let rest = self.parallel(vec![(summand.rest, 1), (beside, 1)])?;
                all.summands.push(Summand { rest, ..summand.clone() });
            }
            for opaque in &head.opaque {
                let mut opaque = opaque.clone();
                opaque.around.push(Frame::Beside(beside));
                all.opaque.push(opaque);
            }
            // Copies of one component end alike, so each is asked once.
            all.termination = self.conjunctions(&all.termination, &head.termination)?;
            all.check_size()?;
        }
        Ok(all)
    }

    fn expand_family(
        &mut self,
        bound: &Bound,
        from: &Expression,
        to: &Expression,
        body: Normal,
    ) -> Result<Head, Limit> {
        let always = truth(true, self.nowhere());
        let (index, _, member) = self.open(bound, &always, body)?;
        let moved = variable(index.variable, Type::Integer, self.nowhere());
        let head = self.head(member)?;
        // The others have an index of their own, which the one that moves does not bind.
        let (other, _, others) = self.open(bound, &always, body)?;
        let before = self.family(&other, from, &moved, others)?;
        let after = self.family(&other, &plus(&moved, &BigInt::one()), to, others)?;
        let beside = self.parallel(vec![(before, 1), (after, 1)])?;
        let guard = Guard { binders: vec![index.clone()], ..Guard::when(in_range(&moved, from, to)) };
        let mut all = self.under(&Head { termination: Vec::new(), ..(*head).clone() }, &guard)?;
        for summand in &mut all.summands {
            summand.rest = self.parallel(vec![(summand.rest, 1), (beside, 1)])?;
        }
        for opaque in &mut all.opaque {
            opaque.around.push(Frame::Beside(beside));
        }
        all.termination = self.family_termination(&index, from, to, &head.termination)?;
        Ok(all)
    }

    /// A family may end if each of its members may.
    fn family_termination(
        &mut self,
        index: &Bound,
        from: &Expression,
        to: &Expression,
        member: &[Guard],
    ) -> Result<Vec<Guard>, Limit> {
        if member.iter().any(Guard::is_true) {
            return Ok(vec![Guard::always(self.nowhere())]);
        }
        let none = Guard::when(not(&less(from, to)));
        if member.is_empty() {
            return Ok(if none.is_false() { Vec::new() } else { vec![none] });
        }
        if let Some(foreign) = member.iter().find_map(|guard| guard.foreign_ends.first()) {
            return Err(Limit::ForeignInFamily(*foreign));
        }
        let span = self.nowhere();
        let ends = member.iter().filter_map(Guard::as_condition);
        let ends = ends.fold(truth(false, span), |any, next| crate::simplify::or(&any, &next));
        let name: Arc<str> = index.name.clone();
        let range = Some((from.clone(), to.clone()));
        let binder = Binder { variable: index.variable, name, ty: Type::Integer, range };
        let kind = ExpressionKind::Quantified(Quantifier::All, vec![binder], truth(true, span), ends);
        let guard = Guard::when(build(kind, Type::Boolean, span));
        Ok(vec![guard])
    }

    /// Every one of the first together with every one of the second, each with bound variables of its own: a head is
    /// computed once, so both may come from the same.
    fn conjunctions(&mut self, first: &[Guard], second: &[Guard]) -> Result<Vec<Guard>, Limit> {
        if first.len().saturating_mul(second.len()) > limits::SUMMANDS {
            return Err(Limit::Work);
        }
        let mut all = Vec::with_capacity(first.len() * second.len());
        for one in first {
            for other in second {
                let guard = one.and(&self.refreshed(other).0);
                if guard.is_true() {
                    return Ok(vec![guard]);
                }
                if !guard.is_false() {
                    all.push(guard);
                }
            }
        }
        Ok(all)
    }

    /// The guard with other bound variables, and how they are put into what it is for.
    pub(crate) fn refreshed(&mut self, guard: &Guard) -> (Guard, Substitution) {
        let mut renaming = Substitution::new();
        let mut binders = Vec::with_capacity(guard.binders.len());
        for bound in &guard.binders {
            let fresh = self.fresh_variable();
            renaming.set(bound.variable, variable(fresh, bound.ty.clone(), self.nowhere()));
            binders.push(Bound { variable: fresh, ..bound.clone() });
        }
        let condition = renaming.apply(&guard.condition);
        (Guard { binders, condition, foreign_ends: guard.foreign_ends.clone() }, renaming)
    }
}

impl Head {
    fn add_all(&mut self, head: &Head, guard: &Guard) -> Result<(), Limit> {
        let added = |other: &Guard| guard.and(other);
        for summand in &head.summands {
            self.summands.push(Summand { guard: added(&summand.guard), ..summand.clone() });
        }
        for opaque in &head.opaque {
            self.opaque.push(Opaque { guard: added(&opaque.guard), ..opaque.clone() });
        }
        self.termination.extend(head.termination.iter().map(added));
        self.summands.retain(|summand| !summand.guard.is_false());
        self.opaque.retain(|opaque| !opaque.guard.is_false());
        self.termination.retain(|guard| !guard.is_false());
        self.check_size()
    }

    fn check_size(&self) -> Result<(), Limit> {
        let size = self.summands.len().max(self.opaque.len()).max(self.termination.len());
        if size > limits::SUMMANDS { Err(Limit::Work) } else { Ok(()) }
    }
}
