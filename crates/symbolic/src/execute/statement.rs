//! What each statement does to a state.

use silver::typed::{BinaryOperator, LocalId, Statement, StatementKind, Type};
use smt::Term;
use verdict::failure::Failure;
use verdict::{Answered, Reason};

use crate::attempt::Refuting;
use crate::blame::{Blame, ErrorKind, Stop};
use crate::engine::{Engine, Outcome};
use crate::execute::Refutation;
use crate::heap::{BasicChunk, Chunk, Resource};
use crate::produce::Source;
use crate::state::State;

impl<'p> Engine<'p> {
    /// Executes one statement that does not move control; gives the states after it.
    pub(crate) fn execute_statement(
        &mut self,
        state: &mut State,
        statement: &'p Statement,
    ) -> Outcome<Vec<State>> {
        use StatementKind as S;
        let span = statement.span;
        match &statement.kind {
            S::Assign { target, value } => {
                let blame = Blame::new(ErrorKind::Assignment, span);
                let value = self.evaluate(state, value, &blame)?;
                self.mention(value);
                state.store.set(*target, value);
            }
            S::FieldAssign { receiver, field, target_span, value } => {
                let blame = Blame::new(ErrorKind::Assignment, span);
                let receiver = self.evaluate(state, receiver, &blame)?;
                let value = self.evaluate(state, value, &blame)?;
                let resource = Resource::Field(*field);
                if self.write_in_place(state, resource, receiver, value) {
                    return Ok(vec![self.suspend(state.clone())]);
                }
                let write = self.encoder.terms.one();
                let manner = self.plainly();
                self.take(state, self.demand(resource, &[receiver], write), &blame, *target_span)?;
                let snapshot = self.encoder.wrap(value);
                self.produce_location(state, resource, &[receiver], write, Source::Given(snapshot), manner);
            }
            S::New { target, fields, declared } => {
                let sort = self.encoder.sort(&Type::Ref);
                let name = self.around.locals[target.index()].name.clone();
                let object = self.fresh(&name, sort);
                self.assume_new(state, object, *declared);
                state.store.set(*target, object);
                let write = self.encoder.terms.one();
                let manner = self.plainly();
                for field in fields.iter() {
                    let resource = Resource::Field(*field);
                    self.produce_location(state, resource, &[object], write, Source::Fresh, manner);
                }
            }
            S::Call { method, arguments, targets } => self.call(state, *method, arguments, targets, span)?,
            S::Inhale(assertion) => {
                let blame = Blame::new(ErrorKind::Inhale, assertion.span);
                let manner = self.plainly();
                self.produce(state, assertion, Source::Fresh, manner, &blame)?;
                if self.is_infeasible() {
                    let never = self.encoder.terms.false_();
                    self.learn(never);
                }
            }
            S::Exhale(assertion) => {
                let blame = Blame::new(ErrorKind::Exhale, assertion.span);
                self.consume(state, assertion, &blame)?;
            }
            S::Assert { assertion, blame } => {
                let blame = match blame {
                    Some(own) => Blame { error: own.error, span: own.span, false_reason: own.reason },
                    None => Blame::new(ErrorKind::Assert, assertion.span),
                };
                let mut attempt = state.clone();
                self.consume(&mut attempt, assertion, &blame)?;
                self.keep_transferred(state, &attempt);
            }
            S::Refute { assertion, is_precaution } => {
                let how = if *is_precaution { Refuting::AsPrecaution } else { Refuting::AsWritten };
                self.refute(state, assertion, how)?;
            }
            S::Question(assertion) => self.answer(state, assertion)?,
            S::Fold(access) => {
                let blame = Blame::new(ErrorKind::Fold, span);
                self.fold(state, access, &blame)?;
            }
            S::Unfold(access) => {
                let blame = Blame::new(ErrorKind::Unfold, span);
                self.unfold(state, access, &blame)?;
            }
            S::Apply(wand) => {
                let blame = Blame::new(ErrorKind::Apply, span);
                self.apply_wand(state, wand, &blame)?;
            }
            S::Quasihavoc { condition, resource } => {
                self.quasihavoc(state, &[], condition.as_ref(), resource)?;
            }
            S::QuasihavocAll { variables, condition, resource } => {
                self.quasihavoc(state, variables, condition.as_ref(), resource)?;
            }
            // Control flow is in the graph; a package is more than one step.
            S::Package { .. }
            | S::If { .. }
            | S::While { .. }
            | S::Label { .. }
            | S::Goto(_)
            | S::Block(_) => {}
        }
        Ok(vec![self.suspend(state.clone())])
    }

