//! Statements, loops and calls.
//!
//! A loop is executed in one of two ways, both of which the verifier has to expect. *Step by step*: the invariant is
//! checked, what it takes is what the body works on, and so on until the condition is false. *By its invariant*: the
//! variables that the body assigns get any values with which the invariant holds, and the run goes into one iteration or
//! behind the loop. A call is executed by the contract, or by the body between both parts of the contract.

use std::collections::BTreeSet;
use std::rc::Rc;

use silver::typed::{
    Block, ExpressionRef, LocalId, MethodId, Resource, Statement, StatementKind, contains_inhale_exhale,
    visit_statements,
};

use super::machine::{Machine, Run, Scope, State, Stop, fail};
use super::value::write;

const MAX_ITERATIONS: usize = 30;
const MAX_CALLS: usize = 4;

impl Machine<'_> {
    pub(super) fn execute_block(&mut self, scope: &mut Scope, state: &mut State, block: &Block) -> Run<()> {
        self.enter(scope, block);
        for statement in &block.statements {
            self.execute(scope, state, statement)?;
        }
        Ok(())
    }

    /// The variables of a block have any value when it is entered. Types are found where they are used.
    fn enter(&mut self, scope: &mut Scope, block: &Block) {
        for local in &block.locals {
            let ty = self.types.get(local.index()).cloned();
            scope.locals[local.index()] = ty.map(|ty| self.open(&ty));
        }
    }

    fn execute(&mut self, scope: &mut Scope, state: &mut State, statement: &Statement) -> Run<()> {
        use StatementKind as K;
        self.step()?;
        let span = statement.span;
        if let Some(survey) = &mut self.survey {
            survey.reached.push(span);
        }
        match &statement.kind {
            K::Assign { target, value } => {
                let result = self.evaluate(scope, state, value)?;
                scope.locals[target.index()] = Some(self.cell(result, &value.ty));
            }
            K::FieldAssign { receiver, field, value, .. } => {
                let object = self.object(scope, state, receiver)?;
                let result = self.evaluate(scope, state, value)?;
                let location = (object, *field);
                if object == 0 || state.mask.of_field(location) < write() {
                    return fail("assignment.failed", span);
                }
                let cell = self.cell(result, &value.ty);
                state.heap.insert(location, cell);
            }
            K::New { target, fields, .. } => {
                let object = self.allocate();
                for field in fields.iter() {
                    let ty = self.program.field(*field).ty.clone();
                    let cell = self.open(&ty);
                    state.heap.insert((object, *field), cell);
                    state.mask.add_field((object, *field), write());
                }
                let value = super::value::Value::Ref(object);
                scope.locals[target.index()] = Some(self.cell(value, &silver::typed::Type::Ref));
            }
            K::Call { method, arguments, targets } => {
                self.call(scope, state, *method, arguments, targets, statement)?;
            }
            K::Inhale(assertion) => self.inhale(scope, state, assertion)?,
            K::Exhale(assertion) => {
                self.exhale(scope, state, assertion, "exhale.failed")?;
            }
            K::Assert { assertion, .. } => {
                let mut inner = state.clone();
                self.exhale(scope, &mut inner, assertion, "assert.failed")?;
            }
            K::Refute { .. } | K::Question(_) => {}
            K::Fold(access) => self.fold(scope, state, access)?,
            K::Unfold(access) => self.unfold(scope, state, access, "unfold.failed")?,
            K::Package { wand, proof } => self.package(scope, state, wand, proof, span)?,
            K::Apply(wand) => self.apply_wand(scope, state, wand)?,
            K::Quasihavoc { condition, resource } => {
                if let Some(condition) = condition
                    && !self.truth(scope, state, condition)?
                {
                    return Ok(());
                }
                self.quasihavoc(scope, state, resource)?;
            }
            K::QuasihavocAll { .. } => return Err(Stop::GivenUp("quasihavocall")),
            K::If { condition, then, otherwise } => {
                let branch = if self.truth(scope, state, condition)? { then } else { otherwise };
                self.execute_block(scope, state, branch)?;
            }
            K::While { condition, invariants, body } => {
                self.execute_loop(scope, state, condition, invariants, body)?;
            }
            K::Label { label, invariants } => {
                if !invariants.is_empty() {
                    return Err(Stop::GivenUp("a label with an invariant"));
                }
                scope.labels.insert(*label, state.snapshot());
            }
            K::Goto(_) => return Err(Stop::GivenUp("a jump")),
            K::Block(block) => self.execute_block(scope, state, block)?,
        }
        Ok(())
    }

    fn quasihavoc(&mut self, scope: &mut Scope, state: &mut State, resource: &Resource) -> Run<()> {
        match resource {
            Resource::Field { receiver, field, .. } => {
                let object = self.object(scope, state, receiver)?;
                let location = (object, *field);
                let held = state.mask.of_field(location);
                // What is also held elsewhere keeps its value.
                if held > super::value::none() && state.total(location) == held {
                    let ty = self.program.field(*field).ty.clone();
                    let cell = self.open(&ty);
                    state.heap.insert(location, cell);
                }
                Ok(())
            }
            _ => Err(Stop::GivenUp("quasihavoc of a predicate or wand")),
        }
    }

    pub(super) fn exhale_all(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        assertions: &[ExpressionRef],
        code: &'static str,
    ) -> Run<super::heap::Mask> {
        let mut taken = super::heap::Mask::default();
        // All of them are one assertion: values are those of the beginning.
        let reading = Rc::new(state.readable());
        for assertion in assertions {
            taken.add(self.exhale_reading(scope, state, assertion, &reading, code)?);
        }
        Ok(taken)
    }

    fn execute_loop(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        condition: &ExpressionRef,
        invariants: &[ExpressionRef],
        body: &Block,
    ) -> Run<()> {
        let mut held = self.exhale_all(scope, state, invariants, "invariant.not.established")?;
        let by_steps = self.random.chance(3, 5) && !invariants.iter().any(contains_inhale_exhale);
        if by_steps {
            state.frames.push(std::mem::take(&mut state.mask));
            for _ in 0..MAX_ITERATIONS {
                state.mask = held;
                if !self.truth(scope, state, condition)? {
                    let inside = std::mem::replace(&mut state.mask, state.frames.pop().unwrap_or_default());
                    state.mask.add(inside);
                    return Ok(());
                }
                self.execute_block(scope, state, body)?;
                held = self.exhale_all(scope, state, invariants, "invariant.not.preserved")?;
            }
            return Err(Stop::GivenUp("too many iterations"));
        }
        for target in targets_of(body) {
            if let (Some(Some(_)), Some(ty)) =
                (scope.locals.get(target.index()), self.types.get(target.index()))
            {
                let ty = ty.clone();
                scope.locals[target.index()] = Some(self.open(&ty));
            }
        }
        self.choices.push("a loop by its invariant".to_string());
        state.frames.push(std::mem::take(&mut state.mask));
        for invariant in invariants {
            self.inhale(scope, state, invariant)?;
        }
        if self.truth(scope, state, condition)? {
            self.execute_block(scope, state, body)?;
            self.exhale_all(scope, state, invariants, "invariant.not.preserved")?;
            return Err(Stop::Done);
        }
        let inside = std::mem::replace(&mut state.mask, state.frames.pop().unwrap_or_default());
        state.mask.add(inside);
        if state.mask.holds_too_much() {
            return Err(Stop::Pruned);
        }
        Ok(())
    }

    fn call(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        method: MethodId,
        arguments: &[ExpressionRef],
        targets: &[LocalId],
        statement: &Statement,
    ) -> Run<()> {
        let program = self.program;
        let declared = program.method(method);
        let values = self.all(scope, state, arguments)?;
        let mut inner = Scope::new(declared.locals.len());
        for (formal, value) in declared.formals.iter().zip(values) {
            let cell = self.cell(value, &declared.locals[formal.index()].ty);
            inner.locals[formal.index()] = Some(cell);
        }
        inner.old = Some(state.snapshot());
        let taken = match self.exhale_all(&mut inner, state, &declared.preconditions, "call.precondition") {
            Err(Stop::Failed { .. }) => return fail("call.precondition", statement.span),
            other => other?,
        };
        for local in &declared.returns {
            let cell = self.open(&declared.locals[local.index()].ty);
            inner.locals[local.index()] = Some(cell);
        }
        match &declared.body {
            Some(body) if self.nesting < MAX_CALLS && self.random.chance(1, 3) => {
                self.choices.push(format!("`{}` by its body", declared.name));
                state.frames.push(std::mem::replace(&mut state.mask, taken));
                let types = declared.locals.iter().map(|local| local.ty.clone()).collect();
                let outer = std::mem::replace(&mut self.types, types);
                self.nesting += 1;
                let old = inner.old.replace(state.snapshot());
                let done = self.execute_block(&mut inner, state, body);
                let done = done
                    .and_then(|()| self.exhale_all(&mut inner, state, &declared.postconditions, "callee"));
                inner.old = old;
                self.nesting -= 1;
                self.types = outer;
                let given = match done {
                    // That is the other method's failure; it has runs of its own.
                    Err(Stop::Failed { .. } | Stop::Done) => return Err(Stop::GivenUp("the callee fails")),
                    other => other?,
                };
                state.mask = state.frames.pop().unwrap_or_default();
                state.mask.add(given);
            }
            _ => {
                for postcondition in &declared.postconditions {
                    self.inhale(&mut inner, state, postcondition)?;
                }
            }
        }
        for (target, local) in targets.iter().zip(&declared.returns) {
            scope.locals[target.index()] = inner.locals[local.index()];
        }
        Ok(())
    }
}

/// Variables that the statements of a block assign, and those that it declares.
fn targets_of(body: &Block) -> BTreeSet<LocalId> {
    let mut targets: BTreeSet<LocalId> = BTreeSet::new();
    visit_statements(body, &mut |statement| match &statement.kind {
        StatementKind::Assign { target, .. } | StatementKind::New { target, .. } => {
            targets.insert(*target);
        }
        StatementKind::Call { targets: assigned, .. } => targets.extend(assigned.iter().copied()),
        _ => {}
    });
    targets
}
