//! Loops with invariants.
//!
//! A `for` is its initial statements and a `while` with the update at the end of the body. A ranged `for` keeps both
//! bounds in variables and knows that its variable stays between them. A loop with a contract for its iterations is a
//! par block.

use silver::syntax::tree as s;
use source::Span;

use crate::lower::origin::Role;
use crate::lower::scope::{Scope, Variable};
use crate::resolve::Type;
use crate::syntax::tree::{
    BinaryOperator, Contract, Expression, ExpressionKind, NodeId, RangeVariable, Statement, StatementKind,
};

/// The code of a bound that iterations may change.
pub(crate) const CHANGING_BOUND: &str = "changingBound";

const INVARIANT: Role =
    Role::Invariant { established: "invariantNotEstablished", preserved: "notMaintained" };

/// What is written of a loop beside its condition.
struct LoopParts<'t> {
    contract: &'t Contract,
    body: &'t Statement,
    /// What is done behind the body.
    update: &'t [Statement],
    statement: &'t Statement,
}

impl<'t> Scope<'_, 't> {
    pub(crate) fn while_loop(
        &mut self,
        contract: &'t Contract,
        condition: &'t Expression,
        body: &'t Statement,
        statement: &'t Statement,
    ) {
        self.general_loop(contract, Some(condition), Vec::new(), body, &[], statement);
    }

    pub(crate) fn for_loop(
        &mut self,
        contract: &'t Contract,
        initial: &'t [Statement],
        condition: Option<&'t Expression>,
        update: &'t [Statement],
        body: &'t Statement,
        statement: &'t Statement,
    ) {
        let place = statement.span;
        if contract.is_iteration_contract() {
            match self.iteration_range(initial, condition, update) {
                Some(range) => self.iterations(contract, range, body, statement),
                None => {
                    let what = "a loop with a contract for its iterations that does not count up by one";
                    self.unsupported(place, what);
                }
            }
            return;
        }
        let whole = self.block(place, |scope| {
            scope.statements(initial);
            scope.general_loop(contract, condition, Vec::new(), body, update, statement);
        });
        self.emit_kind(place, s::StatementKind::Block(whole));
    }

    pub(crate) fn ranged_for(
        &mut self,
        contract: &'t Contract,
        variable: &'t RangeVariable,
        body: &'t Statement,
        statement: &'t Statement,
    ) {
        let place = statement.span;
        if contract.is_iteration_contract() {
            // Its bounds are evaluated once, by definition.
            let values = self.operands(&[&variable.low, &variable.high]);
            if let Ok([low, high]) = <[s::Expression; 2]>::try_from(values) {
                let name = &variable.name.text;
                let range = IterationRange { id: variable.id, name, low, high, read_again: None };
                self.iterations(contract, range, body, statement);
            }
            return;
        }
        let whole = self.block(place, |scope| scope.ranged_loop(contract, variable, body, statement));
        self.emit_kind(place, s::StatementKind::Block(whole));
    }

    fn ranged_loop(
        &mut self,
        contract: &'t Contract,
        variable: &'t RangeVariable,
        body: &'t Statement,
        statement: &'t Statement,
    ) {
        let place = variable.span;
        // The lower bound is kept before the upper one is evaluated, which may change what it read.
        let low = self.expression(&variable.low);
        let low = self.keep(low, &Type::Int, "low", place);
        let high = self.expression(&variable.high);
        let high = self.keep(high, &Type::Int, "high", place);
        let int = self.ty(&Type::Int, place);
        let name = self.local(&variable.name.text, int, Some(low.clone()), place);
        self.bind(variable.id, &name, &variable.name.text);
        // The loop ends because its variable counts up to a bound; that has to be said where the member has a measure.
        let needs_measure = self.member.terminates && contract.measure().is_none();
        let mut build = self.at(place);
        let value = build.variable(&name);
        let lower = build.at_most(low.clone(), value.clone());
        // An empty range has no value at all between its bounds.
        let nonempty = build.at_most(low.clone(), high.clone());
        let upper = build.at_most(value.clone(), high.clone());
        let upper = build.implies(nonempty, upper);
        let bounds = build.and(lower, upper);
        let condition = build.less(value.clone(), high.clone());
        let one = build.int(1);
        let next = build.binary(s::BinaryOperator::Add, value.clone(), one);
        let mut invariants = vec![build.specification(bounds)];
        if needs_measure {
            let left = build.binary(s::BinaryOperator::Subtract, high.clone(), value.clone());
            let node = build.node(Role::Code("loopDecreasesFailed"));
            let measure = s::Measure::Tuple(vec![left]);
            let decreases = s::Decreases { measure, condition: None, span: node };
            invariants
                .push(s::Specification { kind: s::SpecificationKind::Decreases(decreases), span: node });
        }
        let after = build.statement(s::StatementKind::Assign { targets: vec![value], value: next });
        let multipliers = self.multipliers(variable.id, contract, body);
        let before =
            self.block(place, |scope| scope.say_products(&name, &low, &high, &multipliers, place)).statements;
        let around = Around { before, after: Some(after) };
        let parts = LoopParts { contract, body, update: &[], statement };
        self.loop_with(&parts, LoopCondition::Lowered(condition), invariants, around);
    }

    pub(crate) fn general_loop(
        &mut self,
        contract: &'t Contract,
        condition: Option<&'t Expression>,
        invariants: Vec<s::Specification>,
        body: &'t Statement,
        update: &'t [Statement],
        statement: &'t Statement,
    ) {
        let condition = match condition {
            Some(condition) => LoopCondition::Written(condition),
            None => LoopCondition::Lowered(self.at(statement.span).bool(true)),
        };
        let parts = LoopParts { contract, body, update, statement };
        self.loop_with(&parts, condition, invariants, Around::default());
    }

    fn loop_with(
        &mut self,
        parts: &LoopParts<'t>,
        condition: LoopCondition<'t>,
        mut invariants: Vec<s::Specification>,
        around: Around,
    ) {
        let LoopParts { contract, body, update, statement } = *parts;
        let place = statement.span;
        // A condition that changes the state is evaluated inside of the loop, which is left when it does not hold.
        let (condition, inside) = match condition {
            LoopCondition::Lowered(condition) => (condition, None),
            LoopCondition::Written(written) if self.has_effects(written) => {
                let label = self.member.names.fresh("behind");
                (self.at(place).bool(true), Some((written, label)))
            }
            LoopCondition::Written(written) => (self.specification(|scope| scope.expression(written)), None),
        };
        invariants.extend(self.assigned_fractions(body, update, place));
        invariants.extend(self.everywhere_clauses(INVARIANT));
        for assertion in contract.everywhere().chain(contract.loop_invariants()) {
            invariants.push(self.clause(assertion, INVARIANT));
        }
        invariants.extend(self.loop_measure(contract));
        let body = self.block(place, |scope| {
            if let Some((written, label)) = &inside {
                scope.leave_unless(written, label);
            }
            around.before.into_iter().for_each(|statement| scope.emit(statement));
            // What stayed of a model before the loop is not there in a round.
            scope.with(|scope| &mut scope.path.stayed, Vec::new(), |scope| scope.loop_body(body));
            scope.statements(update);
            if let Some(after) = around.after {
                scope.emit(after);
            }
        });
        self.emit_kind(place, s::StatementKind::While { condition, invariants, body });
        if let Some((_, label)) = inside {
            let name = self.at(place).name(&label);
            self.emit_kind(place, s::StatementKind::Label { name, invariants: Vec::new() });
        }
    }

    /// What the types of assigned variables say.
    fn assigned_fractions(
        &mut self,
        body: &'t Statement,
        update: &'t [Statement],
        place: Span,
    ) -> Vec<s::Specification> {
        let mut assigned = rustc_hash::FxHashSet::default();
        for statement in update.iter().chain([body]) {
            self.assigned_variables(statement, &mut assigned);
        }
        let mut assigned: Vec<NodeId> = assigned
            .into_iter()
            .filter(|id| matches!(self.bindings.variables.get(id), Some(Variable::Named(_))))
            .collect();
        assigned.sort_unstable();
        let mut facts = Vec::new();
        for id in assigned {
            let ty = self.variable_type(id);
            let variable = self.variable(id, place);
            if let Some(fact) = self.type_fact(&variable, &ty, place) {
                facts.push(self.at(place).specification(fact));
            }
        }
        facts
    }

    /// Evaluates a condition and jumps to the label if it does not hold.
    fn leave_unless(&mut self, condition: &'t Expression, label: &std::sync::Arc<str>) {
        let place = condition.span;
        let value = self.expression(condition);
        let then = self.block(place, |scope| {
            let name = scope.at(place).name(label);
            scope.emit_kind(place, s::StatementKind::Goto(name));
        });
        let condition = self.at(place).not(value);
        self.emit_kind(place, s::StatementKind::If { condition, then, otherwise: None });
    }

    /// The statements of a body without the block around them.
    pub(crate) fn loop_body(&mut self, body: &'t Statement) {
        match &body.kind {
            StatementKind::Block(block) => self.statements(&block.statements),
            _ => self.statement(body),
        }
    }

    fn loop_measure(&mut self, contract: &'t Contract) -> Option<s::Specification> {
        let mark = self.lowering.origins.mark();
        let mut measure = self.measure(contract)?;
        let (_, span) = contract.measure()?;
        measure.span = self.at(span).node(Role::Code("loopDecreasesFailed"));
        if let s::SpecificationKind::Decreases(decreases) = &mut measure.kind {
            decreases.span = measure.span;
        }
        self.lowering.origins.add_region(mark, Role::Code("loopDecreasesFailed"));
        Some(measure)
    }

    /// The `context_everywhere` clauses in force.
    pub(crate) fn everywhere_clauses(&mut self, role: Role) -> Vec<s::Specification> {
        let clauses = self.path.everywhere.clone();
        clauses.into_iter().map(|clause| self.everywhere_clause(&clause, role)).collect()
    }

    pub(crate) fn everywhere_clause(
        &mut self,
        clause: &crate::lower::scope::Everywhere<'t>,
        role: Role,
    ) -> s::Specification {
        let (factors, thread) = (clause.factors.clone(), clause.thread.clone());
        let lower = |scope: &mut Self| scope.clause(clause.assertion, role);
        let scaled = |scope: &mut Self| scope.with(|scope| &mut scope.spec.factors, factors, lower);
        self.with(|scope| &mut scope.bindings.thread, thread, scaled)
    }

    /// The variable and bounds of `for (int i = a; i < b; i++)`.
    fn iteration_range(
        &mut self,
        initial: &'t [Statement],
        condition: Option<&'t Expression>,
        update: &'t [Statement],
    ) -> Option<IterationRange<'t>> {
        let ([initial], [update], Some(condition)) = (initial, update, condition) else { return None };
        let StatementKind::Local { declarators, .. } = &initial.kind else { return None };
        let [declarator] = &declarators[..] else { return None };
        let low = declarator.value.as_ref()?;
        if !self.counts_up(update, declarator.id) {
            return None;
        }
        let ExpressionKind::Binary(operator, left, right) = &*condition.kind else { return None };
        if !self.mentions(left, &[declarator.id]) || !matches!(*left.kind, ExpressionKind::Name(_)) {
            return None;
        }
        if self.converted_type(low) != Type::Int || self.converted_type(right) != Type::Int {
            return None;
        }
        // What changes the state would do so before each iteration.
        if self.has_effects(right) {
            return None;
        }
        let is_last = match operator {
            BinaryOperator::Less => false,
            BinaryOperator::LessEqual => true,
            _ => return None,
        };
        let low = self.expression(low);
        let high = self.upper_bound(right, is_last);
        let name = &declarator.name.text;
        Some(IterationRange { id: declarator.id, name, low, high, read_again: Some((right, is_last)) })
    }

    /// The bound that the variable of a loop stays below.
    pub(crate) fn upper_bound(&mut self, bound: &'t Expression, is_last: bool) -> s::Expression {
        let high = self.expression(bound);
        if !is_last {
            return high;
        }
        let mut build = self.at(bound.span);
        let one = build.int(1);
        build.binary(s::BinaryOperator::Add, high, one)
    }

    /// `i++` or `i = i + 1`
    fn counts_up(&self, update: &'t Statement, variable: NodeId) -> bool {
        let is_variable =
            |e: &Expression| matches!(*e.kind, ExpressionKind::Name(_)) && self.mentions(e, &[variable]);
        match &update.kind {
            StatementKind::Increment(target) => is_variable(target),
            StatementKind::Assign { target, value } => {
                let ExpressionKind::Binary(BinaryOperator::Add, left, right) = &*value.kind else {
                    return false;
                };
                let is_one =
                    |e: &Expression| matches!(&*e.kind, ExpressionKind::Int(digits) if &**digits == "1");
                is_variable(target)
                    && ((is_variable(left) && is_one(right)) || (is_one(left) && is_variable(right)))
            }
            _ => false,
        }
    }
}

/// The variable and the bounds of a loop with a contract for its iterations.
pub(crate) struct IterationRange<'t> {
    pub(crate) id: NodeId,
    pub(crate) name: &'t str,
    pub(crate) low: s::Expression,
    pub(crate) high: s::Expression,
    /// The upper bound if it is read before each iteration, and not only before the first one; whether it is the last
    /// value of the variable.
    pub(crate) read_again: Option<(&'t Expression, bool)>,
}

/// Statements that nobody wrote, at the start and at the end of each round.
#[derive(Default)]
struct Around {
    before: Vec<s::Statement>,
    after: Option<s::Statement>,
}

enum LoopCondition<'t> {
    Written(&'t Expression),
    Lowered(s::Expression),
}
