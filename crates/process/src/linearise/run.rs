//! Runs of a term from a store to the stores where it may end, as statements.

use num_bigint::BigInt;
use num_traits::One;

use super::commute::assume;
use super::statement::{Block, Claim, Statement};
use super::store::Store;
use super::{Lineariser, Refusal, Strategy};
use crate::expression::Expression;
use crate::limits;
use crate::normal::{Bound, Normal, NormalKind};
use crate::simplify::{at_most, equal, less, not, plus, truth, variable};
use crate::types::Type;

/// How far a run has come.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Progress {
    /// Whether there was an action already: only then may what is left be closed by a contract that is not called.
    pub(super) has_moved: bool,
    /// How many actions were done by `||` around this.
    pub(super) expanded: u32,
    /// How many processes without a contract are unfolded around this.
    pub(super) unfoldings: u32,
}

/// Each way that leads on: statements, and where they end, if anywhere.
type Branches = Vec<(Block, Option<Store>)>;

impl Lineariser<'_> {
    /// Writes the runs of a term that end; the result is the store at the end, nothing if no run ends.
    pub(super) fn run(
        &mut self,
        term: Normal,
        before: &Store,
        progress: Progress,
        block: &mut Block,
    ) -> Result<Option<Store>, Refusal> {
        self.spend(1)?;
        match self.algebra.kind(term).clone() {
            NormalKind::Empty => Ok(Some(before.clone())),
            NormalKind::Deadlock => Ok(None),
            NormalKind::Foreign(_) => Err(Refusal::Foreign),
            NormalKind::Action(action, arguments) => {
                self.spend(2 + before.values.len())?;
                Ok(Some(self.act(action, &arguments, before, block)))
            }
            NormalKind::Call(process, arguments) => {
                self.call((term, process, &arguments), before, progress, block)
            }
            NormalKind::Sequence(..) => self.run_sequence(term, before, progress, block),
            NormalKind::Choice(alternatives) => {
                let mut branches = Branches::new();
                for alternative in alternatives.iter() {
                    let mut inside = Block::new();
                    let end = self.run(*alternative, before, progress, &mut inside)?;
                    branches.push((inside, end));
                }
                self.join(branches, block)
            }
            NormalKind::Conditional(condition, yes, no) => {
                let mut branches = Branches::new();
                for (condition, branch) in [(condition.clone(), yes), (not(&condition), no)] {
                    let mut inside = vec![Statement::Assume(condition)];
                    let end = self.run(branch, before, progress, &mut inside)?;
                    branches.push((inside, end));
                }
                self.join(branches, block)
            }
            NormalKind::Iteration(body) => {
                // Any number of times leads anywhere that the fields it changes let it.
                let mut after = before.clone();
                for field in self.changed_fields(body)? {
                    after.values[field.0 as usize] = self.any_value(field.0 as usize, block);
                }
                Ok(Some(after))
            }
            NormalKind::Sum(bound, condition, body) => {
                let (bound, condition, body) = self.algebra.open(&bound, &condition, body)?;
                block.push(Statement::Declare(bound));
                assume(block, condition);
                self.run(body, before, progress, block)
            }
            NormalKind::Parallel(components) => {
                let total: u64 = components.iter().map(|(_, count)| u64::from(*count)).sum();
                let orders = if total == 2 { 2 } else { limits::COMPONENT_ORDERS };
                self.orders = self.orders.max(orders);
                match self.strategy {
                    Strategy::Expansion(most) => self.expand(term, before, (progress, most), block),
                    Strategy::Commutation(order) => {
                        self.one_by_one(&components, order, before, progress, block)
                    }
                    Strategy::Sequential => Err(Refusal::TooManyComponents),
                }
            }
            NormalKind::Family(bound, from, to, body) => {
                self.orders = self.orders.max(2);
                match self.strategy {
                    Strategy::Expansion(most) => self.expand(term, before, (progress, most), block),
                    Strategy::Commutation(order) => {
                        let family = (&bound, &from, &to, body);
                        self.run_family(family, order, before, progress, block)
                    }
                    Strategy::Sequential => Err(Refusal::TooManyComponents),
                }
            }
        }
    }

    fn run_sequence(
        &mut self,
        term: Normal,
        before: &Store,
        progress: Progress,
        block: &mut Block,
    ) -> Result<Option<Store>, Refusal> {
        let mut store = before.clone();
        let mut progress = progress;
        let mut next = term;
        loop {
            let (first, rest) = match *self.algebra.kind(next) {
                NormalKind::Sequence(first, rest) => (first, Some(rest)),
                _ => (next, None),
            };
            match self.run(first, &store, progress, block)? {
                Some(end) => store = end,
                None => return Ok(None),
            }
            // Only an action surely moves; whatever else came first may have ended at once.
            if matches!(self.algebra.kind(first), NormalKind::Action(..)) {
                progress.has_moved = true;
            }
            let Some(rest) = rest else { return Ok(Some(store)) };
            next = rest;
        }
    }

    /// Joins branches again: fields that differ get values that are those of the branch that is taken.
    fn join(&mut self, branches: Branches, block: &mut Block) -> Result<Option<Store>, Refusal> {
        let mut open: Vec<(Block, Store)> = Vec::new();
        let mut blocks: Vec<Block> = Vec::new();
        for (mut inside, end) in branches {
            match end {
                Some(end) => open.push((inside, end)),
                // A branch without an end matters only for what it asserts.
                None if asserts(&inside) => {
                    inside.push(Statement::Assume(truth(false, self.algebra.nowhere())));
                    blocks.push(inside);
                }
                None => {}
            }
        }
        let Some((_, first)) = open.first() else {
            if !blocks.is_empty() {
                block.push(Statement::Branch(blocks));
            }
            return Ok(None);
        };
        let mut result = first.clone();
        for place in 0..result.values.len() {
            if open.iter().all(|(_, end)| end.values[place] == result.values[place]) {
                continue;
            }
            let joined = self.any_value(place, block);
            for (inside, end) in &mut open {
                inside.push(Statement::Assume(equal(&joined, &end.values[place])));
            }
            result.values[place] = joined;
            self.spend(1 + open.len())?;
        }
        if open.len() == 1 && blocks.is_empty() {
            block.extend(open.into_iter().flat_map(|(inside, _)| inside));
            return Ok(Some(result));
        }
        blocks.extend(open.into_iter().map(|(inside, _)| inside));
        block.push(Statement::Branch(blocks));
        Ok(Some(result))
    }

    /// Nothing may get here.
    pub(super) fn beyond(&mut self, term: Normal, block: &mut Block) -> Result<Option<Store>, Refusal> {
        let written = self.algebra.term(term)?;
        block.push(Statement::Assert(truth(false, self.algebra.nowhere()), Claim::Beyond(written)));
        Ok(None)
    }

    /// One component moves, then what is left, up to a bound.
    fn expand(
        &mut self,
        term: Normal,
        before: &Store,
        (progress, most): (Progress, u32),
        block: &mut Block,
    ) -> Result<Option<Store>, Refusal> {
        if progress.has_moved
            && let Some(fold) = self.find_fold(term)?
        {
            return self.close_by_contract(term, &fold, before, block).map(Some);
        }
        if progress.expanded >= most {
            return self.beyond(term, block);
        }
        let head = self.algebra.head(term)?;
        let mut branches = Branches::new();
        for guard in &head.termination {
            let (guard, _) = self.algebra.refreshed(guard);
            let mut inside = Block::new();
            inside.extend(guard.binders.into_iter().map(Statement::Declare));
            assume(&mut inside, guard.condition);
            branches.push((inside, Some(before.clone())));
        }
        for summand in &head.summands {
            let (guard, renaming) = self.algebra.refreshed(&summand.guard);
            let arguments = renaming.apply_all(&summand.arguments);
            let rest = self.algebra.substitute(summand.rest, &renaming)?;
            let mut inside = Block::new();
            inside.extend(guard.binders.into_iter().map(Statement::Declare));
            assume(&mut inside, guard.condition);
            self.spend(4 + before.values.len())?;
            let moved = self.act(summand.action, &arguments, before, &mut inside);
            let further = Progress { has_moved: true, expanded: progress.expanded + 1, ..progress };
            let end = self.run(rest, &moved, further, &mut inside)?;
            branches.push((inside, end));
        }
        self.join(branches, block)
    }

    /// Components one after the other, in the order of this number, if they commute.
    fn one_by_one(
        &mut self,
        components: &[(Normal, u32)],
        order: u32,
        before: &Store,
        progress: Progress,
        block: &mut Block,
    ) -> Result<Option<Store>, Refusal> {
        let total: u64 = components.iter().map(|(_, count)| u64::from(*count)).sum();
        if total > limits::COMMUTED_COMPONENTS {
            return Err(Refusal::TooManyComponents);
        }
        let each = components.iter().flat_map(|(part, count)| std::iter::repeat_n(*part, *count as usize));
        let sorted = in_order(each.collect(), order);
        let mut alphabets = Vec::with_capacity(sorted.len());
        for component in &sorted {
            alphabets.push(self.alphabet(*component)?);
        }
        for (place, first) in alphabets.iter().enumerate() {
            for then in &alphabets[place + 1..] {
                self.commute(first, then, &[])?;
            }
        }
        let mut store = before.clone();
        for component in sorted {
            match self.run(component, &store, progress, block)? {
                Some(end) => store = end,
                None => return Ok(None),
            }
        }
        Ok(Some(store))
    }

    /// Members of a family one after the other, if they commute: the first and the others, or the others and the last. The
    /// others are closed by a contract: they are fewer.
    fn run_family(
        &mut self,
        (bound, from, to, body): (&Bound, &Expression, &Expression, Normal),
        order: u32,
        before: &Store,
        progress: Progress,
        block: &mut Block,
    ) -> Result<Option<Store>, Refusal> {
        let span = from.span();
        let always = truth(true, span);
        let (earlier, _, one) = self.algebra.open(bound, &always, body)?;
        let (later, _, other) = self.algebra.open(bound, &always, body)?;
        let first = self.alphabet(one)?;
        let then = self.alphabet(other)?;
        let name = |bound: &Bound| variable(bound.variable, Type::Integer, span);
        let (low, high) = (name(&earlier), name(&later));
        let rising = order.is_multiple_of(2);
        let conditions = if rising {
            vec![at_most(from, &low), less(&low, &high), less(&high, to)]
        } else {
            vec![at_most(from, &high), less(&high, &low), less(&low, to)]
        };
        self.commute(&first, &then, &conditions)?;

        let one_number = BigInt::one();
        let last = plus(to, &-one_number.clone());
        let second = plus(from, &one_number);
        let front = self.algebra.family(&earlier, from, &last, one)?;
        let back = self.algebra.family(&earlier, &second, to, one)?;
        let mut inside = vec![Statement::Assume(less(from, to))];
        let at = |index: &Expression| {
            let mut substitution = crate::substitute::Substitution::new();
            substitution.set(earlier.variable, index.clone());
            substitution
        };
        let first_member = self.algebra.substitute(one, &at(from))?;
        let last_member = self.algebra.substitute(one, &at(&last))?;
        let end = if let Some(fold) = self.find_fold(front)? {
            self.fold_and_member((front, &fold), last_member, rising, (before, progress), &mut inside)?
        } else if let Some(fold) = self.find_fold(back)? {
            self.fold_and_member((back, &fold), first_member, !rising, (before, progress), &mut inside)?
        } else {
            self.beyond(front, &mut inside)?
        };
        let none = (vec![Statement::Assume(at_most(to, from))], Some(before.clone()));
        self.join(vec![none, (inside, end)], block)
    }

    /// The others by their contract, before or after the one that is left.
    fn fold_and_member(
        &mut self,
        (others, fold): (Normal, &super::fold::Fold),
        member: Normal,
        others_first: bool,
        (before, progress): (&Store, Progress),
        block: &mut Block,
    ) -> Result<Option<Store>, Refusal> {
        let mut store = before.clone();
        if others_first {
            store = self.close_by_contract(others, fold, &store, block)?;
        }
        let Some(mut store) = self.run(member, &store, progress, block)? else { return Ok(None) };
        if !others_first {
            store = self.close_by_contract(others, fold, &store, block)?;
        }
        Ok(Some(store))
    }
}

/// Whether something is asserted in a block or one of its branches.
fn asserts(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Assert(..) => true,
        Statement::Branch(blocks) => blocks.iter().any(asserts),
        Statement::Declare(_) | Statement::Assume(_) => false,
    })
}

/// The permutation with this number: first the order as it is and turned around, then the others of three.
fn in_order(mut components: Vec<Normal>, order: u32) -> Vec<Normal> {
    if order % 2 == 1 {
        components.reverse();
    }
    let turns = (order / 2) as usize % components.len().max(1);
    components.rotate_left(turns);
    components
}