    /// A violated assertion on some path is what is asked for. It is tried as completely as an assertion that is to hold:
    /// what only a better attempt would prove is not refuted.
    fn refute(
        &mut self,
        state: &State,
        assertion: &silver::typed::ExpressionRef,
        how: Refuting,
    ) -> Outcome<()> {
        let blame = Blame::new(ErrorKind::Refute, assertion.span);
        let (origin, mark) = (self.path.tip().clone(), self.path.mark());
        let mut is_never = true;
        let outcome = self.refuting(how, |engine| {
            engine.attempt(state.clone(), &mut |engine, mut state| {
                engine.consume(&mut state, assertion, &blame)?;
                is_never &= engine.is_dead();
                Ok(vec![engine.suspend(state)])
            })
        });
        self.path.move_to(origin);
        self.path.rewind(&mark);
        let found = match outcome {
            Ok(_) => Refutation::None,
            Err(Stop::Failed(_)) => Refutation::Found,
            // Another path may know.
            Err(Stop::Unknown(reason @ Reason::GaveUp(_))) => Refutation::Open(reason),
            Err(stop) => return Err(stop),
        };
        // What is impossible is told by this; what comes after it has nothing to add.
        if found == Refutation::None && how == Refuting::AsPrecaution && is_never {
            self.learn_never();
        }
        let before = self.report.refutations.entry(assertion.span).or_insert(Refutation::None);
        if *before == Refutation::None || found == Refutation::Found {
            *before = found;
        }
        Ok(())
    }

    /// Finds out what is known of an assertion, as completely as if it had to hold, and leaves everything as it was.
    fn answer(&mut self, state: &State, assertion: &silver::typed::ExpressionRef) -> Outcome<()> {
        let blame = Blame::new(ErrorKind::Assert, assertion.span);
        let (origin, mark) = (self.path.tip().clone(), self.path.mark());
        let failures = self.report.failures.len();
        let outcome = self.attempt(state.clone(), &mut |engine, mut state| {
            engine.consume(&mut state, assertion, &blame)?;
            Ok(vec![engine.suspend(state)])
        });
        self.path.move_to(origin);
        self.path.rewind(&mark);
        // Where a member is looked at beyond its failures, these are told and not returned.
        let told = self.report.failures.split_off(failures).into_iter().next();
        let mut found: Answered<Failure> = Answered::new(assertion.span);
        match (outcome, told) {
            (Err(Stop::Failed(failure)), _) => found.refutation = Some(*failure),
            (Ok(_), told) => found.refutation = told,
            (Err(Stop::Unknown(reason @ (Reason::GaveUp(_) | Reason::Timeout))), _) => {
                found.reason = Some(reason);
            }
            (Err(stop), _) => return Err(stop),
        }
        let answers = &mut self.report.answers;
        let known = answers.iter().position(|other| other.span == assertion.span);
        let place = known.unwrap_or(answers.len());
        if known.is_none() {
            answers.push(Answered::new(assertion.span));
        }
        let all = &mut answers[place];
        match (found.refutation, found.reason) {
            (Some(failure), _) => {
                all.refuted += 1;
                all.refutation.get_or_insert(failure);
            }
            (None, Some(reason)) => {
                all.open += 1;
                all.reason.get_or_insert(reason);
            }
            (None, None) => all.follows += 1,
        }
        Ok(())
    }

    /// A new object is none of those that the state knows.
    fn assume_new(&mut self, state: &State, object: Term, declared: usize) {
        let null = self.encoder.null();
        let fact = self.encoder.terms.not_equal(object, null);
        self.assume(fact);
        let reference = self.encoder.sort(&Type::Ref);
        let set = self.encoder.sort(&Type::set(Type::Ref));
        let seq = self.encoder.sort(&Type::seq(Type::Ref));
        // A variable that is declared later gets its value there, although it stands in the store already.
        let is_there = |(local, _): &(LocalId, Term)| local.index() < declared;
        let mut known: Vec<Term> = state.store.iter().filter(is_there).map(|(_, value)| value).collect();
        for (resource, chunk) in state.heap.iter() {
            let Chunk::Basic(BasicChunk { arguments, snapshot, .. }) = chunk else { continue };
            known.extend(arguments.iter().copied());
            if let Resource::Field(field) = resource {
                let sort = self.encoder.sort(&self.run.program.field(field).ty);
                known.push(self.encoder.unwrap(*snapshot, sort));
            }
        }
        known.sort_unstable();
        known.dedup();
        for value in known {
            let sort = self.encoder.terms.sort_of(value);
            let fact = if sort == reference {
                self.encoder.terms.not_equal(object, value)
            } else if sort == set || sort == seq {
                let operator =
                    if sort == set { BinaryOperator::SetContains } else { BinaryOperator::SeqContains };
                let contained = self.encoder.binary(operator, object, value);
                self.encoder.terms.not(contained)
            } else {
                continue;
            };
            self.assume(fact);
        }
    }
}
