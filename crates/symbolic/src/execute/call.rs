//! Method calls: the precondition is consumed, the postcondition produced.

use silver::typed::{ExpressionRef, LocalId, MethodId};
use source::Span;

use crate::blame::{Blame, ErrorKind};
use crate::engine::{Engine, Outcome};
use crate::produce::{Manner, Source};
use crate::state::{State, Store};

impl<'p> Engine<'p> {
    pub(crate) fn call(
        &mut self,
        state: &mut State,
        method: MethodId,
        arguments: &[ExpressionRef],
        targets: &[LocalId],
        span: Span,
    ) -> Outcome<()> {
        let failed = Blame::new(ErrorKind::Call, span);
        let arguments = self.evaluate_all(state, arguments, &failed)?;
        let callee = self.run.program.method(method);
        let mut store = Store::default();
        for (formal, argument) in callee.formals.iter().zip(&arguments) {
            store.set(*formal, *argument);
        }
        let before = state.heap.clone();
        let mut inner = State {
            store,
            old: Some(before.clone()),
            labels: std::rc::Rc::default(),
            transferred: std::rc::Rc::default(),
            result: None,
            ..state.clone()
        };
        let manner = Manner { discards_snapshot: true, ..self.plainly() };
        let trusted = !self.run.untrusted.methods.contains(&method)
            && !callee.preconditions.iter().any(silver::typed::contains_inhale_exhale);
        self.with_locals(&callee.locals, |engine| {
            engine.trusting_if(trusted, |engine| {
                engine.consume_all(&mut inner, &callee.preconditions, manner, |_| {
                    Blame::new(ErrorKind::CallPrecondition, span)
                })?;
                if !inner.transferred.is_empty() {
                    inner.old = Some(engine.with_transferred(&before, &inner.transferred));
                }
                for result in &callee.returns {
                    engine.havoc_local(&mut inner, *result);
                }
                engine.produce_all(&mut inner, &callee.postconditions, Source::Fresh, |_| failed)
            })
        })?;
        state.heap = inner.heap;
        state.reserve = inner.reserve;
        for (target, result) in targets.iter().zip(&callee.returns) {
            if let Some(value) = inner.store.get(*result) {
                state.store.set(*target, value);
            }
        }
        if self.is_infeasible() {
            let never = self.encoder.terms.false_();
            self.learn(never);
        }
        Ok(())
    }
}
