//! Verifying a method: its contract is well formed, and every path through its body establishes the postcondition.

use silver::typed::{ExpressionRef, MethodId, StatementKind, visit_statements};
use verdict::failure::{Detail, Failure};

use crate::blame::{Blame, ErrorKind, Reason, Stop};
use crate::control::{ControlError, ControlFlow};
use crate::engine::{Engine, Outcome};
use crate::execute::Refutation;
use crate::heap::Heap;
use crate::produce::{Manner, Source};
use crate::state::State;

impl<'p> Engine<'p> {
    /// Checks a method. Of one that was not asked for only the contract is checked, because others use it.
    pub(crate) fn check_method(&mut self, method: MethodId, with_body: bool) -> Outcome<()> {
        let declared = self.run.program.method(method);
        self.member.packaging.method = Some(method);
        let well_formed = |assertion: &ExpressionRef| Blame::new(ErrorKind::NotWellFormed, assertion.span);
        let mut initial = State::default();
        for local in declared.formals.iter().chain(&declared.returns) {
            self.havoc_local(&mut initial, *local);
        }
        let states = self.attempt(initial, &mut |engine, mut state| {
            engine.produce_all(&mut state, &declared.preconditions, Source::Fresh, well_formed)?;
            state.old = Some(state.heap.clone());
            Ok(vec![engine.suspend(state)])
        })?;
        let flow = ControlFlow::of(self.run.program, method);
        let count = states.len();
        self.report.contract_checked = count == 0;
        for (index, state) in states.into_iter().enumerate() {
            let state = self.resume(state);
            if self.is_infeasible() {
                let never = self.encoder.terms.false_();
                self.learn(never);
            }
            // The postcondition is well formed in every state that the body may end in.
            if !declared.postconditions.is_empty() {
                let outer = self.path.open_section();
                let mut after = state.clone();
                after.heap = Heap::default();
                for result in &declared.returns {
                    self.havoc_local(&mut after, *result);
                }
                let outcome = self.attempt(after, &mut |engine, mut state| {
                    engine.produce_all(&mut state, &declared.postconditions, Source::Fresh, well_formed)?;
                    Ok(Vec::new())
                });
                self.path.close_scope(&outer);
                outcome?;
            }
            self.report.contract_checked = index + 1 == count;
            if declared.body.is_none() || !with_body {
                continue;
            }
            let flow = match &flow {
                Ok(flow) => flow,
                Err(error) => return Err(Stop::Failed(Box::new(unsupported_jump(error)))),
            };
            self.execute_body(flow, state, &mut |engine, state| {
                engine.attempt(state, &mut |engine, mut state| {
                    let manner = Manner { discards_snapshot: true, ..engine.plainly() };
                    engine.trusting_to_consume(&declared.postconditions, |engine| {
                        engine.consume_all(&mut state, &declared.postconditions, manner, |assertion| {
                            Blame::new(ErrorKind::Postcondition, assertion.span)
                        })
                    })?;
                    Ok(Vec::new())
                })?;
                Ok(())
            })?;
        }
        if with_body { self.report_refutations(method) } else { Ok(()) }
    }

    /// Every refute statement is violated on some path, or it is an error; where none is known to, but may be, nothing is
    /// known.
    fn report_refutations(&mut self, method: MethodId) -> Outcome<()> {
        let Some(body) = &self.run.program.method(method).body else { return Ok(()) };
        let mut asserted = Vec::new();
        visit_statements(body, &mut |statement| {
            if let StatementKind::Refute { assertion, .. } = &statement.kind {
                asserted.push(assertion.span);
            }
        });
        let mut open = None;
        for span in asserted {
            let blame = Blame::new(ErrorKind::Refute, span);
            match self.report.refutations.get(&span) {
                Some(Refutation::Found) => {}
                Some(Refutation::Open(reason)) => open = open.or(Some((span, reason.clone()))),
                Some(Refutation::None) | None => {
                    self.report.failures.push(blame.failure(Reason::RefutationTrue, span));
                }
            }
        }
        let Some((span, reason)) = open else { return Ok(()) };
        // What the answer is about, rather than what was last looked at.
        (self.report.announce)(&Blame::new(ErrorKind::Refute, span).goal(Reason::RefutationTrue, span));
        Err(Stop::Unknown(reason))
    }
}

fn unsupported_jump(error: &ControlError) -> Failure {
    let detail = Detail::Jump(error.jump.clone());
    Failure { detail, ..Failure::new(ErrorKind::Internal, Reason::Unsupported, error.span, error.span) }
}
