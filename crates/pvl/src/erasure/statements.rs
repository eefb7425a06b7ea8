//! What statements change, and what decides whether they do.

use source::Span;

use super::counting::counts;
use super::flow::{Flow, Here};
use super::places::Location;
use super::summary::{Behaviour, Taint};
use crate::resolve::{NameTarget, Selection, Type};
use crate::syntax::tree::{
    Branch, Contract, Declarator, Expression, ExpressionKind, ParRegion, ParRegionKind, RangeVariable,
    Statement, StatementKind, UnaryOperator,
};

impl Flow<'_, '_> {
    pub(super) fn statement(&mut self, statement: &Statement, here: &Here) {
        use StatementKind::*;
        self.ghost_code_in(statement, here);
        match &statement.kind {
            Local { declarators, .. } => {
                declarators.iter().for_each(|declarator| self.declared(declarator, here));
            }
            Assign { target, value } => {
                let taint = match self.is_ghost_place(target) {
                    true => self.expression(value, &here.for_proof()),
                    false => self.expression(value, here),
                };
                self.assign(target, &taint, target.span, here);
            }
            Increment(target) | Decrement(target) => {
                let taint = self.expression(target, here);
                self.assign(target, &taint, target.span, here);
            }
            // Calls inside of an assertion happen in front of it.
            Assert(value) => {
                self.expression(value, &here.for_proof());
            }
            Evaluate(value) => {
                self.expression(value, here);
            }
            Return(value) => {
                let taint = match value {
                    Some(value) => self.expression(value, here),
                    None => Taint::default(),
                };
                self.returned(statement, &taint, here);
            }
            If { condition, then, otherwise } => {
                let inside = self.branch(condition, here);
                self.statement(then, &inside);
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise, &inside);
                }
            }
            While { contract, condition, body } => {
                let taint = self.expression(condition, here);
                if !counts(self.resolution, condition, body, &[]) {
                    self.iterated(contract, &taint, condition.span, here);
                }
                self.statement(body, &here.under(&taint));
            }
            For { contract, initial, condition, update, body } => {
                initial.iter().for_each(|statement| self.statement(statement, here));
                let (taint, span) = match condition {
                    Some(condition) => (self.expression(condition, here), condition.span),
                    None => (Taint::default(), statement.span),
                };
                let counts = condition.as_ref().is_some_and(|it| counts(self.resolution, it, body, update));
                if !counts {
                    self.iterated(contract, &taint, span, here);
                }
                let inside = here.under(&taint);
                self.statement(body, &inside);
                update.iter().for_each(|statement| self.statement(statement, &inside));
            }
            RangedFor { contract, variable, body } => {
                let inside = self.range(variable, here);
                if contract.is_iteration_contract() {
                    self.threads_run(variable.span, &inside.control, here);
                }
                self.statement(body, &inside);
            }
            Vector { variable, body } => {
                let inside = self.range(variable, here);
                body.statements.iter().for_each(|statement| self.statement(statement, &inside));
            }
            Goto(_) => self.jumped(statement, here),
            Par(region) => self.region(region, here),
            Lock(object) => self.synchronised("a lock is taken", Some(object), statement.span, here),
            Unlock(object) => self.synchronised("a lock is given back", Some(object), statement.span, here),
            Wait(object) => self.synchronised("a thread waits", Some(object), statement.span, here),
            Notify(object) => self.synchronised("a thread is woken", Some(object), statement.span, here),
            Join(object) => self.synchronised("a thread is awaited", Some(object), statement.span, here),
            Fork(object) => {
                let taint = self.expression(object, here);
                self.synchronised("a thread is started", Some(object), statement.span, here);
                self.started(object, &taint, here);
            }
            Barrier { proof, .. } => {
                self.synchronised("threads wait for each other", None, statement.span, here);
                for inner in proof.iter().flat_map(|block| &block.statements) {
                    self.ghost_statement(inner, here);
                }
            }
            Atomic { body, .. } => {
                let what = "an atomic step waits until no other thread is in one";
                self.synchronised(what, None, statement.span, here);
                self.statement(body, here);
            }
            Receive { .. } => {
                self.synchronised("an iteration waits for another", None, statement.span, here);
            }
            Send { .. } => self.synchronised("another iteration is let go on", None, statement.span, here),
            Ghost(inner) => self.ghost_statement(inner, here),
            // What they show and name is for the proof only.
            Prove { proof, .. } => self.ghost_statement(proof, here),
            Calc { steps, .. } => {
                steps
                    .iter()
                    .filter_map(|step| step.proof.as_ref())
                    .for_each(|proof| self.ghost_statement(proof, here));
            }
            Obtain { claim } => self.obtained(claim, here),
            Package { proof, .. } => self.ghost_statement(proof, here),
            Block(_) | Invariant { .. } | Extract(_) | Frame { .. } | Action { .. } => {
                statement.kind.for_each_child(&mut |child| self.statement(child, here));
            }
            // They only tell the proof something; `commit` says which resource a lock protects.
            Label(_)
            | Commit(_)
            | Reveal { .. }
            | Fold(_)
            | Unfold(_)
            | Assume(_)
            | Inhale(_)
            | Exhale(_)
            | Refute(_)
            | Question(_)
            | Apply(_) => {}
        }
    }

    /// Contracts and assertions are not evaluated, but may have ghost statements in them.
    fn ghost_code_in(&mut self, statement: &Statement, here: &Here) {
        let mut specifications = Vec::new();
        statement.kind.for_each_expression(&mut |expression| specifications.push(expression));
        while let Some(expression) = specifications.pop() {
            for inner in expression.kind.ghost_statements() {
                self.ghost_statement(inner, here);
            }
            expression.kind.for_each_child(&mut |child| specifications.push(child));
        }
    }

    fn declared(&mut self, declarator: &Declarator, here: &Here) {
        self.names.insert(declarator.id, declarator.name.text.clone());
        if here.ghost {
            self.ghost_variables.insert(declarator.id);
        }
        let value = match &declarator.value {
            Some(value) => self.expression(value, here),
            None => Taint::default(),
        };
        let taint = value.joined(&self.control(here));
        self.set_variable(declarator.id, &taint, declarator.name.span);
    }

    /// Witnesses of the proof, which the program does not have.
    fn obtained(&mut self, claim: &Expression, here: &Here) {
        let ExpressionKind::Quantifier { bindings, .. } = &*claim.kind else { return };
        for binding in bindings {
            self.names.insert(binding.id, binding.name.text.clone());
            self.ghost_variables.insert(binding.id);
            let source = self.source(binding.span, "this witness exists for the proof only".to_string());
            let taint = source.joined(&self.control(here));
            self.set_variable(binding.id, &taint, binding.name.span);
        }
    }

    /// What is known inside of a branch.
    fn branch(&mut self, condition: &Branch, here: &Here) -> Here {
        let Branch::Condition(condition) = condition else { return here.under(&Taint::default()) };
        let taint = self.expression(condition, here);
        let mut inside = here.under(&taint);
        inside.under_ghost_names |= self.names_ghost(condition);
        inside
    }

    pub(super) fn ghost_statement(&mut self, statement: &Statement, here: &Here) {
        let source = self.source(statement.span, "this is ghost code".to_string());
        self.statement(statement, &self.inside_ghost_code(here, &source));
    }

    /// What decides whether something is executed: conditions around, and jumps that may have led elsewhere.
    pub(super) fn control(&self, here: &Here) -> Taint {
        here.control.clone().joined(&self.jumps())
    }

    fn region(&mut self, region: &ParRegion, here: &Here) {
        match &region.kind {
            ParRegionKind::Parallel(regions) | ParRegionKind::Sequential(regions) => {
                regions.iter().for_each(|region| self.region(region, here));
            }
            ParRegionKind::Block(block) => {
                let mut inside = here.clone();
                for variable in &block.variables {
                    inside = self.range(variable, &inside);
                }
                let place = block.variables.first().map_or(block.body.span, |variable| variable.span);
                self.threads_run(place, &inside.control, here);
                self.statement(&block.body, &inside);
            }
        }
    }

    /// How often the body of a range is executed, and with which values, depends on its bounds.
    fn range(&mut self, variable: &RangeVariable, here: &Here) -> Here {
        let taint = self.expression(&variable.low, here);
        let taint = taint.joined(&self.expression(&variable.high, here));
        self.names.insert(variable.id, variable.name.text.clone());
        if here.ghost {
            self.ghost_variables.insert(variable.id);
        }
        let value = taint.clone().joined(&self.control(here));
        self.set_variable(variable.id, &value, variable.span);
        here.under(&taint)
    }

    /// A loop ends if it has a measure, or a contract for each of its iterations.
    fn iterated(&mut self, contract: &Contract, condition: &Taint, span: Span, here: &Here) {
        if contract.measure().is_none() && !contract.is_iteration_contract() {
            self.end_depends_on(condition, span, here);
        }
    }

    /// An assignment of a value with this taint.
    pub(super) fn assign(&mut self, target: &Expression, value: &Taint, span: Span, here: &Here) {
        let control = self.control(here);
        if let (ExpressionKind::Name(_), Some(NameTarget::Variable(id))) =
            (&*target.kind, self.resolution.names.get(&target.id))
        {
            if here.ghost {
                self.changed_by_ghost.insert(*id);
                self.assigned_by_ghost(*id, span);
            } else {
                self.assigned.insert(*id);
            }
            self.set_variable(*id, &value.clone().joined(&control), span);
            return;
        }
        if self.is_for_proofs(target) {
            return;
        }
        let Some(location) = self.location(target) else { return };
        // A store through a ghost reference is warned about there.
        let which = self.address(target, here);
        self.stored(&location, target, value, &which, here);
        self.write_heap(&location, &value.clone().joined(&which).joined(&control), span);
    }

    /// A variable or field that the program does not have.
    fn is_ghost_place(&mut self, target: &Expression) -> bool {
        if let Some(NameTarget::Variable(id)) = self.resolution.names.get(&target.id) {
            return self.ghost_variables.contains(id);
        }
        matches!(self.location(target), Some(Location::Field(field)) if self.is_ghost_field(field))
    }

    /// The locations that a target on the heap may be.
    fn location(&mut self, target: &Expression) -> Option<Location> {
        match &*target.kind {
            ExpressionKind::Name(_) => match self.resolution.names.get(&target.id)? {
                NameTarget::Field(id) | NameTarget::StaticField(id) => Some(Location::Field(*id)),
                _ => None,
            },
            ExpressionKind::Field(..) => match self.resolution.selections.get(&target.id)? {
                Selection::Field(id) | Selection::StaticField(id) => Some(Location::Field(*id)),
                _ => None,
            },
            ExpressionKind::Index(..) => self.element(target),
            ExpressionKind::Unary(UnaryOperator::Dereference, _) => {
                Some(Location::Target(self.type_of(target)))
            }
            _ => None,
        }
    }

    /// Something happens that other threads notice.
    fn synchronised(&mut self, what: &'static str, object: Option<&Expression>, span: Span, here: &Here) {
        let taint = match object {
            Some(object) => self.expression(object, here),
            None => Taint::default(),
        };
        let taint = taint.joined(&self.control(here));
        self.happens(&Behaviour { what, span }, &taint, here);
    }

    /// Whether values of this type can only be used by proofs.
    pub(super) fn is_for_proofs(&self, target: &Expression) -> bool {
        matches!(self.type_of(target), Type::Resource | Type::ResourceValue | Type::Process)
    }
}
