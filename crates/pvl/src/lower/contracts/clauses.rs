//! Contracts: pre- and postconditions, measures, and whether a precondition can hold at all.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::origin::Role;
use crate::lower::scope::Scope;
use crate::syntax::tree::{Contract, Expression, ExpressionKind, Measure, NodeId};

impl<'t> Scope<'_, 't> {
    /// A clause of a contract; `role` is remembered for all that is inside.
    pub(crate) fn clause(&mut self, assertion: &'t Expression, role: Role) -> s::Specification {
        let mark = self.lowering.origins.mark();
        let mut lowered = self.assertion(assertion);
        // A clause that is one `inline` resource fails here, not in the body of the resource.
        if let Some(inner) = self.lowering.origins.get(lowered.span)
            && inner.span != assertion.span
        {
            lowered.span = self.lowering.origins.add_statement(lowered.span, assertion.span, inner.role);
        }
        let specification = self.at(assertion.span).specification(lowered);
        self.lowering.origins.add_region(mark, role);
        specification
    }

    /// `context_everywhere`, `requires` and `context`, in this order.
    pub(crate) fn preconditions(&mut self, contract: &'t Contract) -> Vec<s::Specification> {
        let mut result = Vec::new();
        for assertion in contract.everywhere() {
            result.push(self.clause(assertion, Role::Everywhere));
        }
        for assertion in contract.preconditions() {
            result.push(self.clause(assertion, Role::Plain));
        }
        result
    }

    /// `context_everywhere`, `ensures` and `context`, in this order.
    pub(crate) fn postconditions(&mut self, contract: &'t Contract) -> Vec<s::Specification> {
        let mut result = Vec::new();
        for assertion in contract.everywhere() {
            result.push(self.clause(assertion, Role::Everywhere));
        }
        for assertion in contract.postconditions() {
            result.push(self.clause(assertion, Role::Plain));
        }
        result
    }

    /// The `decreases` clause.
    pub(crate) fn measure(&mut self, contract: &'t Contract) -> Option<s::Specification> {
        let (measure, span) = contract.measure()?;
        let measure = match measure {
            Measure::Tuple(expressions) => {
                let expressions = expressions.iter().map(|expression| self.assertion(expression)).collect();
                s::Measure::Tuple(expressions)
            }
            Measure::Assume => s::Measure::Wildcard,
        };
        let node = self.at(span).node(Role::Code("decreasesFailed"));
        let decreases = s::Decreases { measure, condition: None, span: node };
        Some(s::Specification { kind: s::SpecificationKind::Decreases(decreases), span: node })
    }

    /// `decreases;`: whatever is called ends, and this is not called again.
    pub(crate) fn no_recursion(&mut self, place: Span) -> s::Specification {
        let node = self.at(place).node(Role::Code("decreasesFailed"));
        let decreases = s::Decreases { measure: s::Measure::Tuple(Vec::new()), condition: None, span: node };
        s::Specification { kind: s::SpecificationKind::Decreases(decreases), span: node }
    }

    /// A method that refutes that the precondition of what has no statements is contradictory.
    pub(crate) fn check_satisfiable(
        &mut self,
        contract: &'t Contract,
        (name, id): (&Arc<str>, NodeId),
        formals: &[s::Binding],
        preconditions: &[s::Specification],
    ) {
        let Some(place) = satisfiability_place(contract) else { return };
        let method_name = self.lowering.globals.fresh(&format!("{name}_satisfiable"));
        let refute = self.refute_false(place);
        let mut build = self.at(place);
        let method = s::Method {
            name: build.name(&method_name),
            formals: formals.to_vec(),
            returns: Vec::new(),
            preconditions: preconditions.to_vec(),
            postconditions: Vec::new(),
            body: Some(build.block(vec![refute])),
        };
        self.lowering.add_member(place, s::MemberKind::Method(method));
        self.lowering.describe_contract(&method_name, id, place);
    }

    /// `refute false`, which fails where it is known that nothing can be reached.
    pub(crate) fn refute_false(&mut self, place: Span) -> s::Statement {
        let mut build = self.at(place);
        let falsehood = build.bool(false);
        build.statement_as(Role::Code("unsatisfiable"), s::StatementKind::Precaution(falsehood))
    }
}

/// Where to report that a precondition is contradictory; `None` if it needs no check.
///
/// A precondition that says `false` outright is meant.
pub(crate) fn satisfiability_place(contract: &Contract) -> Option<Span> {
    let clauses: Vec<&Expression> = contract.everywhere().chain(contract.preconditions()).collect();
    let is_constant =
        |clause: &Expression, value| matches!(*clause.kind, ExpressionKind::Bool(it) if it == value);
    if clauses.iter().all(|clause| is_constant(clause, true)) {
        return None;
    }
    if let [only] = clauses[..]
        && is_constant(only, false)
    {
        return None;
    }
    let first = contract.clauses.first()?.span;
    let last = contract.clauses.last()?.span;
    Some(first.to(last))
}
